# SPDX-License-Identifier: Apache-2.0
"""The table of cells: the cursor goes both ways, and columns that do not fit scroll."""

from collections.abc import Sequence

from hypothesis import given, strategies as st
from textual.app import ComposeResult

from tests.support.app import ThemedApp
from tui.view_models import Cell, TableColumn
from tui.widgets import CellTable


class Square:
    """Many rows of many cells that record which ones were requested."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns: Sequence[TableColumn] = (
            TableColumn("names", 10, share=1, elide=True),
            *(TableColumn(f"column {number}", 5, elide=True) for number in range(columns)),
        )
        self.asked: set[int] = set()

    def __len__(self) -> int:
        return self.rows

    def key(self, position: int) -> str:
        return f"row {position}"

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        self.asked.add(position)
        return [[Cell(f"row {position}")], *([Cell(f"{position}.{at}")] for at in range(len(self.columns) - 1))]


class CellApp(ThemedApp):
    """Nothing but a table of cells."""

    def __init__(self, source: Square | None) -> None:
        super().__init__()
        self.source = source
        self.left: list[int] = []

    def compose(self) -> ComposeResult:
        yield CellTable(self.source)

    def on_cell_table_left(self, event: CellTable.Left) -> None:
        self.left.append(event.steps)

    @property
    def table(self) -> CellTable:
        return self.query_one(CellTable)

    def line(self, y: int) -> str:
        return self.table.render_line(y).text


async def test_the_cursor_goes_both_ways_and_says_when_it_leaves() -> None:
    app = CellApp(Square(5, 3))
    async with app.run_test(size=(80, 10)) as pilot:
        await pilot.press("l", "j", "right")
        assert (app.table.cursor, app.table.column) == (1, 2)
        await pilot.press("l", "h", "left", "left")
        assert (app.table.column, app.left) == (0, [1, -1])


async def test_columns_scroll_to_the_cursor_and_names_stay() -> None:
    app = CellApp(Square(5, 20))
    async with app.run_test(size=(40, 10)) as pilot:
        assert app.line(1).startswith(" row 0")
        assert "0.0" in app.line(1)
        await pilot.press(*["l"] * 19)
        assert app.line(1).startswith(" row 0")
        assert "0.19" in app.line(1)
        assert "0.0 " not in app.line(1)
        await pilot.press(*["h"] * 19)
        assert "0.0" in app.line(1)


async def test_heads_lose_their_middle_before_columns_lose_their_place() -> None:
    app = CellApp(Square(2, 4))
    async with app.run_test(size=(37, 10)) as pilot:
        assert app.line(0).count("…") == 4
        assert "co… 3" in app.line(0)
        await pilot.resize_terminal(80, 10)
        await pilot.pause()
        assert "column 3" in app.line(0)


async def test_only_what_is_seen_is_made() -> None:
    source = Square(1_000_000, 8)
    app = CellApp(source)
    async with app.run_test(size=(80, 10)) as pilot:
        await pilot.press("G", "l", "k")
        assert app.table.cursor == 999_998
        assert len(source.asked) <= 2 * 10


async def test_an_empty_table_takes_every_key() -> None:
    app = CellApp(None)
    async with app.run_test(size=(20, 5)) as pilot:
        await pilot.press("l", "h", "j", "G", "pagedown")
        assert (app.table.cursor, app.table.column, app.table.cursor_key) == (0, 0, None)
        app.table.show(Square(3, 3), keep="row 2")
        assert app.table.cursor_key == "row 2"


async def test_a_resize_storm_leaves_a_whole_table() -> None:
    app = CellApp(Square(50, 12))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["l"] * 11)
        for width, height in ((12, 4), (200, 50), (1, 2), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        assert app.table.column == 11
        assert "0.11" in app.line(1)


async def test_arrows_say_which_way_more_columns_are() -> None:
    app = CellApp(Square(30, 12))
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        shown = [width for width in app.table.widths(60) if width]
        assert len(shown) < 13
        for total in range(30, 140):
            used = 1 + sum(width + 1 for width in app.table.widths(total) if width)
            assert used <= total, "nothing is below the scroll bar but a blank"
        assert app.line(0).rstrip().endswith("›") and "‹" not in app.line(0)
        await pilot.press(*["right"] * 11)
        assert "names ‹" in app.line(0) and "›" not in app.line(0)
        assert "co…11" in app.line(0)


@given(st.integers(1, 12), st.integers(4, 12), st.integers(0, 40), st.integers(30, 200))
def test_no_name_is_cut_while_cells_are_free(columns: int, cell: int, more: int, total: int) -> None:
    source = Square(3, 0)
    cells = (TableColumn(f"c{number}", cell, elide=True) for number in range(columns))
    source.columns = (TableColumn("names", 10, most=10 + more, elide=True), *cells)
    names, *widths = CellTable(source).widths(total)
    free = total - 2 - names - sum(width + 1 for width in widths if width)
    shown = sum(map(bool, widths))
    assert widths == [cell] * shown + [0] * (columns - shown) and free >= 0
    assert names == 10 + more or free == 0
    # A column goes only where it has no room beside the least that the names keep.
    assert shown == columns or 10 + (shown + 1) * (cell + 1) >= total - 2 - 1
