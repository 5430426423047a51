# SPDX-License-Identifier: Apache-2.0
"""Look ahead at a launch: the runs that it would start, why others cannot be, and what is in the way of all."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import TTMatrixError
from core.matrix.matrix import NO_ARCH, Matrix
from core.runs.estimate import with_estimates
from core.runs.interpreter import Source
from core.runs.plan import as_batch, plan_test
from core.runs.preflight import Level, Obstacle, obstacles
from core.runs.record import RunRecord
from core.runs.spec import RunSpec
from core.runs.survey import Survey, survey
from core.settings import Settings
from core.sources.checkout import Checkout
from core.sources.durations import read_durations


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may choose for a launch."""

    kind: str = "cpu"
    arch: str = NO_ARCH
    profile: str = ""
    repeat: int = 1
    """How many runs each test gets."""
    timeout: float | None = None
    """Seconds; None: what profile and settings say."""
    stop_on_failure: bool = False


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Exactly what a launch would do."""

    specs: Sequence[RunSpec]
    refused: Sequence[TTMatrixError]
    """For each test that cannot be run so, why."""
    survey: Survey | None
    """None where there is nothing to run."""
    obstacles: Sequence[Obstacle]

    @property
    def provenance(self) -> str:
        """The text of the file that goes beside each spec."""
        return self.survey.to_json() if self.survey else ""

    @property
    def asked(self) -> str:
        """What was executed to find out what is installed, to be told; empty: nothing."""
        if self.survey is None or self.survey.source is not Source.ASKED:
            return ""
        told = f"asked {self.survey.interpreter} what is installed for it"
        return told if self.survey.versions is None else f"{told}; the answer is remembered until that changes"


def plan_launch(
    matrix: Matrix,
    ids: Iterable[str],
    settings: Settings,
    options: Options,
    *,
    runs: Path,
    records: Iterable[RunRecord] = (),
    environ: Mapping[str, str] = os.environ,
) -> LaunchPlan:
    """Plan runs of `ids`; `runs` is where their files go, `records` are earlier runs, newest first.

    Executes nothing of the checkout, but asks git: not for a thread that somebody waits for. Raises TTMatrixError
    where the interpreter is missing.
    """
    specs: list[RunSpec] = []
    refused: list[TTMatrixError] = []
    for id in ids:
        try:
            specs += [_planned(matrix, id, settings, options, runs) for _ in range(options.repeat)]
        except TTMatrixError as error:
            refused.append(error)
    durations, _ = read_durations(matrix.checkout)
    batch = as_batch(with_estimates(specs, records, durations), stop_on_failure=options.stop_on_failure)
    return look_ahead(batch, settings, refused, runs=runs, environ=environ)


def look_ahead(
    specs: Sequence[RunSpec],
    settings: Settings,
    refused: Sequence[TTMatrixError] = (),
    *,
    runs: Path,
    environ: Mapping[str, str] = os.environ,
    starting: bool = False,
) -> LaunchPlan:
    """As `plan_launch`, for runs that are planned already and share checkout and interpreter.

    `starting`: they are about to start, and the checkout's interpreter may be asked what it has. What it has said is
    remembered; before that gets in the way of a run, it is asked again.
    """
    if not specs:
        return LaunchPlan((), refused, None, ())
    checkout, python = Checkout(specs[0].cwd), Path(specs[0].argv[0])
    seen = survey(checkout, python, environ, starting=starting)
    found = obstacles(specs, seen, settings, environ, runs)
    if starting and seen.source is Source.REMEMBERED and any(one.level is Level.BLOCKER for one in found):
        seen = survey(checkout, python, environ, starting=True, afresh=True)
        found = obstacles(specs, seen, settings, environ, runs)
    return LaunchPlan(specs, refused, seen, found)


def _planned(matrix: Matrix, id: str, settings: Settings, options: Options, runs: Path) -> RunSpec:
    return plan_test(
        matrix,
        id,
        settings,
        runs=runs,
        kind=options.kind,
        arch=options.arch,
        timeout=options.timeout,
        profile=options.profile,
    )
