# SPDX-License-Identifier: Apache-2.0
"""Plans of device runs that add missing evidence about cells, with their expected duration; nothing is started."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.settings import Settings, paths
from core.evidence.observation import RAN
from core.evidence.verdicts import Judgement, Verdict
from core.hosts import read_hosts
from core.matrix import Matrix
from core.runs import RunSpec
from core.runs.planning import LaunchPlan, as_batch, look_ahead, plan_test, refuse, with_estimates, with_needs
from core.runs.store import RunRecord
from core.sources.ci import read_durations

_KIND = "device"

CellRuns = tuple[str, str, int]
"""A cell, by id and arch, and how many runs of it are wanted."""


def lacking(judgements: Iterable[Judgement], minimum: int) -> Iterator[CellRuns]:
    """For each cell, the number of runs missing to the `minimum` for a verdict, and one run for each other cell."""
    for one in judgements:
        yield one.id, one.arch, max(1, lacking_results(one, minimum))


def lacking_results(one: Judgement, minimum: int) -> int:
    """How many results a cell lacks until it has a verdict, or until what contradicts its entry weighs enough."""
    ran = sum(row.ending in RAN for row in one.rows)
    if one.verdict is Verdict.UNKNOWN:
        return max(1, minimum - ran)
    return max(0, minimum - ran) if ran else 0


def plan_reruns(
    matrix: Matrix, wanted: Iterable[CellRuns], settings: Settings, runs: Path, records: Iterable[RunRecord]
) -> LaunchPlan:
    """Device runs of cells. Raises TTMatrixError, with the remedy, if none of them can run."""
    planned: list[RunSpec] = []
    refused: list[TTMatrixError] = []
    for id, arch, times in wanted:
        for _ in range(times):
            try:
                planned.append(plan_test(matrix, id, settings, runs=runs, kind=_KIND, arch=arch))
            except TTMatrixError as error:
                refused.append(error)
                break
    durations, _ = read_durations(matrix.checkout)
    planned = with_needs(planned, read_hosts(paths().hosts_file))
    plan = look_ahead(as_batch(with_estimates(planned, records, durations)), settings, refused, runs=runs)
    refuse(plan.obstacles)
    return plan
