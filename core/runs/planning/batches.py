# SPDX-License-Identifier: Apache-2.0
"""What is left of a batch: its tests with their newest runs, those of its reruns included."""

from collections.abc import Iterable, Mapping, Sequence

from core.errors import UsageError
from core.runs.outcome import FAILURES, Outcome
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


def standing(records: Iterable[RunRecord], batch: str) -> Mapping[Key, Sequence[RunRecord]]:
    """How the tests of `batch` and of the batches it reruns stand: for each, its runs in the newest of these.

    `records` are newest first, and so are the runs of a test. Raises UsageError for an unknown batch.
    """
    members: dict[str, list[RunRecord]] = {}
    for record in records:
        members.setdefault(record.spec.batch, []).append(record)
    if batch not in members:
        raise UsageError(f"No batch {batch}", "A batch has the id of its first run; see: ttmatrix runs --json")
    stands: dict[Key, list[RunRecord]] = {}
    seen: set[str] = set()
    while batch and batch in members and batch not in seen:
        seen.add(batch)
        found: dict[Key, list[RunRecord]] = {}
        for record in members[batch]:
            found.setdefault((record.spec.test_id, record.spec.kind, record.spec.arch), []).append(record)
        stands = found | stands
        batch = members[batch][0].spec.parent
    return stands


def left_over(records: Sequence[RunRecord], batch: str, *, failures: bool, undone: bool) -> Sequence[RunRecord]:
    """Of the tests of `batch`, a run of each that has failed, or that has not been run; of neither: of each test.

    In the order in which they were asked for. Raises UsageError for an unknown batch.
    """
    chosen = [
        runs
        for runs in standing(records, batch).values()
        if not (failures or undone) or (failures and failed(runs)) or (undone and not_run(runs))
    ]
    return sorted((runs[0] for runs in chosen), key=lambda record: record.spec.created)


def failed(runs: Sequence[RunRecord]) -> bool:
    """Whether any of the runs of a test speaks against it."""
    return any(record.outcome in FAILURES for record in runs)


def not_run(runs: Sequence[RunRecord]) -> bool:
    """Whether no run of a test has a result or will have one."""
    return all(record.outcome in _UNDONE for record in runs)
