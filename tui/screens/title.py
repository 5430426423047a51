# SPDX-License-Identifier: Apache-2.0
"""The two lines at the top of every screen: all screens with what goes on in them, and what this one has to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from rich.text import Text

from tui import view_models
from tui.commands import Where, tab_commands
from tui.view_models import Tab
from tui.widgets import CachedText

if TYPE_CHECKING:
    from tui.keymap import Keymap
    from tui.session import Session

_SELDOM = {Where.HOSTS, Where.PLAN, Where.REPORT, Where.DIFF, Where.NIGHTLY}
"""Screens that are on the second line where the first one has no room for all."""


class Said(NamedTuple):
    """What a screen says."""

    words: Sequence[str] = ()
    keyed: Sequence[str] = ()
    """Words that name a key: none of them is cut."""
    hint: str = ""


class Title(CachedText):
    """A click on a screen shows it."""

    def __init__(self, keymap: Keymap) -> None:
        super().__init__("", id="title", markup=False)
        self._keys = {name: keymap.key(command.id) for name, command in tab_commands()}
        self._actions = {self._keys[name]: command.action for name, command in tab_commands()}
        self._shown: object = None
        """What it was last made from: it is asked for with every letter of a query."""

    def show(self, session: Session, current: str, said: Said, width: int) -> None:
        """Show the screens, of which `current` is in front, and what that one says."""
        tabs = self._tabs(session, current)
        shown = tabs, said, width
        if shown == self._shown:
            return
        self._shown = shown
        found = view_models.header(tabs, said.words, (*said.keyed, said.hint), width)
        said_line = Text("   ").join(Text(one, "italic" if one == said.hint else "") for one in found.words)
        below = self._line(found.below, 1)
        said_line.pad_right(width - 2 - said_line.cell_len - below.cell_len)
        self.update(
            self._line(found.above, found.gap).append("\n").append_text(said_line).append_text(below), layout=False
        )

    def _tabs(self, session: Session, current: str) -> list[Tab]:
        pending, cluster = session.open_changes, session.cluster
        going = {
            Where.RUNS.value: view_models.going_words(session.runs) if session.runs else "",
            Where.REVIEW.value: f"{pending:,} pending" if pending else "",
            Where.HOSTS.value: f"hosts: {view_models.hosts_words(cluster)}" if cluster and cluster.hosts else "",
        }
        return [
            Tab(self._keys[name], command.label, going.get(name, ""), name == current, name in _SELDOM)
            for name, command in tab_commands()
        ]

    def _line(self, tabs: Sequence[Tab], gap: int) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        for at, tab in enumerate(tabs):
            line.append(" " * gap if at else "")
            click = Style(meta={"@click": f"app.{self._actions[tab.key]}"})
            line.append(tab.text, "reverse" if tab.current else click)
        return line
