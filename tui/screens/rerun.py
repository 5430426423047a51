# SPDX-License-Identifier: Apache-2.0
"""The question before planned runs are started: how many, how long they take, and which cannot be run."""

from core.errors import TTMatrixError
from core.runs.launch_plan import LaunchPlan
from tui.launch_text import launch_summary
from tui.presentation import counted
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm


def ask_to_start(screen: SessionScreen, plan: LaunchPlan) -> None:
    """Ask on `screen`, and start the runs on a yes; where none can be run, say why."""
    if not plan.specs:
        screen.host.tell(next(iter(plan.refused), TTMatrixError("Nothing is left to run")))
        return
    lines = [launch_summary(plan)]
    if plan.refused:
        lines.append(f"{len(plan.refused):,} cannot be run: {plan.refused[0].title}")
    question = Confirm(f"Start {counted(len(plan.specs), 'device run')}?", "\n".join(lines), verb="start")
    screen.app.push_screen(question, lambda yes: screen.host.start_planned(plan) if yes else None)
