# SPDX-License-Identifier: Apache-2.0
"""A dialog appears within two frames, and shows the current state of what is behind it."""

from typing import Any

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from tests.support.app import ThemedApp, screen_text, until
from tui.screens import Ask, Confirm, Dialog
from tui.textual_private import ChopsUpdate, LayoutUpdate, SteadyScreen


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
        # What is behind has a clock of its own.
        await until(pilot, lambda: "other" in app.export_screenshot(), "the other words")


class Steady(SteadyScreen[None]):
    """Counts how often it is laid out."""

    layouts = 0

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self.layouts += 1
        super()._refresh_layout(size, scroll)

    def compose(self) -> ComposeResult:
        yield Static("what is behind")


async def test_what_is_behind_a_dialog_is_not_laid_out_for_it() -> None:
    app = Counting()
    async with app.run_test(size=(80, 24)) as pilot:
        behind = Steady()
        await app.push_screen(behind)
        await pilot.pause()
        behind.layouts = 0
        app.push_screen(Ask("Which name?"))
        await pilot.pause()
        assert "Which name?" in screen_text(app)
        assert behind.layouts == 0
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert behind.layouts > 0
        assert app.screen.size == behind.size == Size(60, 20)
        assert "Which name?" in screen_text(app)


async def test_a_dialog_that_is_laid_out_before_it_is_painted_is_painted_once() -> None:
    app = Counting()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Confirm("Really?", "It is for good.", verb="do it"))
        await pilot.pause()
        # As before its first frame: all of it is to be painted, and something in it wants another size.
        app.screen._compositor._dirty_regions.add(app.screen.size.region)
        app.screen.refresh(layout=True)
        app.frames = 0
        app.screen._on_timer_update()
        assert app.frames == 1
        assert "It is for good." in screen_text(app)


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
