# SPDX-License-Identifier: Apache-2.0
"""How runs are told on the command line: as a table, as JSON, and as an exit code."""

from collections import Counter
from collections.abc import Iterable

from core.cli.console import Console
from core.errors import EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_OK
from core.runs.outcome import HARMLESS, Outcome
from core.runs.record import RunRecord
from core.runs.spec import RunSpec, shell_command

_HEADER = ("run", "outcome", "seconds", "id", "why")


def exit_code(records: Iterable[RunRecord]) -> int:
    """0 where none failed; 2 where the machine could not run one; else 1."""
    outcomes = {record.outcome for record in records}
    if outcomes <= HARMLESS:
        return EXIT_OK
    return EXIT_INFRASTRUCTURE if Outcome.ERROR in outcomes else EXIT_FINDINGS


def summary(records: Iterable[RunRecord]) -> str:
    """One line: how many ended how."""
    counts = Counter(str(record.outcome or record.state) for record in records)
    return ", ".join(f"{count} {word}" for word, count in counts.most_common()) or "no runs"


def runs_table(console: Console, records: Iterable[RunRecord]) -> None:
    """One line a run."""
    console.table(
        _HEADER,
        (
            (
                record.spec.run_id,
                record.outcome or record.state,
                f"{record.seconds:.1f}" if record.seconds is not None else "",
                record.spec.test_id,
                record.summary,
            )
            for record in records
        ),
    )


def spec_document(spec: RunSpec) -> dict[str, object]:
    """A planned run: exactly what would be executed."""
    return {
        "id": spec.test_id,
        "kind": spec.kind,
        "arch": spec.arch,
        "cwd": str(spec.cwd),
        "argv": list(spec.argv),
        "env": dict(spec.env),
        "timeout": spec.timeout,
        "hang_timeout": spec.hang_timeout,
        "devices": list(spec.devices),
        "estimate": spec.estimate,
        "command": shell_command(spec),
    }


def record_document(record: RunRecord) -> dict[str, object]:
    """A run as far as it has come."""
    return {
        "run": record.spec.run_id,
        **spec_document(record.spec),
        "created": record.spec.created,
        "batch": record.spec.batch,
        "parent": record.spec.parent,
        "held": record.held,
        "state": record.state,
        "outcome": record.outcome,
        "seconds": record.seconds,
        "exit_code": record.exit_code,
        "signal": record.signal,
        "stage": record.stage,
        "summary": record.summary,
        "result": None if record.result is None else dict(record.result),
        "directory": str(record.directory),
        "log": str(record.log),
    }
