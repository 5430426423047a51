# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.verdict: DRIFT needs runs that agree on a failure other than the entry's."""

import pytest

from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation
from core.evidence.verdicts import Direction
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.verdict import drift
from tests.support.evidence import seen

OOM = "Out of Memory: Not enough space to allocate {} B DRAM buffer across 12 banks"
RUNTIME, TTMLIR = BringupStatus.FAILED_RUNTIME, BringupStatus.FAILED_TTMLIR_COMPILATION


def failed(
    reason: str = "", stage: BringupStatus = BringupStatus.UNKNOWN, ending: Ending = Ending.FAILED
) -> Observation:
    return seen(ending, reason=reason, stage=stage)


def declared(reason: str = "", bringup: BringupStatus | None = None) -> Expected:
    return Expected(Status.KNOWN_FAILURE_XFAIL, reason, bringup)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([failed(OOM.format(5))] * 3, declared()),
        ([failed(OOM.format(5))] * 3, declared(OOM.format(77) + " - https://github.com/tenstorrent/tt-xla/issues/7")),
        ([failed(OOM.format(5))] * 3, declared("RuntimeError: Error code: 13")),
        ([failed("RuntimeError: Error code: 13")] * 3, declared("DRAM OOM")),
        ([failed(OOM.format(5)), failed("TT_FATAL: bad shape")], declared("ModuleNotFoundError: No module named 'x'")),
        ([failed("x y z", RUNTIME), failed("x y z", TTMLIR)], declared("x y z", RUNTIME)),
        ([failed("x y z")] * 3, declared("x y z", RUNTIME)),
        ([failed("CRASHED with signal 6", ending=Ending.CRASHED)], declared("hangs forever")),
        ([failed("", RUNTIME)], declared("", BringupStatus.NOT_STARTED)),
    ],
)
def test_no_drift(rows: list[Observation], expected: Expected) -> None:
    assert drift(rows, expected) is None


def test_another_stage() -> None:
    found = drift([failed("x y z", RUNTIME), failed("x y z")], declared("x y z", TTMLIR))
    assert found is not None
    assert (found.direction, found.why) == (
        Direction.FORWARD,
        "ends in FAILED_RUNTIME, the entry says FAILED_TTMLIR_COMPILATION",
    )


def test_another_reason() -> None:
    found = drift([failed(OOM.format(5), RUNTIME), failed(OOM.format(7), RUNTIME)], declared("Too large", RUNTIME))
    assert found is not None
    assert found.direction is Direction.SAME
    assert found.why == f"fails for another reason: {OOM.format(7)}"
