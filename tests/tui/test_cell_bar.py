# SPDX-License-Identifier: Apache-2.0
"""The cheap scroll bar looks and handles the mouse like the stock one."""

import pytest
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.scrollbar import ScrollBar

from tests.support.app import ThemedApp
from tui.widgets.line_base import CellBar

_HEIGHT = 20


class _Bars(ThemedApp):
    CSS = f"ScrollBar {{ width: 1; height: {_HEIGHT}; }}"

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield ScrollBar()
            yield CellBar()


Seen = tuple[str, object, object, object, object]


def _cells(bar: ScrollBar) -> list[Seen]:
    strips = bar.render_lines(bar.size.region)
    assert [strip.cell_length for strip in strips] == [1] * _HEIGHT
    return [_seen(segment) for strip in strips for segment in strip]


def _seen(segment: Segment) -> Seen:
    style = segment.style
    assert style is not None
    # The colour of a blank is visible only if it is reversed.
    colour = style.color if segment.text.strip() or style.reverse else None
    return segment.text, colour, style.bgcolor, style.reverse, style.meta


@pytest.mark.parametrize("no_color", [False, True])
async def test_it_is_the_stock_bar(no_color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = _Bars()
    async with app.run_test(size=(20, 30)) as pilot:
        stock, ours = app.query(ScrollBar)
        for lines, position in ((100, 0), (100, 37), (100, 80), (21_072, 10_011), (25, 2.5), (20, 0), (3, 0), (0, 0)):
            for bar in (stock, ours):
                bar.window_virtual_size, bar.window_size, bar.position = lines, _HEIGHT, position
            await pilot.pause()
            assert _cells(ours) == _cells(stock), (lines, position)
        for bar in (stock, ours):
            bar.window_virtual_size, bar.mouse_over = 100, True
        await pilot.pause()
        assert _cells(ours) == _cells(stock)
