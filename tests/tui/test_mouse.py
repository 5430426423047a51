# SPDX-License-Identifier: Apache-2.0
"""The mouse: tabs, facets, rows, the heads of columns, and the dividers between panes."""

from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from tests.support.app import build_app, screen_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen
from tui.widgets import FacetPanel


@pytest.fixture
def app(tmp_path: Path) -> TTMatrixApp:
    return build_app(sample(tmp_path), query="has:entry")


def _column(app: TTMatrixApp, line: int, words: str) -> int:
    return screen_text(app).splitlines()[line].index(words)


async def test_tabs_rows_and_the_second_click(app: TTMatrixApp) -> None:
    async with app.run_test(size=(160, 30)) as pilot:
        table = app.matrix_screen.table
        await pilot.click("#table", offset=(5, 3))
        assert table.cursor == 2
        await pilot.click("#table", offset=(5, 2), times=2)
        await until(pilot, lambda: app.matrix_screen.panes.zoomed == "detail", "the detail")
        await pilot.press("escape")
        await pilot.click(offset=(_column(app, 1, "6 Doctor") + 1, 1))
        await until(pilot, lambda: app.screen is app.navigation.screen(DoctorScreen), "the tab")


async def test_the_head_of_a_column_sorts_and_turns(app: TTMatrixApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        view, table = app.session.view, app.matrix_screen.table
        at = _column(app, table.region.y, "status") - table.region.x
        await pilot.click("#table", offset=(at, 0))
        assert (view.sort_key, view.descending) == ("status", False)
        await pilot.click("#table", offset=(at, 0))
        assert (view.sort_key, view.descending) == ("status", True)
        await pilot.press("number_sign")
        grid = app.matrix_screen.grid
        await until(pilot, lambda: bool(grid.size) and len(grid.source.columns) > 2, "the grid")
        at = _column(app, grid.region.y, "p150") - grid.region.x
        await pilot.click("#grid", offset=(at, 0))
        await until(pilot, lambda: view.heat.by == ("p150",), "the rows by the rate of p150")


async def test_a_facet_is_added_by_a_click_and_taken_away_by_another(app: TTMatrixApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: any(one.source and one.size for one in app.screen.query(FacetPanel)), "the facets")
        panel = app.screen.query_one(FacetPanel)
        row = next(at for at in range(len(panel.source)) if panel.source.key(at) == "mode:training")
        at = (5, row + 1 - panel.scroll_offset.y)
        await pilot.click("#facets", offset=at)
        await until(pilot, lambda: "mode:training" in str(app.session.view.query), "the value in the query")
        await pilot.click("#facets", offset=at)
        await until(pilot, lambda: "mode:training" not in str(app.session.view.query), "the query without it")


async def _drag(pilot: Pilot[Any], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(offset=start)
    await pilot._post_mouse_events([events.MouseMove], offset=end, button=1)
    await pilot.mouse_up(offset=end)


async def test_dividers_follow_the_mouse_and_keys(app: TTMatrixApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        screen = app.matrix_screen
        detail, facets = screen.query_one("#detail", Widget), screen.query_one("#facet-box", Widget)
        await until(pilot, lambda: detail.region.height > 0, "the detail")
        y, x = detail.region.y, facets.region.right - 1
        await _drag(pilot, (60, y), (60, y - 5))
        await until(pilot, lambda: detail.region.y == y - 5, "the higher detail")
        await _drag(pilot, (x, 10), (x + 9, 10))
        await until(pilot, lambda: facets.region.right - 1 == x + 9, "the wider facets")
        rows = screen.query_one("#facets", Widget)
        assert rows.region.right == x + 9, "the list is as wide as its pane"
        await pilot.press("J", "J")
        await until(pilot, lambda: detail.region.y == y - 3, "the lower detail")
        await pilot.press("f", "K")
        await until(pilot, lambda: facets.region.right - 1 == x + 8, "the narrower facets")

        await pilot.press("6")
        await until(pilot, lambda: "1 finding of 1 kind" in screen_text(app), "the finding")
        text = app.screen.query_one("#text-title", Widget)
        before = text.region.y
        await _drag(pilot, (20, before), (20, before + 4))
        await until(pilot, lambda: text.region.y == before + 4, "more room for findings")
        await pilot.press("K")
        await until(pilot, lambda: text.region.y == before + 3, "more of the finding")


async def test_the_list_above_a_pane_keeps_the_height_that_a_person_gave_it(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "runs")
        await pilot.press("2")
        box = app.screen.query_one("#list-box", Widget)
        await until(pilot, lambda: box.region.height == 6, "as high as its rows")
        await pilot.press("J", "J")
        await until(pilot, lambda: box.region.height == 8, "two lines more")
        app.signals.runs_changed.publish(None)
        await pilot.press("z")
        await until(pilot, lambda: box.region.height > 20, "the runs alone")
        await pilot.press("z")
        await until(pilot, lambda: box.region.height == 8, "as it was")
