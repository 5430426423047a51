# SPDX-License-Identifier: Apache-2.0
"""Observations and reports for tests."""

from collections import Counter
from dataclasses import replace
from typing import Any

from core.evidence.observation import Ending, Observation, Origin
from core.evidence.reading import Report
from core.model import BringupStatus, Function, Status

TEST_ID = "alpha/pytorch-tiny-single_device-inference"
_PASSED = Observation(
    test_id=TEST_ID,
    function=Function.TORCH,
    arch="n150",
    origin=Origin.CI,
    run="nightly",
    when=0.0,
    host="f10",
    ending=Ending.PASSED,
    expected=Status.EXPECTED_PASSING,
    forced=False,
    stage=BringupStatus.PASSED,
    reason="",
    seconds=1.0,
)
_STAGES = {Ending.PASSED: BringupStatus.PASSED, Ending.INACCURATE: BringupStatus.INCORRECT_RESULT}


def seen(ending: Ending = Ending.PASSED, **fields: Any) -> Observation:
    """An observation; what is not said is that of a plain pass on n150."""
    stage = fields.pop("stage", _STAGES.get(ending, BringupStatus.UNKNOWN))
    return replace(_PASSED, ending=ending, stage=stage, **fields)


def report(*observations: Observation, digest: str = "d", run: str = "nightly", **fields: Any) -> Report:
    """A report that holds `observations`."""
    plain = Report(digest, f"/{run}/{digest}.xml", run, 0, False, False, observations, Counter())
    return replace(plain, **fields)
