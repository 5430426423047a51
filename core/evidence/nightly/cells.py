# SPDX-License-Identifier: Apache-2.0
"""The cells of a run against what they did before, and those of one area and cause together."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.areas import AREAS
from core.evidence.ci_runs import CiJob, job_id, job_page
from core.evidence.nightly.areas import area_of_test
from core.evidence.observation import FAILURES, RAN, Ending, Observation
from core.evidence.reasons import same_failure, signature
from core.runs import UNHEARD

PCC_DROP = 0.01
"""A PCC that falls by more is named although nothing fails newly, as upstream's inspector does."""


class Kind(StrEnum):
    """How a cell differs from before."""

    NEW = "new"
    """It fails, against what is expected of it, and did not before."""
    CHANGED = "changed reason"
    """It fails as before, for another reason: also where a failure is expected."""
    PERSISTING = "persisting"
    FIXED = "fixed"
    MISSING = "missing"
    """It had a result, and its job reports others and not it."""


@dataclass(frozen=True, slots=True)
class NightCell:
    """One cell of a run."""

    kind: Kind
    row: Observation
    """Its result; of one that is missing, the last one before."""
    before: Observation | None
    arch: str
    """That of the result, else the machine of its job."""
    machine: str
    """What ran it; empty: unknown."""

    @property
    def id(self) -> str:
        return self.row.test_id

    @property
    def url(self) -> str:
        """The page of its job; empty: unknown."""
        return job_page(self.row)

    @property
    def job(self) -> int:
        """The id of its job; 0: unknown."""
        return job_id(self.row.source) or 0


@dataclass(frozen=True, slots=True)
class Group:
    """Cells of one kind, area and cause; archs are together."""

    kind: Kind
    area: str
    cause: str
    was: str
    """The cause before, where it has changed; else empty."""
    cells: tuple[NightCell, ...]

    @property
    def tests(self) -> Mapping[str, Sequence[NightCell]]:
        """The cells by test."""
        found: dict[str, list[NightCell]] = {}
        for cell in self.cells:
            found.setdefault(cell.id, []).append(cell)
        return found


Key = tuple[str, str]
"""Test and arch."""


@dataclass(frozen=True)
class Rows:
    """The results of one run, by test and arch."""

    by_key: Mapping[Key, Observation]
    jobs: Mapping[int, CiJob]
    repeated: Collection[Key] = ()
    """What failed before in the same job and passed when it was repeated: in a suite of the same report."""

    def job(self, row: Observation) -> CiJob | None:
        """The job that has made a result; None: unknown."""
        return self.jobs.get(job_id(row.source) or 0)

    def machine(self, row: Observation) -> str:
        """The runner of its job: in a container, the name of the host is a new one every time."""
        job = self.job(row)
        return (job.machine if job else "") or row.host


def rows_of(found: Iterable[Observation], jobs: Mapping[int, CiJob]) -> Rows:
    """The newest result of each test and arch. An attempt replaces what it reran, whatever it was named before.

    Attempts have numbers, because clocks are wrong. Of two jobs of one attempt, the one in which a test fails counts.
    """
    by_key: dict[Key, Observation] = {}
    repeated: set[Key] = set()
    of_job = {id: (job.attempt, job.parts.runner) for id, job in jobs.items()}
    for row in sorted(found, key=lambda row: (of_job.get(job_id(row.source) or 0, _NO_JOB)[0], row.when)):
        attempt, runner = of_job.get(id := job_id(row.source) or 0, _NO_JOB)
        key = row.test_id, row.arch or runner
        before = by_key.get(key)
        if before is not None:
            other = job_id(before.source) or 0
            beside = other != id and of_job.get(other, _NO_JOB)[0] == attempt
            if beside and _fails(before) and not before.as_expected and not _fails(row):
                continue
            if not beside and _fails(before) and row.ending is Ending.PASSED:
                repeated.add(key)
        by_key[key] = row
    return Rows(by_key, jobs, repeated)


_NO_JOB = 1, ""
"""Attempt and runner, where nothing is known."""


def kind_of(was: Observation | None, now: Observation) -> Kind | None:
    """How a result differs from the one before; None: there is nothing to say."""
    failed_before = was is not None and _fails(was)
    if not _fails(now):
        ran = now.ending is Ending.PASSED or now.as_expected
        return Kind.FIXED if failed_before and ran else None
    if not failed_before or was is None:
        return None if now.as_expected else Kind.NEW
    if was.as_expected and not now.as_expected:
        return Kind.NEW
    if not same_failure(was, now):
        return Kind.CHANGED
    return None if now.as_expected else Kind.PERSISTING


def is_unheard(row: Observation) -> bool:
    """Whether a result says nothing, because pytest-forked took any end for a crash."""
    return row.ending is Ending.BROKEN and row.reason == UNHEARD


def _fails(row: Observation) -> bool:
    return (row.ending in FAILURES or row.ending is Ending.BROKEN) and not is_unheard(row)


def groups_of(cells: Iterable[NightCell]) -> tuple[Group, ...]:
    """The cells by kind, area and cause, the largest groups of each kind first."""
    found: dict[tuple[Kind, str, str, str], list[NightCell]] = {}
    for cell in cells:
        key = cell.kind, area_of_test(cell.row), cause_of(cell.row), _was(cell, cause_of)
        found.setdefault(key, []).append(cell)
    kinds = list(Kind)
    groups = [
        Group(kind, area, _cause(some[0].row), _was(some[0], _cause), tuple(sorted(some, key=_by_id)))
        for (kind, area, _, _), some in found.items()
    ]
    return tuple(sorted(groups, key=lambda one: (kinds.index(one.kind), AREAS.index(one.area), -len(one.cells))))


def _by_id(cell: NightCell) -> Key:
    return cell.id, cell.arch


def _cause(row: Observation) -> str:
    return row.reason or row.ending.words


def cause_of(row: Observation) -> str:
    """What results with one cause have in common."""
    return signature(row.steady) if row.steady else row.ending.words


def _was(cell: NightCell, words: Callable[[Observation], str]) -> str:
    return words(cell.before) if cell.kind is Kind.CHANGED and cell.before is not None else ""


def pcc_drop(was: Observation | None, now: Observation) -> float:
    """By how much a PCC has fallen, where that is no new failure; 0: not by enough. One that is no number fell most."""
    if was is None or was.pcc is None or was.ending not in RAN or kind_of(was, now) is Kind.NEW:
        return 0.0
    if now.pcc is None:
        return math.inf if now.ending is Ending.INACCURATE else 0.0
    if now.ending not in (Ending.PASSED, Ending.INACCURATE):
        return 0.0
    # Numbers are compared as they are printed, not as floats differ.
    return was.pcc - now.pcc if was.pcc - now.pcc > PCC_DROP + 1e-9 else 0.0
