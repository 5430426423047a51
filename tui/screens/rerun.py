# SPDX-License-Identifier: Apache-2.0
"""The question before planned runs are started: how many, how long they take, and which cannot be run."""

from core.errors import TTMatrixError
from core.evidence.reruns import Reruns
from tui.presentation import counted, seconds_text
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm


def ask_to_start(screen: SessionScreen, planned: Reruns) -> None:
    """Ask on `screen`, and start the runs on a yes; where none can be run, say why."""
    if not planned.specs:
        screen.host.tell(next(iter(planned.refusals), TTMatrixError("Nothing is left to run")))
        return
    lines = [f"About {seconds_text(planned.seconds)}, one after the other." if planned.seconds else ""]
    lines.append(f"Nobody knows how long {planned.unknown:,} of them take." if planned.unknown else "")
    if planned.refusals:
        lines.append(f"{len(planned.refusals):,} cannot be run: {planned.refusals[0].title}")
    question = Confirm(
        f"Start {counted(len(planned.specs), 'device run')}?", "\n".join(filter(None, lines)), verb="start"
    )
    screen.app.push_screen(question, lambda yes: screen.host.start_planned(planned.specs) if yes else None)
