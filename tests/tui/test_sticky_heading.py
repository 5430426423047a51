# SPDX-License-Identifier: Apache-2.0
"""The heading of the group of the first visible row stays on top; keys and the mouse mean what one sees."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st
from textual.app import ComposeResult

from tests.support.app import ThemedApp
from tui.view_models import Cell, RowGroup, Rows, TableColumn
from tui.widgets import GroupTable

_HEIGHT = 9
_first, _second = (f"▾ group {at}              30   50% of all" for at in range(2))
_KEYS = ("j", "k", "pagedown", "pageup", "ctrl+d", "ctrl+u", "g", "G")


def _groups(sizes: Sequence[int]) -> list[RowGroup]:
    ends = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
    return [
        RowGroup(f"g{at}", (Cell(f"group {at}"),), range(ends[at], ends[at + 1]))
        for at, size in enumerate(sizes)
        if size
    ]


class Grouped(ThemedApp):
    """Nothing but a table in groups."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = sizes
        self.table = GroupTable(Rows((), (), lambda _: (), key=str))

    def compose(self) -> ComposeResult:
        yield self.table

    def on_mount(self) -> None:
        names = [f"row {at}" for at in range(sum(self.sizes))]
        rows = Rows(names, (TableColumn("name", 10),), lambda name: [[Cell(name)]], key=str)
        self.table.show_groups(rows, _groups(self.sizes))
        self.table.focus()

    @property
    def seen(self) -> list[str]:
        """The lines below the header."""
        return [self.table.render_line(y).text.strip() for y in range(1, self.table.size.height)]


async def test_the_heading_stays_while_its_rows_scroll() -> None:
    app = Grouped((30, 30))
    async with app.run_test(size=(40, _HEIGHT)) as pilot:
        await pilot.press(*["j"] * 12)
        assert app.seen == [_first, *(f"row {at}" for at in range(5, 12))]
        # The scroll bar covers the last cell.
        assert app.table.render_line(1).text.endswith("of all ")
        await pilot.press(*["k"] * 7)
        # The cursor never goes below the heading: it pushes the rows down before.
        assert app.table.cursor_key == "row 4"
        assert app.seen[:2] == [_first, "row 4"]
        await pilot.press("G")
        assert app.seen[0] == _second
        assert app.seen[-1] == "row 59"


async def test_a_click_on_the_heading_goes_to_it_and_one_on_a_row_to_that_row() -> None:
    app = Grouped((30, 30))
    async with app.run_test(size=(40, _HEIGHT)) as pilot:
        await pilot.press(*["j"] * 20)
        words = app.seen[3]
        await pilot.click(GroupTable, offset=(3, 4))
        assert app.table.cursor_key == words
        await pilot.click(GroupTable, offset=(3, 1))
        assert app.table.cursor == 0
        assert app.seen[:2] == [_first, "row 0"]


async def test_pages_show_every_row() -> None:
    app = Grouped((3, 20, 1, 9, 40))
    async with app.run_test(size=(40, _HEIGHT)) as pilot:
        shown = set(app.seen)
        for _ in range(20):
            await pilot.press("pagedown")
            shown.update(app.seen)
        assert {f"row {at}" for at in range(73)} <= shown


async def test_a_place_that_is_gone_back_to_is_not_under_the_heading() -> None:
    app = Grouped((30, 30))
    async with app.run_test(size=(40, _HEIGHT)):
        app.table.go_to("row 40", 0)
        assert app.seen[:2] == [_second, "row 40"]


async def test_without_headings_nothing_stays() -> None:
    app = Grouped((30,))
    async with app.run_test(size=(40, _HEIGHT)) as pilot:
        await pilot.press("G")
        assert app.seen == [f"row {at}" for at in range(22, 30)]


@pytest.mark.parametrize("height", [2, 3, 9])
async def test_the_cursor_is_always_in_sight(height: int) -> None:
    app = Grouped((4, 1, 17, 2, 30))
    async with app.run_test(size=(40, height)) as pilot:

        async def walk(keys: Sequence[str]) -> None:
            await pilot.press(*keys)
            table, top = app.table, app.table.scroll_offset.y
            at = [table.position_at(y, top) for y in range(1, table.size.height)]
            assert table.cursor in at
            heading = table.source.heading_of(top)  # type: ignore[attr-defined]
            if height > 3 and heading is not None:
                assert at[0] == heading
            assert at[1:] == [*range(top + 1, top + len(at))]

        walks = st.lists(st.sampled_from(_KEYS), min_size=1, max_size=8)
        for keys in _examples(walks):
            await walk(keys)


def _examples(walks: st.SearchStrategy[list[str]]) -> list[list[str]]:
    found: list[list[str]] = []

    @settings(max_examples=30, database=None)
    @given(walks)
    def collect(keys: list[str]) -> None:
        found.append(keys)

    collect()
    return found
