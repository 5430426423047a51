# SPDX-License-Identifier: Apache-2.0
"""Observations, judgements and reports for tests, where only relevant fields must be given."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.domain.model import BringupStatus, Function, Status
from core.evidence import Ending, Observation, Origin
from core.evidence.reports import JUnitReport
from core.evidence.verdicts import Judgement, Verdict

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
    """An observation; fields default to those of a plain pass on n150."""
    stage = fields.pop("stage", _STAGES.get(ending, BringupStatus.UNKNOWN))
    return replace(_PASSED, ending=ending, stage=stage, **fields)


def report(*observations: Observation, digest: str = "d", run: str = "nightly", **fields: Any) -> JUnitReport:
    """A report with `observations`."""
    plain = JUnitReport(digest, f"/{run}/{digest}.xml", run, 0, False, False, observations, Counter())
    return replace(plain, **fields)


def observed(ending: Ending = Ending.PASSED, reason: str = "", **fields: Any) -> Observation:
    """An observation; fields default to those of a nightly that does not say what the entry expected, nor the stage."""
    plain = {"expected": Status.UNSPECIFIED, "stage": BringupStatus.UNKNOWN, "when": 1_700_000_000.0}
    return seen(ending, reason=reason, **(plain | {"run": "nightly-1", "host": "host-a"} | fields))


def judged(verdict: Verdict, rows: Sequence[Observation] = (), **fields: object) -> Judgement:
    """A judgement on the cell of `rows`, by default a cell with three passes."""
    rows = tuple(rows) or tuple(observed(run=f"nightly-{number}") for number in (1, 2, 3))
    plain = Judgement(rows[0].test_id, rows[0].arch, verdict, f"{verdict} it is", rows)
    return replace(plain, **fields)  # type: ignore[arg-type]
