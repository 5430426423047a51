# SPDX-License-Identifier: Apache-2.0
"""The bar of few cells looks exactly like the stock one, wherever it stands."""

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from tui.widgets.cell_bar import CellBar
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
        assert isinstance(bar, CellBar)
        whole = Region(0, 0, *bar.size)
        stock = ScrollBar.render_lines(bar, whole)
        cells = bar.render_lines(whole)
        assert [strip.text for strip in cells] == [strip.text for strip in stock]
        assert [_seen(strip) for strip in cells] == [_seen(strip) for strip in stock]
        assert [strip.text for strip in bar.render_lines(Region(0, 5, 1, 3))] == [strip.text for strip in stock[5:8]]


def _seen(strip: Strip) -> list[tuple[object, ...]]:
    """The colours that a person sees: a blank has one only."""
    seen: list[tuple[object, ...]] = []
    for text, style, _ in strip:
        assert style is not None
        colours = (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)
        seen.append((text, colours[1] if text.isspace() else colours, style.meta))
    return seen
