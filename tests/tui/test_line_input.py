# SPDX-License-Identifier: Apache-2.0
"""Keys reach a line, and what comes after it, in the order of typing."""

from typing import ClassVar

import pytest
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from tests.support.app import ThemedApp
from tui.widgets.filter_bar import LineInput


class _Line(LineInput):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "leave", "Leave")]

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(_Rows))


class _Rows(Widget, can_focus=True):
    """Takes down the keys it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = ""

    def on_key(self, event: events.Key) -> None:
        self.keys += event.key


class _App(ThemedApp):
    def compose(self) -> ComposeResult:
        yield _Line()
        yield _Rows()


@pytest.mark.parametrize(
    ("keys", "line", "rows"),
    [
        (["a", "b", "enter", "c", "d"], "ab", "cd"),
        (["a", "b", "backspace", "c", "left", "x", "end", "y", "enter"], "axcy", ""),
        (["enter", "a", "enter"], "", "aenter"),
        (["a", "ctrl+u", "b"], "b", ""),
    ],
)
async def test_a_burst_of_keys(keys: list[str], line: str, rows: str) -> None:
    app = _App()
    async with app.run_test() as pilot:
        app.screen.set_focus(app.query_one(_Line))
        for key in keys:
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        for _ in range(5):
            await pilot.pause()
        assert (app.query_one(_Line).value, app.query_one(_Rows).keys) == (line, rows)
