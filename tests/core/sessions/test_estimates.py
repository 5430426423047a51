# SPDX-License-Identifier: Apache-2.0
"""How long runs take, and how accurate the estimates were."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation, Origin
from core.runs import Outcome
from core.runs.store import Finished, Queued, RunRecord
from core.runs.store.record import fold
from core.sessions import accuracy
from core.sessions.estimates import Estimates
from tests.core.runs.store.test_record import SPEC

ROW = Observation(
    "a", "test_all_models_torch", "n150", Origin.CI, "night", 1.0, "", Ending.PASSED, Status.EXPECTED_PASSING, False,
    BringupStatus.PASSED, "", 10.0,
)  # fmt: skip


def rows(*seconds: float) -> Sequence[Observation]:
    return [replace(ROW, seconds=one) for one in seconds]


def test_the_newest_results_on_the_arch_come_before_what_ci_measured() -> None:
    broken = replace(ROW, ending=Ending.BROKEN, seconds=1.0)
    seen: dict[str, dict[str, Sequence[Observation]]] = {
        "a": {"n150": [*rows(900, 20, 30, 40, 50, 60), broken], "p150": []},
        "b": {"n150": rows(0)},
    }
    found = Estimates(seen, {"node a": 7.0, "node b": 8.0})
    assert found.of("a", "n150", "node a") == 40
    assert found.of("a", "p150", "node a") == 7 and found.of("b", "n150", "node b") == 8
    assert found.of("c", "n150", "node c") is None and found.guess == 40


def test_what_is_unknown_is_guessed_by_what_is_known() -> None:
    assert Estimates({}, {"a": 1.0, "b": 3.0, "c": 50.0}).guess == 3
    assert Estimates({}, {}).guess == 600


def record(estimate: float | None, seconds: float, outcome: Outcome = Outcome.PASS) -> RunRecord:
    spec = replace(SPEC, kind="device", estimate=estimate)
    return fold(spec, Path("/runs"), [Queued(1.0, "here", "boot"), Finished(9.0, outcome, seconds)])


def test_how_good_estimates_were() -> None:
    records = [
        record(100, 110), record(100, 90), record(100, 200), record(None, 5), record(100, 5, Outcome.CANCELLED),
        replace(record(100, 5), spec=SPEC),
    ]  # fmt: skip
    found = accuracy(records, "device")
    assert (found.runs, found.ratio) == (3, 1.1)
    assert found.near == pytest.approx(2 / 3)
    assert accuracy([], "device").ratio is None
