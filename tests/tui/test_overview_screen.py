# SPDX-License-Identifier: Apache-2.0
"""The overview, driven by keys: every number leads to what it counts."""

from pathlib import Path

import pytest

from core.matrix.view import Place, Row, Section
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen, RunsScreen
from tui.screens.hosts import HostsScreen
from tui.screens.overview import OverviewScreen
from tui.screens.review import ReviewScreen
from tui.view_models import OverviewRows
from tui.widgets import NumberBoard

NO_JOB = "entry in no CI job"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _boards(app: TTMatrixApp) -> list[NumberBoard]:
    return [one for one in app.navigation.screen(OverviewScreen).query(NumberBoard) if one.region.width]


def _complete(app: TTMatrixApp) -> bool:
    """Whether all numbers are there: which is the last to come depends on the threads."""
    if not isinstance(app.screen, OverviewScreen):
        return False
    sources = [board.source for board in _boards(app) if isinstance(board.source, OverviewRows)]
    rows = [row for source in sources for section in source.sections for row in section.rows]
    return bool(rows) and all(None not in row.numbers for row in rows)


async def test_every_number_leads_to_as_many_tests(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app), "the overview")
        looked_at = 0
        for board, position in [(one, at) for one in _boards(app) for at in range(len(one.source))]:
            source = board.source
            assert isinstance(source, OverviewRows)
            for column in range(len(source.columns) - 1):
                number = source.number(position, column)
                if number is None or number.link.place is not Place.TESTS or looked_at % 7:
                    looked_at += number is not None
                    continue
                looked_at += 1
                board.focus()
                board.cursor = position
                board.column = column
                assert board.number == number
                await pilot.press("enter")
                await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")
                await until(
                    pilot,
                    lambda words=number.link.words: str(app.session.view.query) == words,  # type: ignore[misc]
                    number.link.words,
                )
                assert len(app.session.view.rows) == number.count
                await pilot.press("0")
                await until(pilot, lambda: app.screen is app.navigation.screen(OverviewScreen), "the overview")
        assert looked_at > 60


@pytest.mark.slow("a job over several screens")
async def test_findings_lead_to_doctor_and_back(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: app.navigation.screen(OverviewScreen).complete, "the findings")
        await until(pilot, lambda: _complete(app), "the numbers")
        await pilot.press(*["tab"] * 3, "j")
        board = app.navigation.screen(OverviewScreen).board
        number = board.number
        assert number is not None
        assert number.link.place is Place.FINDINGS
        await pilot.press("enter")
        await until(pilot, lambda: f"of the kind {number.link.words}" in screen_text(app), "doctor")
        assert len(app.navigation.screen(DoctorScreen).table.source) == number.count
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.navigation.screen(OverviewScreen), "the number")
        await pilot.press("enter", "6")
        await until(pilot, lambda: f"of the kind {number.link.words}" in screen_text(app), "doctor again")
        await pilot.press("escape")
        await until(pilot, lambda: "of the kind" not in screen_text(app), "all kinds")
        assert len(app.navigation.screen(DoctorScreen).table.source) > number.count


async def test_the_cursor_is_on_numbers_alone(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app), "the overview")
        for key in ("g", *["j"] * 30, "l", "l", "l", *["k"] * 40, "h", "G", "pagedown", "pageup", "tab", "shift+tab"):
            await pilot.press(key)
            assert app.navigation.screen(OverviewScreen).board.number is not None, key
        await pilot.press("g")
        assert "last night" in screen_text(app)


@pytest.mark.slow("a job over several screens")
async def test_the_cursor_stays_while_its_number_is_counted_anew(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app), "the overview")
        await pilot.press("tab", "tab", "tab", "l")
        board = app.navigation.screen(OverviewScreen).board
        key, known = board.cursor_key, board.source
        assert key and key.startswith("tests by arch") and isinstance(known, OverviewRows)
        screen = app.navigation.screen(OverviewScreen)
        unknown = [
            Section(one.title, one.heads, tuple(Row(row.label, (None,) * len(row.numbers)) for row in one.rows))
            for one in known.sections
        ]
        board.show(OverviewRows(unknown, 80), keep=key)
        assert board.cursor_key == key and not screen.board.number
        board.show(known, keep=key)
        assert board.cursor_key == key and board.number and board.column == 1


