# SPDX-License-Identifier: Apache-2.0
"""Look ahead at a launch: the runs that it would start, why others cannot be, and what is in the way of all."""

import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import TTMatrixError
from core.matrix import NO_ARCH, Matrix
from core.model import node_id
from core.runs.outcome import HARMLESS, Outcome
from core.runs.planning.interpreter import Source
from core.runs.planning.plan import as_batch, plan_test
from core.runs.planning.preflight_checks import Level, Obstacle, Survey, obstacles, survey
from core.runs.spec import RunSpec
from core.runs.store import RunRecord
from core.settings import Settings
from core.sources import Checkout
from core.sources.ci import read_durations

_TELLING = HARMLESS | {Outcome.FAIL}
_NEWEST = 5


def with_estimates(
    specs: Sequence[RunSpec], records: Iterable[RunRecord], durations: Mapping[str, float]
) -> list[RunSpec]:
    """`specs` with what is known of their time; `records` are newest first, `durations` are seconds by node id.

    CI measures device runs only.
    """
    history: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if record.outcome in _TELLING and record.seconds:
            history.setdefault((record.spec.test_id, record.spec.kind), []).append(record.seconds)
    return [replace(spec, estimate=_estimate(spec, history, durations)) for spec in specs]


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


def _estimate(
    spec: RunSpec, history: Mapping[tuple[str, str], Sequence[float]], durations: Mapping[str, float]
) -> float | None:
    own = history.get((spec.test_id, spec.kind), ())[:_NEWEST]
    if own:
        return statistics.median(own)
    return durations.get(node_id(spec.function, spec.test_id)) if spec.devices else None


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
        """What was executed to find out what is installed, for a message; empty: nothing."""
        if self.survey is None or self.survey.source is not Source.ASKED:
            return ""
        source = f"asked {self.survey.interpreter} for its packages"
        return source if self.survey.versions is None else f"{source}; the answer is cached until they change"


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

    Executes nothing of the checkout, but asks git: not for the UI thread. Raises TTMatrixError
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
