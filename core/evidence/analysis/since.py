# SPDX-License-Identifier: Apache-2.0
"""Since when a cell passes or fails: first bad, last good, number of changes, and what else changed in that run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.evidence.drift import Drift, drift_of
from core.evidence.observation import Observation
from core.evidence.series import FLAKINESS_RESULTS, Segment, Series
from core.evidence.verdicts import Absent

__all__ = ["FLAKINESS_RESULTS", "CellCourse", "broken_together", "courses_of"]


@dataclass(frozen=True, slots=True)
class CellCourse:
    """The history of one cell's results."""

    arch: str
    series: Series
    """It has results that say where it broke."""
    drift: Drift | None
    """How its PCC has moved; None: too few values."""
    absent: Absent | None = None
    """Why the newest reports have no result of it; None: they have one, or nothing is known of its job."""

    @property
    def results(self) -> int:
        """The number of results that say something about the model."""
        return len(self.series.rows)

    @property
    def since(self) -> Observation:
        """The first of the uninterrupted passes, or failures, at the end of the results."""
        return self.series.spell[0]

    @property
    def before(self) -> Observation | None:
        """The last result before that; None: all known results ended alike."""
        return self.series.before

    @property
    def last_good(self) -> Observation | None:
        """The newest pass."""
        return self.series.last_good

    @property
    def first_bad(self) -> Observation | None:
        """The first of the failures at the end of the results; None: it passes."""
        return self.series.first_bad

    @property
    def missing(self) -> bool:
        """Whether it is gone from the reports of its job."""
        return self.series.gap is not None

    @property
    def failing(self) -> bool:
        return self.first_bad is not None

    @property
    def segment(self) -> Segment:
        """The newest results of one behaviour; it may have failed before in another way."""
        assert self.series.newest is not None
        return self.series.newest

    @property
    def flips(self) -> int:
        """How often a pass followed a failure, or the other way round."""
        return len(self.series.turns)

    @property
    def flakiness(self) -> float:
        """From 0 to 1; `flakiness_of` has the method."""
        return self.series.flakiness


def courses_of(series: Mapping[str, Series], absent: Mapping[str, Absent] = {}) -> tuple[CellCourse, ...]:
    """The course of each cell of one test, from its series by arch; without cells that never ran.

    `absent` says why newer reports lack some of them.
    """
    told = ((arch, one) for arch, one in series.items() if one.telling)
    return tuple(CellCourse(arch, one, drift_of(arch, one.rows), absent.get(arch)) for arch, one in told)


def broken_together(first_bad: Observation, turned: Iterable[tuple[str, str, bool]]) -> int:
    """How many other cells began to fail in the same run; `turned` has id, arch and whether it passes since."""
    cells = {(id, arch) for id, arch, passes in turned if not passes}
    return len(cells - {first_bad.cell})
