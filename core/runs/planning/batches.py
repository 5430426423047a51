# SPDX-License-Identifier: Apache-2.0
"""Batches: how far those that go on have come, and what is left of one, its reruns counted in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import UsageError
from core.runs.outcome import FAILURES, Outcome
from core.runs.planning.kinds import OP_KIND
from core.runs.planning.op_batches import left_of, with_cases
from core.runs.store import RunRecord

Key = tuple[str, str, str | None]
"""A test id, a kind and an arch: what a batch asks for."""

_UNDONE = frozenset({Outcome.CANCELLED, Outcome.LOST})


def newest_batch(records: Iterable[RunRecord]) -> str:
    """The batch begun last, of records that are newest first. Raises UsageError where there is none."""
    newest = next((record.spec.batch for record in records if record.spec.batch), None)
    if newest is None:
        raise UsageError("There is no batch to rerun", hint="Start one: ttmatrix run TEST... --kind cpu")
    return newest


def newest_results(records: Iterable[RunRecord], batch: str) -> Mapping[Key, Sequence[RunRecord]]:
    """The runs of each test in the newest batch that has it, of `batch` and the batches it reruns.

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
    """The runs of a batch, then those of the one that it reruns, and so on. Raises UsageError for an unknown batch."""
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
    """Of the tests of `batch`, a run of each that has failed, or that has not been run; of neither: of each test.

    In the order in which they were asked for. Of a run of op cases, the spec has those cases alone. Raises UsageError
    for an unknown batch.
    """
    tests = (runs for (_, kind, _), runs in newest_results(records, batch).items() if kind != OP_KIND)
    chosen = [
        runs for runs in tests if not (failures or undone) or (failures and failed(runs)) or (undone and not_run(runs))
    ]
    found = [runs[0] for runs in chosen]
    found += _op_cases_left(_with_ancestors(records, batch), failures=failures, undone=undone)
    return sorted(found, key=lambda record: record.spec.created)


def _op_cases_left(batches: Sequence[Sequence[RunRecord]], *, failures: bool, undone: bool) -> list[RunRecord]:
    """The runs of op cases in batches, each a rerun of the next, one for each backend: what is left of all of them."""
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
    """Whether any of the runs of a test speaks against it."""
    return any(record.outcome in FAILURES for record in runs)


def not_run(runs: Sequence[RunRecord]) -> bool:
    """Whether no run of a test has a result or will have one."""
    return all(record.outcome in _UNDONE for record in runs)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far batches have come."""

    total: int
    left: int
    """Runs that have not ended."""
    seconds: float | None
    """Until they will have; None where nothing is known of one of them."""


def progress(records: Sequence[RunRecord], now: float) -> Progress:
    """Of all batches that have a run left; `now` is in seconds since the epoch."""
    going = {record.spec.batch for record in records if record.active}
    members = [record for record in records if record.spec.batch in going]
    left = sum(record.active for record in members)
    return Progress(len(members), left, remaining(members, now))


def remaining(records: Iterable[RunRecord], now: float) -> float | None:
    """Seconds until the last of these runs will have ended, with as many at a time as their slots allow.

    `now` is in seconds since the epoch. None where nothing is known of one that has not ended.
    """
    left: dict[str, list[float]] = {}
    widths: dict[str, int] = {}
    for record in records:
        if record.active:
            if record.spec.estimate is None:
                return None
            gone = now - record.started if record.started is not None else 0.0
            left.setdefault(record.spec.slots, []).append(max(0.0, record.spec.estimate - gone))
            widths[record.spec.slots] = max(1, record.spec.slot_count)
    return max((max(max(seconds), sum(seconds) / widths[slot]) for slot, seconds in left.items()), default=0.0)
