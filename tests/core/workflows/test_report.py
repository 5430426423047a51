# SPDX-License-Identifier: Apache-2.0
"""core.workflows.report: a decision is a word and a sentence; an aborted workflow says why."""

import pytest

from core.workflows import WorkflowReport
from core.workflows.report import Aborted, abort


def test_the_last_decision_counts() -> None:
    report = WorkflowReport()
    report.decide("fixed", "it helps")
    report.decide("wrong-fix-site", "it does not")
    assert (report.decision, report.why) == ("wrong-fix-site", "it does not")


def test_reports_share_nothing() -> None:
    one, other = WorkflowReport(), WorkflowReport()
    one.review.append("x")
    assert other.review == []


@pytest.mark.parametrize("environment", [True, False])
def test_aborting_says_why_and_whose_fault_it_is(environment: bool) -> None:
    with pytest.raises(Aborted, match="no timm") as caught:
        abort("no timm", environment=environment)
    assert caught.value.environment is environment
