# SPDX-License-Identifier: Apache-2.0
"""Batches: the progress of active ones, and what is left of one, including its reruns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.base.errors import UsageError
from core.runs.case_results import case_progress
from core.runs.outcome import FAILURES, Outcome
from core.runs.planning.kinds import OP_RUNS
from core.runs.planning.op_batches import left_of, with_cases
from core.runs.store import RunRecord, RunState

Key = tuple[str, str, str | None]
"""The test id, kind and arch of one request in a batch."""

_UNDONE = frozenset({Outcome.CANCELLED, Outcome.LOST})


def newest_batch(records: Iterable[RunRecord]) -> str:
    """The latest batch among records, which are newest first. Raises UsageError if there is none."""
    newest = next((record.spec.batch for record in records if record.spec.batch), None)
    if newest is None:
        raise UsageError("There is no batch to rerun", hint="Start one: ttmatrix run TEST... --kind cpu")
    return newest


def newest_results(records: Iterable[RunRecord], batch: str) -> Mapping[Key, Sequence[RunRecord]]:
    """The runs of each test in the newest batch that has it, among `batch` and the batches that it reruns.

    `records` are newest first, and so are the runs of a test. Raises UsageError for an unknown batch.
    """
    newest: dict[Key, list[RunRecord]] = {}
    for members in _with_ancestors(records, batch):
        found: dict[Key, list[RunRecord]] = {}
        for record in members:
            found.setdefault((record.spec.test_id, record.spec.kind, record.spec.arch), []).append(record)
        newest = found | newest
    return newest


def _with_ancestors(records: Iterable[RunRecord], batch: str) -> list[list[RunRecord]]:
    """The runs of a batch, then those of the batch it reruns, and so on. Raises UsageError for an unknown batch."""
    members: dict[str, list[RunRecord]] = {}
    for record in records:
        members.setdefault(record.spec.batch, []).append(record)
    if batch not in members:
        raise UsageError(f"No batch {batch}", "A batch has the id of its first run; see: ttmatrix runs --json")
    found: dict[str, list[RunRecord]] = {}
    while batch and batch in members and batch not in found:
        found[batch] = members[batch]
        batch = members[batch][0].spec.parent
    return list(found.values())


def left_over(records: Sequence[RunRecord], batch: str, *, failures: bool, undone: bool) -> Sequence[RunRecord]:
    """A run for each test of `batch` that has failed, or that has not been run; with neither flag, for each test.

    In the order of the request. For a run of op cases, the spec has only the matching cases. Raises UsageError for an
    unknown batch.
    """
    tests = (runs for (_, kind, _), runs in newest_results(records, batch).items() if kind != OP_RUNS)
    chosen = [
        runs for runs in tests if not (failures or undone) or (failures and failed(runs)) or (undone and not_run(runs))
    ]
    found = [runs[0] for runs in chosen]
    found += _op_cases_left(_with_ancestors(records, batch), failures=failures, undone=undone)
    return sorted(found, key=lambda record: record.spec.created)


def _op_cases_left(batches: Sequence[Sequence[RunRecord]], *, failures: bool, undone: bool) -> list[RunRecord]:
    """The runs of op cases in batches, each a rerun of the next: one per backend, with the cases left of all."""
    by_backend: dict[str | None, list[RunRecord]] = {}
    for members in batches:
        for record in members:
            if record.spec.cases:
                by_backend.setdefault(record.spec.arch, []).append(record)
    found: list[RunRecord] = []
    for newest_first in by_backend.values():
        *later, first = newest_first
        left = left_of(first, reversed(later), failures=failures, undone=undone)
        if left:
            found.append(replace(first, spec=with_cases(first.spec, left)))
    return found


def failed(runs: Sequence[RunRecord]) -> bool:
    """Whether any of the runs of a test failed."""
    return any(record.outcome in FAILURES for record in runs)


def not_run(runs: Sequence[RunRecord]) -> bool:
    """Whether no run of a test has a result or can still get one."""
    return all(record.outcome in _UNDONE for record in runs)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of batches."""

    total: int
    left: int
    """The number of runs that have not ended."""
    seconds: float | None
    """Seconds until they will have, as far as there are estimates; None: there are none, or all are on hold."""
    unknown: int = 0
    """Those of them without an estimate: it takes at least `seconds`."""
    running: int = 0
    held: int = 0
    """Those that wait until somebody releases them: `seconds` does not count them."""
    failed: int = 0

    @property
    def done(self) -> int:
        """The number of runs that have ended."""
        return self.total - self.left


