# SPDX-License-Identifier: Apache-2.0
"""The lean scroll bar looks exactly like the stock one, wherever it stands."""

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

from tui.widgets.lean_scroll_bar import LeanScrollBar
from tui.widgets.lines_view import LinesView, TextLines


@pytest.mark.parametrize("place", [0, 1, 37, 5000, 9976])
async def test_it_looks_like_the_stock_bar(place: int) -> None:
    class Views(App[None]):
        def compose(self) -> ComposeResult:
            yield LinesView(lambda _: "")

    app = Views()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LinesView)
        view.show(TextLines([""] * 10_000))
        view.scroll_to(y=place, animate=False, force=True)
        await pilot.pause()
        bar = view.vertical_scrollbar
        assert isinstance(bar, LeanScrollBar)
        whole = Region(0, 0, *bar.size)
        stock = ScrollBar.render_lines(bar, whole)
        lean = bar.render_lines(whole)
        assert [strip.text for strip in lean] == [strip.text for strip in stock]
        assert [_colours(strip) for strip in lean] == [_colours(strip) for strip in stock]
        assert [strip.text for strip in bar.render_lines(Region(0, 5, 1, 3))] == [strip.text for strip in stock[5:8]]
    assert issubclass(LinesView, ScrollView)


def _colours(strip: object) -> list[tuple[object, object]]:
    return [(one.style.color, one.style.bgcolor) for one in strip]  # type: ignore[attr-defined]
