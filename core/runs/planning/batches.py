# SPDX-License-Identifier: Apache-2.0
"""Batches: which is the newest, and what is left of one, including its reruns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.base.errors import UsageError
from core.runs.outcome import FAILURES, Outcome
from core.runs.planning.kinds import OP_RUNS
from core.runs.planning.op_batches import left_of, with_cases
from core.runs.store import RunRecord

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
