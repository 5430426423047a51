# SPDX-License-Identifier: Apache-2.0
"""The two lines at the top of every screen, and the one for messages above its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events

from tui import view_models
from tui.commands import tab_commands
from tui.view_models import Cell, Identity, Tab
from tui.widgets import CellLines

if TYPE_CHECKING:
    from tui.keymap import Keymap
    from tui.session import Session


class Title(CellLines):
    """Which checkout this is and what goes on, and below it all screens; a click on a screen shows it."""

    DEFAULT_CSS = "Title { height: 2; background: $panel; }"

    def __init__(self, keymap: Keymap) -> None:
        super().__init__(id="title")
        self._keys = {name: keymap.key(command.id) for name, command in tab_commands()}
        self._actions = {self._keys[name]: command.action for name, command in tab_commands()}
        self._ends: list[tuple[int, str]] = []
        """Behind which cell each tab ends, with its key."""
        self._shown: object = None
        """The input of the last result: it is asked for with every letter of a query."""

    def show_session(self, session: Session, current: str, width: int) -> None:
        """Show what goes on, and the screens, of which `current` is in front."""
        shown = identity_of(session), current, width
        if shown == self._shown:
            return
        self._shown = shown
        tabs = [Tab(self._keys[name], command.label, name == current) for name, command in tab_commands()]
        self.show([view_models.identity_bar(shown[0], width - 2), self._line(tabs, width - 2)])

    def _line(self, tabs: Sequence[Tab], width: int) -> list[Cell]:
        fitted, gap = view_models.tab_line(tabs, width)
        cells: list[Cell] = []
        self._ends, end = [], 1
        for at, tab in enumerate(fitted):
            cells += [Cell(" " * gap)] if at else []
            if tab.current:
                cells.append(Cell(tab.text, "tab"))
            else:
                cells += [Cell(tab.key, "tab-key"), Cell(tab.text.removeprefix(tab.key), "dim")]
            end += len(tab.text) + (gap if at else 0)
            self._ends.append((end, tab.key))
        return cells

    async def on_click(self, event: events.Click) -> None:
        key = next((key for end, key in self._ends if event.x < end), "") if event.y == 1 else ""
        if key:
            await self.app.run_action(self._actions[key])


def identity_of(session: Session) -> Identity:
    """What the bar says of a session."""
    pending, cluster = session.open_changes, session.cluster
    return Identity(
        checkout=session.checkout.root.name,
        branch=session.branch,
        other_models=session.other_models is not None,
        arch=session.view.lens,
        results=session.freshness,
        going=session.going,
        pending=f"{pending:,} pending" if pending else "",
        hosts=view_models.hosts_words(cluster) if cluster else "",
        few_hosts=view_models.hosts_words(cluster, short=True) if cluster else "",
        lease=session.lease_text,
        read_only=session.read_only,
    )


class MessageLine(CellLines):
    """One line for all that is said: messages that name a key and hints; at rest, what a screen says about itself."""

    def __init__(self) -> None:
        super().__init__(id="messages")
        self._keyed: Sequence[str] = ()
        self._hint = ""
        self._resting: Sequence[Sequence[Cell]] = ()

    def say(self, keyed: Sequence[str], hint: str) -> None:
        """Show messages that name a key, and a hint."""
        self._keyed, self._hint = keyed, hint
        self._show()

    def rest(self, *parts: Sequence[Cell]) -> None:
        """Show this where there is no message, the later parts where they have room beside the first one."""
        self._resting = parts
        self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        if self.size.width:
            self.show([view_models.message_line(self._keyed, self._hint, self._resting, self.size.width - 2)])
