# SPDX-License-Identifier: Apache-2.0
"""How runs are told on the command line: as a table, as JSON, and as an exit code."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from core.cli.console import Console
from core.errors import EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_OK
from core.runs.ages import Age
from core.runs.outcome import HARMLESS, Outcome
from core.runs.record import RunRecord
from core.runs.spec import RunSpec, shell_command

_HEADER = ("run", "outcome", "seconds", "id", "age", "why")
_CHECKOUT = _HEADER.index("age")


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


def runs_table(
    console: Console,
    records: Iterable[RunRecord],
    ages: Mapping[str, Age] = MappingProxyType({}),
    *,
    with_checkout: bool = False,
) -> None:
    """One line a run; `ages` by run id."""

    def line(record: RunRecord) -> tuple[str, ...]:
        age = ages.get(record.spec.run_id)
        return (
            record.spec.run_id,
            record.outcome or record.state,
            f"{record.seconds:.1f}" if record.seconds is not None else "",
            record.spec.test_id,
            *([str(record.spec.cwd)] if with_checkout else []),
            age.text if age else "",
            record.summary,
        )

    header = (*_HEADER[:_CHECKOUT], *(["checkout"] if with_checkout else []), *_HEADER[_CHECKOUT:])
    console.table(header, map(line, records))


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


def record_document(record: RunRecord, age: Age | None = None) -> dict[str, object]:
    """A run as far as it has come, with the state of the checkout that it belongs to.

    `age` is how far the present tree is from that; without one it is the same, or that was not looked at.
    """
    tree = record.tree
    return {
        "run": record.spec.run_id,
        **spec_document(record.spec),
        "created": record.spec.created,
        "batch": record.spec.batch,
        "parent": record.spec.parent,
        "held": record.held,
        "checkout": str(record.spec.cwd.resolve()),
        "commit": tree.commit if tree else None,
        "models_commit": tree.models if tree else None,
        "committed": tree.committed if tree else None,
        "age": age.text if age else "",
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