async def test_lanes_where_there_is_room_and_the_arrows_cross(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app) and len(_boards(app)) == 7, "the boards")
        lanes, wide = _boards(app)[:5], _boards(app)[5:]
        assert lanes[0].has_focus
        await pilot.press("tab", "tab")
        assert lanes[2].has_focus
        await pilot.press("left", "left", "left")
        assert lanes[0].has_focus
        await pilot.press(*["right"] * 9)
        assert lanes[4].has_focus
        await pilot.press(*["down"] * 20)
        assert any(one.has_focus for one in wide)
        await pilot.press(*["up"] * 20)
        assert any(one.has_focus for one in lanes)
        lanes[4].focus()
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: len(_boards(app)) == 4, "three lanes and one board")
        await pilot.press("j")
        assert app.navigation.screen(OverviewScreen).board.number is not None


async def test_what_is_typed_in_a_burst_is_the_query_of_the_matrix(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: isinstance(app.screen, OverviewScreen), "the overview")
        await pilot.press("slash", *"status", "colon", *"xfail", "enter")
        await until(pilot, lambda: str(app.session.view.query) == "status:xfail", "the query")
        assert app.screen is app.matrix_screen
        await pilot.press("escape")
        await until(pilot, lambda: not app.session.view.query.terms, "the query is gone")


async def test_without_results_the_first_step_is_said(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: "ttmatrix ingest --from-github" in screen_text(app), "the first step")


async def test_plots_of_weeks_that_are_alike_are_low_and_below_all_numbers(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"))
    async with app.run_test(size=(200, 55)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app) and "the same in 11 weeks" in screen_text(app), "the plots")
        await pilot.pause()
        for board in _boards(app):
            assert board.size.height >= board.virtual_size.height - 1, "each number is there, with the first step"
        plots, wide = app.screen.query_one("#trend"), app.screen.query_one("#wide")
        assert plots.size.height == 12
        assert plots.region.y == wide.region.bottom + 1


def _go_to(app: TTMatrixApp, place: Place) -> None:
    """Put the cursor on the first number that leads there."""
    for board in _boards(app):
        source = board.source
        assert isinstance(source, OverviewRows)
        for at in range(len(source)):
            number = source.number(at, 0)
            if number and number.link.place is place:
                board.focus()
                board.cursor, board.column = at, 0
                return
    raise AssertionError(place)


async def test_runs_and_edits_lead_to_their_screens(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app), "the overview")
        for place, screen in (
            (Place.RUNS, app.navigation.screen(RunsScreen)),
            (Place.EDITS, app.navigation.screen(ReviewScreen)),
            (Place.HOSTS, app.navigation.screen(HostsScreen)),
        ):
            _go_to(app, place)
            await pilot.press("enter")
            await until(pilot, lambda screen=screen: app.screen is screen, place)  # type: ignore[misc]
            await pilot.press("0")
            await until(pilot, lambda: app.screen is app.navigation.screen(OverviewScreen), "the overview")


@pytest.mark.parametrize(
    ("width", "boards"), [(80, 4), (103, 4), (104, 5), (129, 5), (130, 6), (159, 6), (160, 7), (200, 7)]
)
async def test_every_column_is_visible(checkout: Checkout, width: int, boards: int) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(width, 30)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: _complete(app) and "doctor is running" not in screen_text(app), "the numbers")
        assert len(_boards(app)) == boards
        for board in _boards(app):
            assert all(board.widths(board.size.width)), board.id
        assert "›" not in screen_text(app)
