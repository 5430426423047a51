# SPDX-License-Identifier: Apache-2.0
"""Device runs that fill what is not known of cells: planned with how long they take, and nothing is started."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import TTMatrixError
from core.evidence.judgement import Judgement, Verdict
from core.evidence.observation import RAN
from core.matrix.index import Matrix
from core.runs.estimate import with_estimates
from core.runs.kinds import KINDS
from core.runs.plan import plan_test
from core.runs.preflight import Surroundings, preflight, refuse
from core.runs.record import RunRecord
from core.runs.spec import RunSpec
from core.runs.survey import survey
from core.settings import Settings
from core.sources.durations import read_durations

_KIND = "device"

Wanted = tuple[str, str, int]
"""A cell, by id and arch, and how often it is to run."""


@dataclass(frozen=True, slots=True)
class Reruns:
    """Runs that nobody has started yet."""

    specs: tuple[RunSpec, ...]
    refusals: tuple[TTMatrixError, ...] = ()
    """Why cells cannot be run."""

    @property
    def seconds(self) -> float:
        """How long those take of which that is known, one after the other."""
        return sum(spec.estimate or 0.0 for spec in self.specs)

    @property
    def unknown(self) -> int:
        """Of how many nobody knows how long they take."""
        return sum(spec.estimate is None for spec in self.specs)


def lacking(judgements: Iterable[Judgement], minimum: int) -> Iterator[Wanted]:
    """As many runs of each cell as it lacks of the `minimum` for a verdict, and one of each other cell."""
    for one in judgements:
        ran = sum(row.ending in RAN for row in one.rows)
        yield one.id, one.arch, max(1, minimum - ran) if one.verdict is Verdict.UNKNOWN else 1


def plan_reruns(
    matrix: Matrix, wanted: Iterable[Wanted], settings: Settings, runs: Path, records: Iterable[RunRecord]
) -> Reruns:
    """Device runs of cells. Raises TTMatrixError, with the remedy, where something is in the way of all of them."""
    planned: list[RunSpec] = []
    refusals: list[TTMatrixError] = []
    for id, arch, times in wanted:
        for _ in range(times):
            try:
                planned.append(plan_test(matrix, id, settings, runs=runs, kind=_KIND, arch=arch))
            except TTMatrixError as error:
                refusals.append(error)
                break
    if planned:
        seen = survey(matrix.checkout, Path(planned[0].argv[0]), os.environ)
        refuse(preflight(KINDS[_KIND], planned, Surroundings(matrix.checkout, seen, os.environ, runs)))
    durations, _ = read_durations(matrix.checkout)
    return Reruns(tuple(with_estimates(planned, records, durations)), tuple(refusals))
