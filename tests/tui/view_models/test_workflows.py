# SPDX-License-Identifier: Apache-2.0
"""tui.view_models.workflows: what a workflow does now is a part of its text while it runs."""

import pytest

from core.workflows import WorkflowItem, WorkflowState
from tui.view_models import workflow_text

LATEST = "running for 5 s, at most 1800 s (cpu_timeout): net: network: connecting to hub.example"


@pytest.mark.parametrize("state", [WorkflowState.WAITS, WorkflowState.RUNS])
def test_what_it_does_now_is_in_its_text(state: WorkflowState) -> None:
    assert LATEST in workflow_text(WorkflowItem("net", state, latest=LATEST)).plain


def test_what_it_did_last_is_gone_at_its_end() -> None:
    assert LATEST not in workflow_text(WorkflowItem("net", WorkflowState.READY, latest=LATEST)).plain
