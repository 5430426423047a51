# SPDX-License-Identifier: Apache-2.0
"""Cached lines are reused until what they show has changed."""

import pytest
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tests.support.app import ThemedApp, until
from tui.textual_private import CachedLines
from tui.widgets import CachedBox, CachedText


class Numbers(CachedLines):
    """Records which lines it paints."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Region] = []
        self.word = "a"

    def paint_lines(self, crop: Region) -> list[Strip]:
        self.asked.append(crop)
        return [Strip.blank(crop.width) for _ in crop.line_range]


class Still(ThemedApp):
    CSS = "Numbers, CachedText { height: 6; } CachedBox { height: auto; layout: horizontal; background: $panel; }"

    def compose(self) -> ComposeResult:
        yield Numbers()
        with CachedBox():
            yield CachedText("first")


async def test_only_what_is_dirty_is_painted_again() -> None:
    app = Still()
    async with app.run_test(size=(20, 20)) as pilot:
        numbers = app.query_one(Numbers)
        whole = numbers.size.region
        numbers.refresh()
        await pilot.pause()
        numbers.asked.clear()
        assert len(numbers.render_lines(whole)) == 6
        assert numbers.asked == []
        numbers.refresh(Region(0, 2, 20, 1), Region(0, 4, 20, 1))
        await pilot.pause()
        assert numbers.asked == [Region(0, 2, 20, 3)]
        numbers.asked.clear()
        part = Region(0, 3, 20, 2)
        assert len(numbers.render_lines(part)) == 2
        assert numbers.asked == [part]


async def test_text_style_and_theme_are_seen_at_once() -> None:
    app = Still()
    async with app.run_test(size=(20, 20)) as pilot:
        text = app.query_one(CachedText)

        def seen() -> tuple[str, object]:
            segment = next(iter(text.render_lines(text.size.region)[0]))
            return segment.text.strip(), segment.style and segment.style.bgcolor

        first = seen()
        text.update("second", layout=False)
        await pilot.pause()
        assert seen() == ("second", first[1])
        text.styles.background = "red"
        await until(pilot, lambda: seen()[1] != first[1], "red")
        text.styles.background = None
        await until(pilot, lambda: seen()[1] == first[1], "as before")
        app.theme = "light"
        await until(pilot, lambda: seen()[1] != first[1], "light")


async def test_a_cached_box_has_the_style_of_the_stock_one() -> None:
    app = Still()
    async with app.run_test(size=(20, 20)):
        assert {"Vertical", "CachedBox"} <= app.query_one(CachedBox)._css_type_names
        assert {"Static", "CachedText"} <= app.query_one(CachedText)._css_type_names


class Framed(ThemedApp):
    CSS = "CachedBox { border: round $primary; padding: 1 2; }"

    def compose(self) -> ComposeResult:
        yield CachedBox()


@pytest.mark.parametrize(
    "crop", [(0, 0, 30, 9), (0, 1, 30, 8), (3, 0, 20, 1), (2, 5, 9, 4), (0, 8, 30, 1), (0, 4, 30, 2)]
)
async def test_a_box_that_paints_a_line_once_looks_as_the_stock_one(crop: tuple[int, int, int, int]) -> None:
    app = Framed()
    async with app.run_test(size=(30, 9)):
        box, region = app.query_one(CachedBox), Region(*crop)
        assert box.outer_size.region.contains_region(region)
        stock = [strip.simplify() for strip in Widget.render_lines(box, region)]
        assert [strip.simplify() for strip in box.paint_lines(region)] == stock
