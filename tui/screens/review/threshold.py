# SPDX-License-Identifier: Apache-2.0
"""A threshold is typed over the one that a change sets."""

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App

from core.edits import retyped, sets_threshold, threshold_of
from core.edits.pending import Change
from tui.protocol import Context
from tui.screens.dialogs import Ask


def ask_for_threshold(app: App[Any], context: Context, change: Change | None, take: Callable[[str], None]) -> None:
    """Ask for the threshold of a change, and give it to `take`; say so where the change sets none."""
    if change is None or not sets_threshold(change.ops):
        context.notify.info("No threshold is set here." if change else "This is a group: unfold it, then choose one.")
        return
    present = threshold_of(change.ops)
    question = Ask(
        "Which threshold?",
        "A PCC, such as 0.975, on all archs for which the change sets one.",
        value="0.99" if present is None else f"{present:g}",
        verb="set",
        check=partial(retyped, change.ops),
    )

    def answered(text: str | None) -> None:
        if text:
            take(text)

    app.push_screen(question, answered)
