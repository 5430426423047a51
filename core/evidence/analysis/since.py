# SPDX-License-Identifier: Apache-2.0
"""Since when a cell passes or fails: first bad, last good, number of changes, and what else changed in that run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.drift import Drift, drift_of
from core.evidence.flakiness import FLAKINESS_RESULTS, flakiness_of
from core.evidence.observation import RAN, Ending, Observation

__all__ = ["FLAKINESS_RESULTS", "CellCourse", "broken_together", "courses_of", "flakiness"]


@dataclass(frozen=True, slots=True)
class CellCourse:
    """The history of one cell's results."""

    arch: str
    results: int
    """The number of results that say something about the model."""
    newest: Observation
    since: Observation
    """The first of the uninterrupted passes, or failures, at the end of the results."""
    before: Observation | None
    """The last result before that; None: all known results ended alike."""
    last_good: Observation | None
    """The newest pass."""
    flips: int
    """How often a pass followed a failure, or the other way round."""
    flakiness: float
    """From 0 to 1; `flakiness_of` has the method."""
    drift: Drift | None
    """How its PCC has moved; None: too few values."""

    @property
    def failing(self) -> bool:
        return self.newest.ending is not Ending.PASSED

    @property
    def first_bad(self) -> Observation | None:
        """The first of the failures at the end of the results; None: it passes."""
        return self.since if self.failing else None


_SAYS_WHERE = RAN - {Ending.FLAKY}
"""What failed and passed within one session does not say where it broke."""


def courses_of(seen: Mapping[str, Sequence[Observation]]) -> tuple[CellCourse, ...]:
    """The course of each cell of one test, from its results by arch, oldest first; without cells that never ran."""
    found = ((arch, [row for row in rows if row.ending in _SAYS_WHERE]) for arch, rows in seen.items())
    return tuple(_course(arch, rows) for arch, rows in found if rows)


def _course(arch: str, rows: Sequence[Observation]) -> CellCourse:
    passed = [row.ending is Ending.PASSED for row in rows]
    turns = [at for at in range(1, len(rows)) if passed[at] is not passed[at - 1]]
    since = turns[-1] if turns else 0
    good = next((row for row in reversed(rows) if row.ending is Ending.PASSED), None)
    before = rows[since - 1] if since else None
    return CellCourse(
        arch, len(rows), rows[-1], rows[since], before, good, len(turns), flakiness(rows), drift_of(arch, rows)
    )


def flakiness(rows: Iterable[Observation]) -> float:
    """`flakiness_of` these results, which are oldest first."""
    return flakiness_of([row.ending is Ending.PASSED for row in rows if row.ending in RAN])


def broken_together(first_bad: Observation, turned: Iterable[tuple[str, str, bool]]) -> int:
    """How many other cells began to fail in the same run; `turned` has id, arch and whether it passes since."""
    cells = {(id, arch) for id, arch, passes in turned if not passes}
    return len(cells - {first_bad.cell})
