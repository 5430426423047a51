# SPDX-License-Identifier: Apache-2.0
"""Ways to look at the tests, driven by keys: groups, grid, columns, saved views, the way back."""

import re
from pathlib import Path

import pytest

from core.base.settings import paths
from core.matrix import row_kind
from core.matrix.query import Query, select
from core.matrix.view import TABLE_FIELDS, ViewSpec, change_saved, read_saved
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, type_text, until
from tests.support.planted import planted_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens.matrix.columns import Columns
from tui.screens.matrix.saved import Views
from tui.view_models import GridRows
from tui.widgets import MatrixGrid

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
SMALL, WIDE = (80, 24), (160, 50)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _query(app: TTMatrixApp) -> str:
    return str(app.session.view.query)


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_groups_fold_and_say_what_is_in_them(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press("m")
        await type_text(pilot, "family")
        await pilot.press("enter")
        await until(pilot, lambda: "▸ alpha" in screen_text(app), "the groups")
        table = app.matrix_screen.table
        assert len(table.source) == 4
        await pilot.press("l")
        await until(pilot, lambda: "▾ alpha" in screen_text(app), "the open group")
        await pilot.press("j", "j")
        inside = app.matrix_screen.current
        assert inside is not None
        assert inside.startswith("alpha/")
        await pilot.press("h")
        assert len(table.source) == 4
        assert table.heading is not None
        assert table.heading.text == "alpha"
        await pilot.press("plus")
        assert len(table.source) == len(app.session.matrix.ids) + 4
        await pilot.press("underscore", "enter")
        assert len(table.source) > 4


async def test_a_bar_shows_what_is_in_a_group(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=WIDE) as pilot:
        app.matrix_screen.go(ViewSpec(Query.parse("has:entry"), group="family"))
        await until(pilot, lambda: "█ 2" in screen_text(app), "the counts")
        (line,) = [one for one in screen_text(app).splitlines() if "▸ alpha" in one]
        assert "████" in line
        assert "██▓▓▒▒▞▞ " in line


async def test_marking_a_heading_marks_its_tests_and_says_how_many(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        app.matrix_screen.go(ViewSpec(group="family"))
        count = len(app.matrix_screen.chosen())
        await pilot.press("space")
        assert len(app.session.view.marks) == count == len(select(app.session.matrix, Query.parse("loader~^alpha/")))
        await until(pilot, lambda: f"Marked {count} tests." in screen_text(app), "the count")
        await pilot.press("space")
        assert app.session.view.marks == set()


async def test_the_columns_are_those_of_the_row_under_the_cursor(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL) as pilot:
        app.matrix_screen.go(ViewSpec(group="family"))
        await until(pilot, lambda: "by status" in screen_text(app), "the titles of groups")
        await pilot.press("l", "j")
        await until(pilot, lambda: "test id" in screen_text(app), "the titles of tests")
        assert "by status" not in screen_text(app)


async def test_groups_stay_open_and_the_cursor_on_its_test_over_a_reload(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL) as pilot:
        app.matrix_screen.go(ViewSpec(group="family"))
        await pilot.press("l", "j", "j", "j")
        before, matrix = app.matrix_screen.current, app.session.matrix
        await pilot.press("f5")
        await until(pilot, lambda: app.session.matrix is not matrix, "the reload")
        assert before is not None
        assert app.matrix_screen.current == before


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_cell_of_the_grid_leads_to_its_tests(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=size) as pilot:
        await pilot.press("number_sign")
        await until(pilot, lambda: "all · n150" in screen_text(app), "the grid")
        await pilot.press("j", "l")
        grid = app.matrix_screen.grid
        assert isinstance(grid.source, GridRows)
        count = sum(grid.source.grid.at(grid.cursor, grid.column).values())
        assert len(app.matrix_screen.chosen()) == count > 0
        await pilot.press("enter")
        assert _query(app) == "has:entry loader~^alpha/pytorch$ arch:p150"
        assert len(app.session.view.rows) == count
        assert app.matrix_screen.table.has_focus
        await pilot.press("left_square_bracket")
        assert (app.session.view.grid, _query(app)) == ("loaders", "has:entry")


async def test_the_grid_shows_rates_and_follows_the_filter(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("number_sign", "m")
        await type_text(pilot, "variants by arch")
        await pilot.press("enter")
        await until(pilot, lambda: "net-v1.5+aug" in screen_text(app), "the variants")
        (line,) = [one for one in screen_text(app).splitlines() if "net-v1.5+aug" in one]
        assert ("▁  0% 1" in line, "█100% 1" in line) == (True, True)
        await pilot.press("slash")
        await type_text(pilot, " tiny")
        await until(pilot, lambda: "net-v1.5+aug" not in screen_text(app), "the filter")
        await pilot.press("enter")
        assert app.matrix_screen.grid.has_focus


async def test_the_grid_is_sorted_by_a_column_and_two_are_compared(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("number_sign")
        await until(pilot, lambda: "all · n150" in screen_text(app), "the grid")
        assert "entries that PASS: █ all" in screen_text(app)
        grid = app.matrix_screen.grid
        labels = _labels(grid)
        await pilot.press("l", "greater_than_sign")
        await until(pilot, lambda: "▲p150" in screen_text(app), "the order")
        worst = _labels(grid)
        assert (worst[0], sorted(worst)) == ("", sorted(labels))
        await pilot.press("O")
        await until(pilot, lambda: "▼p150" in screen_text(app), "the other order")
        await pilot.press("O", "greater_than_sign")
        await until(pilot, lambda: _labels(grid) == labels, "the first order")
        await pilot.press("c")
        await until(pilot, lambda: "Compare p150 with" in screen_text(app), "the question")
        await type_text(pilot, "n300-llmbox")
        await pilot.press("enter")
        await until(pilot, lambda: "▲change" in screen_text(app), "the difference")
        assert _heads(grid) == ["loader", "p150", "llmbox", "▲change"]
        await pilot.press("c")
        await until(pilot, lambda: "change" not in screen_text(app), "all columns")


def _labels(grid: MatrixGrid) -> list[str]:
    return [grid.source.key(position) for position in range(len(grid.source))]


def _heads(grid: MatrixGrid) -> list[str]:
    return [column.title for column in grid.source.columns]


async def test_an_empty_cell_says_so_and_leads_nowhere(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await pilot.press("number_sign", "m")
        await type_text(pilot, "variants by arch")
        await pilot.press("enter")
        await until(pilot, lambda: "net-v1.5+aug" in screen_text(app), "the variants")
        await pilot.press("j", "l", "l", "enter")
        await until(pilot, lambda: "No test is in this cell." in screen_text(app), "the word")
        assert app.session.view.grid == "variants"
        await pilot.press("space", "r")
        assert (app.session.view.marks, app.session.runs) == (set(), [])


@pytest.mark.slow("a job over several screens")
async def test_columns_are_chosen_ordered_sorted_and_saved(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("C")
        assert isinstance(app.screen, Columns)
        await pilot.press("space")
        await pilot.press("j", "space", "K", "G")
        last = TABLE_FIELDS[-1].name
        await until(pilot, lambda: TABLE_FIELDS[-1].help[:30] in screen_text(app), "the last column")
        await pilot.press("space", "greater_than_sign", "greater_than_sign", *["K"] * len(TABLE_FIELDS), "enter")
        view = app.session.view
        assert view.columns[0] == last
        assert (view.sort_key, view.descending) == (last, True)
        await until(pilot, lambda: "▼" in screen_text(app), "the order")
    assert read_saved(paths().views_file).columns["model"] == view.columns
    again = build_app(checkout)
    assert again.session.view.columns == view.columns != row_kind("model").columns


@pytest.mark.parametrize(
    ("width", "lacking"),
    [
        (80, "4 columns do not fit"),
        (120, "3 columns do not fit"),
        (128, "2 columns do not fit"),
        (140, "1 column does not fit"),
        (179, ""),
    ],
)
async def test_chosen_columns_take_room_from_ids_and_what_does_not_fit_is_said(
    checkout: Checkout, width: int, lacking: str
) -> None:
    chosen = (*row_kind("model").columns, "pcc", "entry", "phase", "mode")
    change_saved(paths().views_file, lambda kept: kept.with_columns("model", chosen))
    app = build_app(checkout)
    async with app.run_test(size=(width, 24)):
        table = app.matrix_screen.table
        total, widths = table.size.width, table.widths(table.size.width)
        missing = [column for column, left in zip(table.source.columns, widths, strict=True) if not left]
        used = 1 + sum(left + 1 for left in widths if left)
        assert all(used - widths[0] + 32 + column.width + 1 > total for column in missing[:1])
        assert widths[0] >= 32
        assert used <= total
        # What was added goes after what was there before.
        added = [left for name, left in zip(chosen, widths, strict=True) if name not in row_kind("model").columns]
        before = dict(zip(chosen, widths, strict=True))
        assert all(added) or not (before["reason"] or before["bringup"])
        assert table.header()[0][0].text == " · ".join(filter(None, ("▲test id", lacking)))


async def test_ids_cannot_be_hidden_and_escape_changes_nothing(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("C", "space", "j", "space", "escape")
        assert app.session.view.columns == row_kind("model").columns
        await pilot.press("C", "space", "enter")
        assert "id" in app.session.view.columns


@pytest.mark.slow("a job over several screens")
async def test_a_view_is_saved_opened_replaced_and_deleted(checkout: Checkout) -> None:
    app = build_app(checkout)
    file = paths().views_file
    async with app.run_test(size=SMALL) as pilot:
        app.matrix_screen.go(ViewSpec(Query.parse("status:xfail"), "p150", sort="reason", group="status"))
        await pilot.press("V", "n")
        await type_text(pilot, "mine")
        await pilot.press("enter")
        assert isinstance(app.screen, Views)
        await pilot.press("escape")
        spec = app.session.view.spec
        assert read_saved(file).views == {"mine": spec}
        app.matrix_screen.go(ViewSpec(Query.parse("tiny")))
        await pilot.press("V", "enter")
        assert app.session.view.spec == spec
        app.matrix_screen.go(ViewSpec(Query.parse("tiny")))
        await pilot.press("V", "n", "enter")
        await until(pilot, lambda: "Replace it?" in screen_text(app), "the question")
        await pilot.press("y")
        assert str(read_saved(file).views["mine"].query) == "tiny"
        await pilot.press("D")
        await until(pilot, lambda: "Delete this view?" in screen_text(app), "the question")
        await pilot.press("D")
        assert "mine" in read_saved(file).views
        await pilot.press("y")
        assert read_saved(file).views == {}


async def test_a_view_that_comes_with_it_opens_and_cannot_be_deleted(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await pilot.press("V", "D")
        await until(pilot, lambda: "comes with ttmatrix" in screen_text(app), "the word")
        await pilot.press("enter")
        assert _query(app) == "has:entry"


async def test_a_name_that_cannot_be_is_reported(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await pilot.press("V", "n")
        await type_text(pilot, "mixed")
        await pilot.press("enter")
        await until(pilot, lambda: "comes with ttmatrix" in screen_text(app), "the reason")
        await pilot.press("escape")
        assert read_saved(paths().views_file).views == {}


async def test_a_view_of_another_checkout_is_reported_and_changes_nothing(checkout: Checkout) -> None:
    app = build_app(checkout)
    change_saved(paths().views_file, lambda kept: kept.with_view("a", ViewSpec(arch="n9")))
    app.session.save(lambda kept: kept)
    async with app.run_test(size=SMALL) as pilot:
        before = app.session.view.spec
        await pilot.press("V", "enter")
        await until(pilot, lambda: "There is no arch 'n9'" in screen_text(app), "the reason")
        await pilot.press("escape")
        assert app.session.view.spec == before


async def test_back_forth_and_the_last_view(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        for text in ("tiny", "net"):
            await pilot.press("escape", "slash")
            await type_text(pilot, text)
            await pilot.press("enter")
        await pilot.press("left_square_bracket")
        assert _query(app) == "tiny"
        assert "tiny" in screen_text(app).splitlines()[2]
        await pilot.press("right_square_bracket")
        assert _query(app) == "net"
        await pilot.press("minus")
        assert _query(app) == "tiny"
        await pilot.press("minus")
        assert _query(app) == "net"
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "There is no next view." in screen_text(app), "the end")


async def test_a_range_is_shown_marked_and_left(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await pilot.press("v", "j", "j")
        await until(pilot, lambda: screen_text(app).count("│") == 3, "the range")
        await pilot.press("escape")
        assert app.session.view.marks == set()
        await pilot.press("v", "k", "v")
        assert app.session.view.marks == {ORG, TINY}
        await until(pilot, lambda: "Marked 2 tests." in screen_text(app), "the count")


async def test_a_range_over_groups_has_all_their_tests(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        app.matrix_screen.go(app.session.view.spec._replace(group="status"))
        await pilot.press("g", "v", "G", "v")
        assert app.session.view.marks == {app.session.matrix.ids[row] for row in app.session.view.rows} != set()


async def test_a_range_needs_tests(checkout: Checkout) -> None:
    app = build_app(checkout, query="zzzqqq")
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await pilot.press("v", "v")
        await until(pilot, lambda: "Nothing to mark" in screen_text(app), "why not")
        assert app.matrix_screen.table.range_start is None


async def test_the_detail_ends_a_zoom_and_has_its_text(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("z", "d")
        await until(pilot, lambda: "status: " in screen_text(app), "the entry")
        assert app.matrix_screen.panes.zoomed == ""
        await pilot.press("enter")
        assert app.matrix_screen.panes.zoomed == "detail"
        await pilot.press("d")
        assert (app.matrix_screen.panes.zoomed, app.matrix_screen.detail.display) == ("", True)


async def test_order_is_turned(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("O")
        assert shown_ids(app)[:3] == [TINY, ORG, NET]
        await until(pilot, lambda: "sorted by id ↓" in screen_text(app), "the title")


async def test_running_a_whole_group_asks_first(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=SMALL) as pilot:
        app.matrix_screen.go(ViewSpec(group="family"))
        await pilot.press("r")
        await until(pilot, lambda: "Run 19 tests" in screen_text(app), "the question")
        await pilot.press("escape")
        assert app.session.runs == []


async def test_a_grid_of_nothing_says_why(checkout: Checkout) -> None:
    app = build_app(checkout, query="alpha")
    why = "No test matches the filter: / changes it, esc clears it."
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("number_sign")
        await until(pilot, lambda: "loader" in screen_text(app), "the grid")
        assert why not in screen_text(app)
        await pilot.press("slash", "ctrl+u")
        await type_text(pilot, "zzzz")
        await pilot.press("enter")
        await until(pilot, lambda: why in screen_text(app), "the reason")
        assert screen_text(app).count(why) == 1
        await pilot.press("j", "k", "right", "d", "escape", "escape")
        await until(pilot, lambda: why not in screen_text(app), "all tests")


async def test_strips_and_numbers_of_several_rows_end_at_the_same_cell(tmp_path: Path) -> None:
    checkout, _ = planted_checkout(tmp_path, 20)
    chosen = ("id", "evidence", "pcc_course")
    change_saved(paths().views_file, lambda kept: kept.with_columns("model", chosen))
    app = build_app(checkout, query="has:entry arch:n150 arch:p150")
    async with app.run_test(size=(220, 40)) as pilot:
        await until(pilot, lambda: re.search("n150 [▁▂▃▄▅▆▇█]{12} [.]99", screen_text(app)) is not None, "the numbers")
        lines = [line for line in screen_text(app).splitlines() if re.search("pytorch.* n150 +[Px~]+ ", line)]
        assert len(lines) > 10
        ends = {re.search("n150 +[Px~]+", line).end() for line in lines}  # type: ignore[union-attr]
        assert len(ends) == 1
