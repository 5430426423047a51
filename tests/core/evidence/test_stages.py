# SPDX-License-Identifier: Apache-2.0
"""core.evidence.stages: where a model failed."""

import pytest

from core.evidence.observation import Ending
from core.evidence.stages import stage_of, stage_told
from core.model import BringupStatus
from tests.support.observed import observed


@pytest.mark.parametrize(
    ("reason", "stage"),
    [
        ("TT_FATAL: CB page size 64 should be greater", BringupStatus.FAILED_RUNTIME),
        ("Out of Memory: Not enough space to allocate 1 B L1 buffer", BringupStatus.FAILED_RUNTIME),
        ("error: failed to legalize operation 'ttir.gather'", BringupStatus.FAILED_TTMLIR_COMPILATION),
        ("TypeError: list indices must be integers", BringupStatus.FAILED_FE_COMPILATION),
        ("RuntimeError: something went wrong", BringupStatus.UNKNOWN),
        ("", BringupStatus.UNKNOWN),
    ],
)
def test_a_reason_tells_its_stage(reason: str, stage: BringupStatus) -> None:
    assert stage_told(reason) is stage


def test_what_the_run_recorded_counts_first() -> None:
    recorded = observed(Ending.FAILED, "TypeError: x", stage=BringupStatus.FAILED_RUNTIME)
    assert stage_of(recorded) is BringupStatus.FAILED_RUNTIME
    assert stage_of(observed(Ending.FAILED, "TypeError: x")) is BringupStatus.FAILED_FE_COMPILATION


def test_wrong_numbers_are_a_stage_and_a_crash_says_nothing_of_one() -> None:
    assert stage_of(observed(Ending.INACCURATE, "TypeError: x")) is BringupStatus.INCORRECT_RESULT
    assert stage_of(observed(Ending.CRASHED, "TypeError: x")) is BringupStatus.UNKNOWN
