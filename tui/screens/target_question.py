# SPDX-License-Identifier: Apache-2.0
"""The question before an action on several tests, or on some that cannot be seen: what exactly it acts on."""

from collections.abc import Callable, Mapping

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label

from core.base.text import printable
from core.matrix.view import Targets
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Dialog, DialogKey


class TargetQuestion(Dialog[Targets]):
    """Dismissed with all of the targets, or with the visible ones."""

    KEYS = (DialogKey("y", "all", "all"), DialogKey("v", "visible", "only the visible"))

    def __init__(self, verb: str, targets: Targets) -> None:
        super().__init__()
        self._verb = verb
        self._targets = targets

    def compose(self) -> ComposeResult:
        targets = self._targets
        title, listing = f"{self._verb} {targets.name}?", printable(targets.listing)
        with self.box(title, listing):
            yield Label(Text(title), id="dialog-title")
            yield Label(Text(listing))
            yield self.hint_label()

    def hints(self) -> Mapping[str, str]:
        targets = self._targets
        visible = len(targets.visible.ids) if targets.hidden else 0
        return {
            "y": f"{self._verb.lower()} {'all ' if visible else ''}{len(targets.ids):,}",
            "v": f"only the {visible:,} visible" if visible else "",
        }

    def action_all(self) -> None:
        self.dismiss(self._targets)

    def action_visible(self) -> None:
        self.dismiss(self._targets.visible)


def act_on(
    screen: SessionScreen, verb: str, targets: Targets, act: Callable[[Targets], None], *, names: bool = False
) -> None:
    """Do `act` to `targets`, once a person knows what they are; on nothing, say so.

    `names`: the action has a form that names them before anything happens. What is hidden is asked about all the same.
    """
    if not targets.ids:
        screen.context.notify.info(f"Nothing to {verb.lower()}: no test is marked or under the cursor.")
    elif targets.hidden or not (names or targets.plain):
        screen.app.push_screen(TargetQuestion(verb, targets), lambda chosen: act(chosen) if chosen else None)
    else:
        act(targets)
