# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning: own runs first, CI's durations for devices, else no estimate."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.processes import ProcessIdentity
from core.runs import Outcome, RunSpec
from core.runs.planning import Progress, course_of, with_estimates
from core.runs.store import SESSION, Finished, Queued, RunRecord, Started
from core.runs.store.record import Presence, fold
from tests.core.runs.store.test_record import SPEC

NODE = f"tests/runner/test_models.py::test_all_models_torch[{SPEC.test_id}]"


def ended(seconds: float, outcome: Outcome = Outcome.PASS) -> RunRecord:
    return fold(SPEC, Path("/"), [Finished(1.0, outcome, seconds)])


def estimated(records: list[RunRecord], *, device: bool = False) -> float | None:
    spec = replace(SPEC, devices=("0",) if device else ())
    return with_estimates([spec], records, {NODE: 60.0})[0].estimate


def test_own_runs_tell_best_and_only_the_newest() -> None:
    records = [ended(seconds) for seconds in (1, 2, 3, 4, 50, 1000, 1000, 1000)]
    assert estimated(records) == estimated(records, device=True) == 3
    assert estimated([ended(9, Outcome.TIMEOUT), ended(4, Outcome.FAIL)]) == 4


def test_durations_of_ci_are_of_devices_only() -> None:
    assert (estimated([]), estimated([], device=True)) == (None, 60.0 + 40.0)


def test_to_the_durations_of_ci_comes_the_start_of_pytest_here() -> None:
    def of_device(seconds: float, of_test: float, outcome: Outcome = Outcome.PASS) -> RunRecord:
        spec = replace(SPEC, kind="device", test_id="another")
        return fold(spec, Path("/"), [Finished(1.0, outcome, seconds, result={"seconds": of_test})])

    slow = [of_device(53.1, 0.9), of_device(30.0, 2.0), of_device(41.0, 1.0)]
    assert estimated(slow, device=True) == 60.0 + 40.0
    assert estimated([*slow[:2], of_device(29.0, 1.0), *slow], device=True) == 60.0 + 28.0, "the newest five"
    assert estimated([of_device(9.0, 1.0), of_device(500.0, 0.0, Outcome.HANG)], device=True) == 60.0 + 8.0


def test_runs_that_share_their_pytest_start_it_once(tmp_path: Path) -> None:
    spec = replace(SPEC, kind="device", devices=("0",))

    def estimates(*specs: RunSpec) -> list[float | None]:
        alone = fold(spec, Path("/"), [Finished(1.0, Outcome.PASS, 33.0, result={"seconds": 3.0})])
        shared = fold(spec, tmp_path, [Finished(1.0, Outcome.PASS, 5.5, result={"seconds": 4.0})])
        shared.directory.mkdir(exist_ok=True)
        (shared.directory / SESSION).touch()
        records = [shared, alone]
        return [one.estimate for one in with_estimates(specs, records, {})]

    assert estimates(spec, spec, spec) == [33.5, 3.5, 3.5]
    assert estimates(spec, replace(spec, profile="bfp8"), spec) == [33.5, 33.5, 3.5], "another command, another pytest"
    debugged = replace(spec, prefix=("gdb", "--args"))
    assert estimates(debugged, debugged) == [33.5, 33.5]
    assert estimates(replace(spec, test_id="never/run", estimate=7.0)) == [7.0], "nothing better is known"


def going(estimate: float | None, started: float | None = None, slots: str = "cpu") -> RunRecord:
    spec = replace(SPEC, estimate=estimate, slots=slots, slot_count=2)
    begun = [] if started is None else [Started(started, ProcessIdentity(1, 1.0), ())]
    return fold(spec, Path("/"), [Queued(1.0, "h", "b"), *begun], Presence(watched=True))


@pytest.mark.parametrize(
    ("records", "left"),
    [
        ([], 0.0),
        ([ended(3)], 0.0),
        ([going(10.0)], 10.0),
        ([going(10.0, 96.0)], 6.0),
        ([going(10.0, 1.0)], 0.0),
        ([going(10.0)] * 4, 20.0),
        ([going(30.0), going(2.0)], 30.0),
        ([going(10.0)] * 4 + [going(50.0, slots="device")], 50.0),
        ([going(10.0), going(None)], 10.0),
    ],
)
def test_what_is_left_is_shared_by_the_slots(records: list[RunRecord], left: float) -> None:
    assert course_of(records).at(100.0).seconds == left


def test_progress_counts_the_batches_that_have_something_left() -> None:
    def of(batch: str, record: RunRecord) -> RunRecord:
        return replace(record, spec=replace(record.spec, batch=batch))

    over, done, left = of("1", ended(1)), of("2", ended(1)), of("2", going(10.0))
    assert course_of([left, done, over]).at(100.0) == Progress(2, 1, 10.0)
    assert course_of([over]).at(100.0) == Progress(0, 0, 0.0)
    unknown = of("2", going(None))
    assert course_of([left, unknown, done]).at(100.0) == Progress(3, 2, 10.0, unknown=1)
    assert course_of([unknown, done]).at(100.0) == Progress(2, 1, None, unknown=1)
