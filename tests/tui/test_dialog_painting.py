# SPDX-License-Identifier: Apache-2.0
"""A dialog appears within two frames, and shows the current state of what is behind it."""

from typing import Any

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from tests.support.app import ThemedApp, screen_text
from tui.screens.dialogs import Ask, Confirm, Dialog
from tui.terminal.textual_private import ChopsUpdate, LayoutUpdate


class Counting(ThemedApp):
    """Counts the frames of dialogs."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = 0

    def compose(self) -> ComposeResult:
        yield Static("what is behind")

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        self.frames += isinstance(screen, Dialog) and isinstance(renderable, LayoutUpdate | ChopsUpdate)
        super()._display(screen, renderable)


async def test_a_dialog_is_painted_twice_at_most_over_what_is_behind_it() -> None:
    app = Counting()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Confirm("Really?", "It is for good.", verb="do it"))
        await pilot.pause()
        assert 1 <= app.frames <= 2
        assert "It is for good." in screen_text(app)
        svg = app.export_screenshot()
        assert "what" in svg
        app.screen_stack[0].query_one(Static).update("other words")
        await pilot.pause()
        assert "other" in app.export_screenshot()


async def test_a_dialog_over_a_dialog_is_painted_too() -> None:
    app = Counting()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Confirm("Really?", "It is for good.\n\n\n\n\n\nAnd long.", verb="do it"))
        app.push_screen(Ask("Which name?"))
        await pilot.pause()
        assert "Which name?" in screen_text(app)
        assert "Really?" in app.export_screenshot()
        await pilot.press(*"tiny", "escape")
        assert "And long." in screen_text(app)
