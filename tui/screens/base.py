# SPDX-License-Identifier: Apache-2.0
"""What every full screen has: the session, the host, and signals that end with the screen."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import Static

from tui.commands import Where
from tui.host import Host
from tui.session import Session

_NAME_FROM = 100
"""Width from which the title has room for our own name."""
_LEAST_LIST = 4
"""Lines of the shortest list: its header and a few rows."""


class SessionScreen(Screen[None]):
    """A screen over the shared session."""

    PLACES: ClassVar[tuple[Where, ...]] = ()
    """Where a person always is while this screen is in front."""

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__()
        self.session = session
        self.host = host

    def places(self) -> tuple[Where, ...]:
        """Where a person is now: decides which commands help lists."""
        return self.PLACES

    def follow(self, signal: Signal[None], react: Callable[[], None]) -> None:
        """Call `react` whenever `signal` is published, as long as the screen lives."""
        signal.subscribe(self, lambda _: react())

    def fit_list(self, selector: str, rows: int) -> None:
        """Give a list above a pane the height its rows need, within a third of the screen."""
        most = max(_LEAST_LIST, self.size.height * 35 // 100)
        self.query_one(selector).styles.height = max(_LEAST_LIST, min(rows + 1, most))

    def title_line(self, *words: str) -> None:
        """Say where we are: the views with what goes on in them, then what this one has to say."""
        active = sum(record.active for record in self.session.runs)
        views = (
            (Where.OVERVIEW, "0 Overview"),
            (Where.MATRIX, "1 Matrix"),
            (Where.RUNS, f"2 Runs · {active} running" if active else "2 Runs"),
            (Where.TRIAGE, "4 Triage"),
            (Where.REVIEW, f"5 Review · {count} pending" if (count := self.session.open_changes) else "5 Review"),
            (Where.DOCTOR, "6 Doctor"),
        )
        line = Text("ttmatrix" if self.app.size.width >= _NAME_FROM else "", no_wrap=True, overflow="ellipsis")
        for place, name in views:
            line.append("  " if line else "")
            line.append(name, "reverse" if place in self.places() else "dim")
        line.append("   " + "   ".join(filter(None, words)))
        self.query_one("#title", Static).update(line, layout=False)

    def go_back(self) -> None:
        """What escape does: one level back. Never leaves the app."""
        self.host.action_switch("matrix")
