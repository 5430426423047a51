# SPDX-License-Identifier: Apache-2.0
"""A pane of text: wrapped, scrolled, and replaced without a new layout."""

import pytest
from rich.text import Text
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from tests.support.app import ThemedApp, screen_text
from tui.widgets import TextPane


class _App(ThemedApp):
    CSS = "TextPane { height: 5; width: 20; }"

    def compose(self) -> ComposeResult:
        yield Static("above")
        yield TextPane(id="pane")

    @property
    def pane(self) -> TextPane:
        return self.query_one(TextPane)


async def test_text_is_wrapped_and_what_follows_starts_at_the_top() -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        app.pane.show(Text("a word " * 8 + "[not markup]\n" + "\n".join(map(str, range(30)))))
        await pilot.pause()
        assert "a word a word a" in screen_text(app)
        assert app.pane.max_scroll_y > 20
        app.pane.scroll_to(y=99, animate=False)
        await pilot.pause()
        assert "29" in screen_text(app)
        app.pane.show(Text("other"))
        await pilot.pause()
        assert "other" in screen_text(app)
        assert "29" not in screen_text(app)
        assert app.pane.text == "other"


async def test_what_is_shown_before_it_has_a_size_is_wrapped_once_it_has_one() -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        pane = TextPane()
        pane.show(Text("planning the runs"))
        assert (pane.text, pane.virtual_size.height) == ("planning the runs", 0)
        await app.mount(pane)
        await pilot.pause()
        assert "planning the runs" in screen_text(app)


async def test_another_text_costs_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        layouts: list[object] = []
        real = Screen._refresh_layout
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *args, **rest: layouts.append(real(*args, **rest)))
        app.pane.show(Text("line\n" * 50))
        await pilot.pause()
        assert "line" in screen_text(app)
        assert layouts == []
        app.pane.styles.width = 10
        await pilot.pause()
        assert layouts, "the way of counting no longer works"


async def test_it_is_wrapped_anew_when_it_becomes_narrower_and_painted_anew_in_other_colours() -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        app.pane.show(Text("one two three four"))
        await pilot.pause()
        before = app.pane.render_lines(app.pane.size.region)[0]
        app.pane.styles.width = 10
        await pilot.pause()
        assert "one two three" not in screen_text(app)
        app.theme = "light"
        await pilot.pause()
        after = app.pane.render_lines(app.pane.size.region)[0]
        assert [segment.style for segment in before] != [segment.style for segment in after]


async def test_nothing_is_lost_behind_the_scroll_bar() -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        app.pane.show(Text("x" * 19 + "z" + " second"))
        await pilot.pause()
        assert "z" in screen_text(app)


async def test_what_goes_on_below_a_line_is_indented_further_than_its_beginning() -> None:
    app = _App()
    async with app.run_test(size=(40, 10)) as pilot:
        app.pane.show(Text("  reason: one two three four\nnot indented, and goes on"))
        await pilot.pause()
        lines = [line.rstrip(" ▁") for line in screen_text(app).split("\n")[1:6]]
        assert lines == ["  reason: one two", "    three four", "not indented, and", "goes on", ""]
