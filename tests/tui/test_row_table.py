# SPDX-License-Identifier: Apache-2.0
"""The table: only visible rows are requested, and only the cursor's rows are repainted."""

from collections.abc import Sequence

import pytest
from textual.app import ComposeResult

from tests.support.app import ThemedApp
from tui.view_models import Cell, TableColumn
from tui.widgets import RowTable


class Numbers:
    """Many rows that record which ones were requested."""

    columns: Sequence[TableColumn] = (
        TableColumn("number", 10, elide=True),
        TableColumn("wide only", 9, yields=1),
    )

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked: list[int] = []

    def __len__(self) -> int:
        return self.count

    def key(self, position: int) -> str:
        return f"row {position}"

    def marked(self, position: int) -> bool:
        return position == 2

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        self.asked.append(position)
        if position == 4:
            return ([Cell("a heading that goes on over all of the columns of the table")],)
        return [Cell(f"row {position}")], [Cell("x", "pass"), Cell("y")]


class Bound(RowTable):
    """A table with its keys."""


class TableApp(ThemedApp):
    """Nothing but a table."""

    def __init__(self, source: Numbers) -> None:
        super().__init__()
        self.source = source

    def compose(self) -> ComposeResult:
        yield Bound(self.source)

    @property
    def table(self) -> Bound:
        return self.query_one(Bound)

    def line(self, y: int) -> str:
        return self.table.render_line(y).text


async def test_only_visible_rows_are_made_and_a_few_for_the_widths() -> None:
    source = Numbers(1_000_000)
    app = TableApp(source)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("G")
        assert app.table.cursor == 999_999
        assert app.line(9).startswith(" row 999999")
        assert len(set(source.asked)) <= 2 * 10 + 64


async def test_without_rows_there_are_no_heads_but_the_words_and_with_rows_they_are_back() -> None:
    app = TableApp(Numbers(0))
    async with app.run_test(size=(40, 10)) as pilot:
        app.table.say_when_empty("Nothing is listed.")
        await pilot.click(Bound, offset=(3, 0))
        assert [app.line(y).rstrip() for y in range(3)] == [" Nothing is listed.", "", ""]
        app.table.show(Numbers(1))
        assert [app.line(y).split()[0] for y in range(2)] == ["number", "row"]
        app.table.show(Numbers(0))
        assert app.line(0).rstrip() == " Nothing is listed."


async def test_moving_inside_the_page_makes_two_rows_again() -> None:
    source = Numbers(100)
    app = TableApp(source)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        source.asked.clear()
        await pilot.press("j")
        assert sorted(set(source.asked)) == [0, 1]


async def test_moving_and_paging() -> None:
    app = TableApp(Numbers(100))
    async with app.run_test(size=(40, 11)) as pilot:
        for key, expected in (
            ("j", 1),
            ("k", 0),
            ("k", 0),
            ("pagedown", 10),
            ("ctrl+d", 15),
            ("ctrl+u", 10),
            ("g", 0),
            ("G", 99),
        ):
            await pilot.press(key)
            assert app.table.cursor == expected, key


async def test_narrow_tables_hide_columns_and_elide_the_middle() -> None:
    source = Numbers(5)
    app = TableApp(source)
    async with app.run_test(size=(80, 10)) as pilot:
        assert "wide only" in app.line(0)
        await pilot.resize_terminal(13, 10)
        await pilot.pause()
        assert "wide" not in app.line(0)
        assert app.line(3).startswith("▌row 2")


async def test_the_last_cell_of_a_row_has_the_room_of_all_columns_behind_it() -> None:
    app = TableApp(Numbers(5))
    async with app.run_test(size=(80, 10)):
        assert app.line(5).rstrip() == " a heading that goes on over all of the columns of the table"
        assert app.line(4).rstrip().endswith(" xy")


async def test_showing_other_rows_keeps_the_cursor_on_its_key() -> None:
    app = TableApp(Numbers(100))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("pagedown")
        app.table.show(Numbers(50), keep="row 20")
        assert app.table.cursor_key == "row 20"
        app.table.show(Numbers(3), keep="row 20")
        assert app.table.cursor_key == "row 2"
        app.table.show(Numbers(0))
        await pilot.press("j", "G", "pagedown")
        assert [app.table.cursor, app.table.cursor_key] == [0, None]


async def test_a_resize_storm_leaves_a_whole_screen() -> None:
    app = TableApp(Numbers(100))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("G")
        for width, height in ((20, 5), (200, 60), (1, 2), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        assert app.line(23).startswith(" row 99")
        assert app.table.cursor == 99


async def test_an_empty_table_says_why_in_whole_words() -> None:
    app = TableApp(Numbers(0))
    async with app.run_test(size=(30, 6)) as pilot:
        app.table.say_when_empty("Nothing is pending: E in the matrix edits entries.")
        await pilot.pause()
        said = [strip.text.strip() for strip in app.table.render_lines(app.table.size.region)]
        assert said[:3] == ["Nothing is pending: E in", "the matrix edits entries.", ""]
        app.table.show(Numbers(1))
        await pilot.pause()
        rows = [strip.text.strip() for strip in app.table.render_lines(app.table.size.region)]
        assert rows[1].startswith("row 0") and rows[2] == ""


async def test_a_blank_before_a_row_has_the_colours_of_the_row() -> None:
    app = TableApp(Numbers(10))
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        table = app.query_one(RowTable)
        for y in (1, 2):
            first = next(iter(table.render_line(y)))
            assert first.text.startswith(" row "), "where the cursor is and where it is not"
        assert next(iter(table.render_line(3))).text == "▌"


@pytest.mark.parametrize("theme", ["terminal", "mono"])
async def test_where_the_cursor_swaps_colours_its_row_is_one_piece(theme: str) -> None:
    app = TableApp(Numbers(5))
    async with app.run_test(size=(60, 8)) as pilot:
        app.theme = theme
        await pilot.pause()
        styles = {segment.style for segment in app.table.render_line(1)}
        assert [style.reverse for style in styles if style is not None] == [True]
        # The row below keeps the colours of its words.
        assert not any(segment.style.reverse for segment in app.table.render_line(2) if segment.style)
        assert theme == "mono" or len({segment.style for segment in app.table.render_line(2)}) > 1


async def test_wide_text_has_its_room_before_other_text_of_its_column() -> None:
    class Wide(Numbers):
        columns = (TableColumn("number", 16),)

        def cells(self, position: int) -> Sequence[Sequence[Cell]]:
            return ([Cell("宽字符", "pass"), Cell(" behind it")],)

    app = TableApp(Wide(3))
    async with app.run_test(size=(18, 5)):
        assert app.line(1).strip() == "宽字符 behind it"