def batch_of(record: RunRecord) -> str:
    """The name of the batch of a run; one that was requested alone is a batch of its own."""
    return record.spec.batch or record.spec.run_id


def going(records: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs of all batches with active runs."""
    records = [*records]
    names = {batch_of(record) for record in records if record.active}
    return [record for record in records if batch_of(record) in names] if names else []


def progress(records: Iterable[RunRecord], now: float) -> Progress:
    """The progress of all batches with active runs; `now` is in seconds since the epoch."""
    members = going(records)
    return _progress(members, [record for record in members if record.active], now)


def batch_progress(members: Sequence[RunRecord], active: Iterable[RunRecord], now: float) -> Progress:
    """The progress of one batch. Of all `active` runs, those that run, or wait before its last one, take its time."""
    left = [record for record in members if record.active and not record.held]
    slots, last = {record.spec.slots for record in left}, max((record.turn or 0 for record in left), default=0)
    ahead = [
        record
        for record in (active if left else ())
        if record.spec.slots in slots and (record.state is RunState.RUNNING or (record.turn or 0) <= last)
    ]
    return _progress(members, ahead, now)


def _progress(members: Sequence[RunRecord], ahead: Sequence[RunRecord], now: float) -> Progress:
    """The progress of runs, which have ended once those that are `ahead` have, themselves among them."""
    left = [record for record in members if record.active]
    awaited = [record for record in ahead if not record.held]
    unknown = sum(_seconds_left(record, now) is None for record in awaited)
    known = unknown < len(awaited) or not left
    return Progress(
        total=len(members),
        left=len(left),
        seconds=remaining(awaited, now) if known else None,
        unknown=unknown,
        running=sum(record.state is RunState.RUNNING for record in left),
        held=sum(record.held for record in left),
        failed=sum(record.outcome in FAILURES for record in members),
    )


def remaining(records: Iterable[RunRecord], now: float) -> float:
    """Seconds until the last of these runs will have ended, with as many at a time as their slots allow.

    On several machines there may be more: as many as run now. `now` is in seconds since the epoch. A run without an
    estimate counts for nothing.
    """
    left: dict[str, list[float]] = {}
    widths: dict[str, int] = {}
    running: Counter[str] = Counter()
    for record in records:
        slots = record.spec.slots
        running[slots] += record.state is RunState.RUNNING
        if (seconds := _seconds_left(record, now)) is not None:
            left.setdefault(slots, []).append(seconds)
            widths[slots] = max(1, record.spec.slot_count)
    ends = (max(max(some), sum(some) / max(widths[slots], running[slots])) for slots, some in left.items())
    return max(ends, default=0.0)


def _seconds_left(record: RunRecord, now: float) -> float | None:
    """Seconds that a run still takes; of a run of op cases, by those that are done. None: it has ended, or unknown."""
    if not record.active:
        return None
    if record.spec.cases and record.started is not None:
        come = case_progress(record, now)
        return come.seconds if come is not None else None
    if record.spec.estimate is None:
        return None
    return max(0.0, record.spec.estimate - (now - record.started if record.started is not None else 0.0))


def time_taken(members: Sequence[RunRecord], now: float) -> float | None:
    """Seconds from the first start in a batch to its last end, or to `now` before that; None: nothing has started."""
    spans = [(record.started, record.started + (record.seconds or 0.0)) for record in members if record.started]
    if not spans:
        return None
    last = now if any(record.active for record in members) else max(end for _, end in spans)
    return max(0.0, last - min(start for start, _ in spans))
