# SPDX-License-Identifier: Apache-2.0
"""Everything about one run: outcome, phases, environment, and command."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from rich.text import Text

from core.base.text import one_line, significant
from core.ops import sparkline
from core.runs import Age, CaseDocument, CaseProgress, case_parts, case_seconds, counts_text, shell_command
from core.runs.store import RunRecord, RunResult
from tui.view_models.runs import run_look
from tui.view_models.style import seconds_text

_STYLES = {"pass": "green", "fail": "bold red", "running": "bold"}
_LABEL = 12
_SLOWEST = 3
_SIZES = ("parameters", "parameter_bytes")
"""The numbers of a run that describe its model."""


def run_text(
    record: RunRecord,
    provenance: Mapping[str, object],
    age: Age | None = None,
    cases: Sequence[CaseDocument] = (),
    progress: CaseProgress | None = None,
) -> Text:
    """`provenance` is the record written when the run was requested, `age` how old its tree is now.

    For a run of op cases, `cases` are the results so far, and `progress` is its progress.
    """
    look = run_look(record)
    head = Text.assemble((look.word, _STYLES.get(look.style, "dim")), "  ", (one_line(record.spec.test_id), "bold"))
    facts = [*_course(record), *_tree(record, age), *_provenance(provenance), *_files(record)]
    about = (_fact(name, value) for name, value in facts if value)
    return Text("\n").join([head, *_phases(record), *_cases(cases, progress), *about])


def _fact(name: str, value: str) -> Text:
    return Text.assemble((name.ljust(_LABEL), "dim"), one_line(value))


def _course(record: RunRecord) -> Iterator[tuple[str, str]]:
    spec = record.spec
    yield "why", record.summary
    yield "run", spec.run_id
    yield "batch", f"{spec.batch}{f', a rerun of {spec.parent}' if spec.parent else ''}"
    yield "kind", " ".join(filter(None, (spec.kind, spec.arch, ",".join(spec.devices))))
    yield "started", _moment(record.started)
    yield "took", seconds_text(record.seconds)
    yield "peak memory", "" if record.peak_memory is None else f"{record.peak_memory / 2**20:,.0f} MiB"
    yield "estimate", seconds_text(spec.estimate)
    yield "exit code", "" if record.exit_code is None else str(record.exit_code)
    yield "stage", record.stage
    yield "limits", f"{spec.timeout:g} s, {spec.hang_timeout:g} s without output (0: none)"


def _phases(record: RunRecord) -> Iterator[Text]:
    said = record.said
    if size := model_size(said):
        yield _fact("model size", size)
    for phase in said.phases:
        how = "ok" if phase.ok else f"{phase.step}: {phase.error}"
        yield Text(f"  {one_line(f'{phase.dtype} {how}')}", "green" if phase.ok else "red")
    # Whatever else a run says of itself is shown as it is.
    for name, value in said.raw.items():
        if name == "phases":
            continue
        if name == "drift" and isinstance(value, list):
            yield _fact(name, sparkline(value))
        elif name == "out_of_memory" and isinstance(value, Mapping):
            yield _fact("memory full", memory_words(value))
        elif name == "performance" and isinstance(value, str):
            yield _fact(name, _performance(said.performance) or value)
        elif value is not None and name not in ("version", "nonce"):
            yield _fact(name, value if isinstance(value, str) else json.dumps(value))


def _performance(said: Mapping[str, object]) -> str:
    """The numbers of a run in words."""
    return "  ".join(
        f"{name} {significant(value, 5)}"
        for name, value in said.items()
        if isinstance(value, (int, float)) and name not in _SIZES
    )


def model_size(result: RunResult) -> str:
    """`41,034 parameters, 82,068 bytes` from our runner's numbers, `0.041 billion parameters` from upstream's.

    Empty if the numbers have neither.
    """
    said = result.performance
    parameters, size = (said.get(name) for name in _SIZES)
    billions = result.tags.get("model_size_billions")
    if parameters is None and isinstance(billions, (int, float)):
        return f"{billions:.3g} billion parameters"
    words = [f"{parameters:,} parameters"] if isinstance(parameters, int) else []
    return ", ".join([*words, f"{size:,} bytes"] if isinstance(size, int) else words)


def memory_words(said: Mapping[str, object]) -> str:
    """`asked for 36,126,720 B of L1: 1,505,280 B in each of 24 banks; a bank has 1,331,936 B`."""
    words = f"asked for {said.get('asked'):,} B of {said.get('memory')}"
    if "per_bank" in said:
        words += f": {said['per_bank']:,} B in each of {said.get('banks')} banks"
    return f"{words}; a bank has {said['bank']:,} B" if "bank" in said else words


def _cases(documents: Sequence[CaseDocument], progress: CaseProgress | None) -> Iterator[Text]:
    """For a run of op cases: progress, outcomes, time per phase, and the slowest cases."""
    if progress is None:
        return
    yield _fact("cases", progress.text)
    yield _fact("ended", counts_text(documents))
    parts = case_parts(documents)
    whole = sum(parts.values())
    for name, seconds in parts.items():
        share = f"{seconds / whole:4.0%}" if whole else ""
        yield _fact(f"  {name}", f"{seconds:8.2f} s  {share} {'█' * round(20 * seconds / whole) if whole else ''}")
    slowest = sorted(documents, key=case_seconds, reverse=True)[:_SLOWEST]
    for one in (one for one in slowest if case_seconds(one) > 0):
        yield _fact("  slowest", f"{case_seconds(one):8.2f} s  {one['id']}")


def _tree(record: RunRecord, age: Age | None) -> Iterator[tuple[str, str]]:
    yield "ran on", record.place
    yield "code" if record.place else "ran in", str(record.spec.cwd)
    yield "age", age.text if age else ""
    if record.tree is not None and record.tree.commit and not record.tree.committed:
        yield "loader", "with uncommitted changes"


def _provenance(known: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    changed = " with changes" if known.get("changed") else ""
    yield "checkout", f"{known.get('checkout') or ''}{changed}"
    pinned = known.get("models_pinned")
    differs = f", the checkout asks for {pinned}" if pinned and pinned != known.get("models") else ""
    yield "models", f"{known.get('models') or ''}{differs}"
    yield "python", str(known.get("interpreter") or "")
    versions = known.get("versions")
    if isinstance(versions, Mapping):
        yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    yield "host", str(known.get("host") or "")


def _files(record: RunRecord) -> Iterator[tuple[str, str]]:
    yield "files", str(record.directory)
    yield "command", shell_command(record.spec)


def _moment(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M:%S}"
