# SPDX-License-Identifier: Apache-2.0
"""Into everything and back by keys alone: escape returns to the previous screen, view and spot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.app import build_app, type_text, until
from tests.support.recorded import nights, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import CompareScreen, DoctorScreen, RunsScreen, SessionScreen, TriageScreen
from tui.screens.clusters import ClustersScreen
from tui.screens.overview import OverviewScreen
from tui.widgets import CellTable, RowTable

_QUERY = "status:xfail mode:training"


@pytest.fixture
def app(tmp_path: Path) -> TTMatrixApp:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    record_runs(checkout)
    return build_app(checkout, query=_QUERY)


def where(app: TTMatrixApp) -> tuple[object, ...]:
    """The screen in front, its view, the rows under its cursors, its zoom, and what has the focus."""
    screen = app.screen
    tables = [
        (table.id, len(table.source), table.cursor_key, table.column if isinstance(table, CellTable) else 0)
        for table in screen.query(RowTable)
        if table.display and table.id != "facets"
    ]
    zoomed = screen.panes.zoomed if isinstance(screen, SessionScreen) else ""
    return type(screen), str(app.session.view.spec), tables, zoomed, app.focused and app.focused.id


async def _settled(pilot: Pilot[Any]) -> None:
    for _ in range(3):
        await pilot.pause()


async def in_and_out(app: TTMatrixApp, pilot: Pilot[Any], *keys: str) -> None:
    """Press `keys`, each of which goes one level in, then escape for each: every earlier spot is restored."""
    spots = []
    await _settled(pilot)
    for key in keys:
        spots.append(where(app))
        await pilot.press(key)
        await until(pilot, lambda: where(app) != spots[-1], f"somewhere else after {key} of {keys}")
        await _settled(pilot)
    for spot in reversed(spots):
        await pilot.press("escape")
        await until(pilot, lambda spot=spot: where(app) == spot, f"back from {keys} to {spot}, not {where(app)}")  # type: ignore[misc]
    assert str(app.session.view.query) == _QUERY


async def _show(app: TTMatrixApp, pilot: Pilot[Any], *keys: str) -> None:
    await pilot.press(*keys)
    await _settled(pilot)


DIALOGS: Sequence[str] = ("question_mark", "colon")
"""On every screen."""


@pytest.mark.slow("every screen is shown")
async def test_every_screen_is_gone_into_and_left_by_keys(app: TTMatrixApp) -> None:
    async with app.run_test(size=(120, 36)) as pilot:
        for screen in (_matrix, _overview, _runs, _triage, _doctor, _clusters, _compare, _review_and_workflows):
            await screen(app, pilot)


async def _each(app: TTMatrixApp, pilot: Pilot[Any], *keys: str) -> None:
    for key in (*keys, *DIALOGS):
        await in_and_out(app, pilot, key)


async def _matrix(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    matrix = app.matrix_screen
    await until(pilot, lambda: matrix.current is not None and bool(app.session.runs), "tests and runs")
    while matrix.current != "patch_vit/pytorch-Small_Patch8-single_device-training":
        await pilot.press("j")
    await _each(app, pilot, "enter", "z", "C", "V", "m", "R", "E", "L")
    await in_and_out(app, pilot, "enter", "question_mark")


async def _overview(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await _show(app, pilot, "0", "j", "j", "l")
    overview = app.navigation.screen(OverviewScreen)
    await until(pilot, lambda: overview.complete, "the numbers")
    await _each(app, pilot, "z")
    await in_and_out_to_tests(app, pilot)


async def _runs(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    runs = app.navigation.screen(RunsScreen)
    await _show(app, pilot, "2", "g", "j")
    await until(pilot, lambda: runs.runs.current is not None, "a run")
    await _each(app, pilot, "enter", "z", "m")
    await in_and_out(app, pilot, "enter", "question_mark")


async def _triage(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await _show(app, pilot, "4")
    triage = app.navigation.screen(TriageScreen)
    await until(pilot, lambda: bool(triage.tests.changes), "the tests")
    await _show(app, pilot, "plus", "g")
    assert triage.listing.current is not None
    await _each(app, pilot, "enter", "z")


async def _doctor(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await _show(app, pilot, "6")
    doctor = app.navigation.screen(DoctorScreen)
    await until(pilot, lambda: len(doctor.table.source) > 0, "the findings")
    while doctor.current is None or doctor.current.id not in app.session.view.matrix.rows:
        await pilot.press("j")
    await _each(app, pilot, "enter", "z")


async def _clusters(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await _show(app, pilot, "7")
    clusters = app.navigation.screen(ClustersScreen)
    await until(pilot, lambda: len(clusters.table.source) > 0, "the clusters")
    await in_and_out(app, pilot, "enter", "enter", "enter")
    await _each(app, pilot, "z", "i")


async def _compare(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await _show(app, pilot, "8")
    compare = app.navigation.screen(CompareScreen)
    await until(pilot, lambda: len(compare.table.source) > 0, "the comparison")
    await _each(app, pilot, "z", "b")


async def _review_and_workflows(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    for screen in ("5", "9"):
        await _show(app, pilot, screen)
        # Nothing is listed: the list has the whole screen already.
        await _each(app, pilot)


async def in_and_out_to_tests(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    """From a number to its tests, into one of them, and back twice: the matrix has its earlier view again."""
    before, spot = app.session.view.spec, where(app)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is app.matrix_screen and app.session.view.spec != before, "its tests")
    inside = where(app)
    await pilot.press("enter")
    await until(pilot, lambda: app.matrix_screen.panes.zoomed == "detail", "the detail")
    await pilot.press("escape")
    await until(pilot, lambda: where(app) == inside, "the tests of the number")
    await pilot.press("escape")
    await until(pilot, lambda: where(app) == spot, "the number")
    assert app.session.view.spec == before


async def test_from_a_cell_of_the_grid_to_its_tests_and_back_to_the_cell(app: TTMatrixApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("number_sign", "greater_than_sign", "j")
        while app.matrix_screen.listing.cell_query is None:
            await pilot.press("l")
        spot, spec = where(app), app.session.view.spec
        assert spec.heat.by
        await pilot.press("enter")
        await until(pilot, lambda: not app.session.view.grid, "the tests of the cell")
        base = str(app.session.view.query)
        # A typed filter is a level of its own; the tests of the cell are another one.
        await pilot.press("slash")
        await type_text(pilot, " patch")
        await pilot.press("enter", "escape")
        await until(pilot, lambda: str(app.session.view.query) == base, "the tests of the cell again")
        await pilot.press("escape")
        await until(pilot, lambda: where(app) == spot and app.session.view.spec == spec, "the cell")
        await pilot.press("z")
        await until(pilot, lambda: app.matrix_screen.panes.zoomed == "tests", "the grid alone")
        await pilot.press("z")
        await until(pilot, lambda: where(app) == spot, "the grid with the rest")


@pytest.mark.slow("every screen is shown")
async def test_minus_is_the_view_before_on_every_screen(app: TTMatrixApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        await _show(app, pilot, "j")
        spot = where(app)
        for key in "0245678 9".replace(" ", ""):
            await _show(app, pilot, key)
            there = type(app.screen)
            await pilot.press("minus")
            await until(pilot, lambda: where(app) == spot, f"the matrix of before {key}")
            await pilot.press("minus")
            await until(pilot, lambda there=there: type(app.screen) is there, f"the screen {key} again")  # type: ignore[misc]
            await _show(app, pilot, "1")
        await pilot.press("number_sign")
        await until(pilot, lambda: bool(app.session.view.grid), "the grid")
        await pilot.press("minus")
        await until(pilot, lambda: where(app) == spot, "the table")


async def test_escape_out_of_help_leaves_the_filter_however_fast_it_is_typed(app: TTMatrixApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        for key in (*DIALOGS, "C", "m"):
            driver = app._driver
            assert driver is not None
            await pilot.press(key, "escape")
            await _settled(pilot)
            assert app.screen is app.matrix_screen
            assert str(app.session.view.query) == _QUERY
        await pilot.press("escape")
        await until(pilot, lambda: not app.session.view.query.terms, "escape on the rows clears the filter")
