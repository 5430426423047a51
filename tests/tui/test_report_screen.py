# SPDX-License-Identifier: Apache-2.0
"""How we are doing, on a screen: the numbers of the headless report, and from each row to its tests."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from core.evidence.progress import By, Progress
from core.matrix.query import Query
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.planted import BAD_HOST, Nights, planted_checkout
from tests.support.tree import sample
from tui.screens.report import ReportScreen
from tui.view_models import ReportList, list_words

NIGHTS = 60


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Checkout, Nights]:
    return planted_checkout(tmp_path / "c", NIGHTS)


@pytest.mark.slow("weeks of results are made")
async def test_every_list_says_what_the_headless_report_says(planted: tuple[Checkout, Nights]) -> None:
    checkout, made = planted
    said = call("report", "--repo", checkout.root).out
    found = call("report", "--json", "--repo", checkout.root).json
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: "results of" in screen_text(app), "the summary")
        screen = app.navigation.screen(ReportScreen)
        # The sentence is wrapped on the screen.
        words = " ".join(screen_text(app).split())
        assert said.splitlines()[2][:60] in words
        assert f"failures follow {BAD_HOST}" in words
        names = [one["name"] for one in (found["total"], *found["archs"], *found["groups"])]
        assert [key.rpartition("/")[2] for key in _keys(screen)] == names
        assert "% as expected in 7 days" in words and "no history in this clone" in words
        for name in ("turned", "stale", "flaky"):
            await pilot.press("tab")
            expected = [f"{one['id']} {one['arch']}" for one in found[name]]
            await until(pilot, lambda expected=expected: _keys(screen) == expected, name)  # type: ignore[misc]
        await pilot.press("tab")
        await until(pilot, lambda: _keys(screen) == [one["host"] for one in found["hosts"]], "machines")
        assert "failures follow it" in screen_text(app)
        await pilot.press("f")
        await until(pilot, lambda: _keys(screen) == [made.name(made.broken)], "runs without a result")
        assert "2 days without any result" in screen_text(app)
        await pilot.press("enter")
        heading = f"{made.name(made.broken - 1)} → {made.name(made.broken)}"
        await until(pilot, lambda: heading in screen_text(app), "what differs from the run before")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the way back")
        await pilot.press("tab")
        await until(pilot, lambda: "No op case has a result." in screen_text(app), "op tests")
        await pilot.press("tab")
        await until(pilot, lambda: len(_keys(screen)) == len(names), "the first list again")


@pytest.mark.slow("weeks of results are made")
async def test_enter_shows_the_tests_of_a_row_and_escape_comes_back(planted: tuple[Checkout, Nights]) -> None:
    app = build_app(planted[0])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *"report", "enter")
        await until(pilot, lambda: "results of" in screen_text(app), "the summary")
        screen = app.navigation.screen(ReportScreen)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.matrix_screen, "all tests")
        assert len(app.session.view.rows) == len(app.session.matrix.ids)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the report again")
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")
        await until(pilot, lambda: str(app.session.view.spec.query) == "arch:n150", "the tests of the arch")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the way back")
        await pilot.press("tab")
        await until(pilot, lambda: "▸turned" in screen_text(app), "what turned")
        id = screen.rows.items[0].test
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.matrix_screen and app.matrix_screen.current == id, "its test")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the way back")
        await pilot.press(*["tab"] * 3)
        await until(pilot, lambda: "▸machines" in screen_text(app), "machines")
        alone = Query.parse(f'failed_on~^{BAD_HOST}$ !failed_on~"^(?!{BAD_HOST}$)"')
        assert screen.rows.items[0].query == alone
        await pilot.press("G")
        host = screen.rows.items[-1].key
        assert host != BAD_HOST
        await pilot.press("enter")
        query = f"failed_on~^{host}$"
        await until(pilot, lambda: str(app.session.view.spec.query) == query, "what failed on the machine")
        failed = call("list", query, "--format", "ids", "--repo", planted[0].root).out.split()
        await until(pilot, lambda: len(app.session.view.rows) == len(failed) < 45, "the tests that failed there")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the way back")
        await pilot.press("b", "b", "b")
        await until(pilot, lambda: "loader/alpha/pytorch" in _keys(screen), "by loader")
        await pilot.press("G", "enter")
        await until(
            pilot, lambda: str(app.session.view.spec.query) == "loader~^alpha/pytorch$", "the tests of the loader"
        )


async def test_periods_and_what_is_ingested_meanwhile(planted: tuple[Checkout, Nights]) -> None:
    checkout, _ = planted
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: "results of" in screen_text(app), "the summary")
        whole = screen_text(app)
        await pilot.press("p", "p", "p")
        await until(pilot, lambda: "30 days · by family" in screen_text(app), "the last month")
        await until(pilot, lambda: "reading" not in screen_text(app), "its numbers")
        assert screen_text(app) != whole
        said = call("report", "--since", 30, "--repo", checkout.root).out.splitlines()[2]
        assert said.split(";")[0] in " ".join(screen_text(app).split())


async def test_machines_that_failures_follow_are_left_out(planted: tuple[Checkout, Nights]) -> None:
    checkout, _ = planted
    found = call("report", "--without-host", BAD_HOST, "--json", "--repo", checkout.root).json
    app = build_app(checkout)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: f"failures follow {BAD_HOST}" in screen_text(app), "the summary")
        screen = app.navigation.screen(ReportScreen)
        await pilot.press("H", "tab")
        expected = [f"{one['id']} {one['arch']}" for one in found["turned"]]
        await until(pilot, lambda: _keys(screen) == expected, "what turned on the others")
        assert f"without {BAD_HOST}" in screen_text(app) and "failures follow" not in screen_text(app)
        await pilot.press("H")
        await until(pilot, lambda: f"failures follow {BAD_HOST}" in screen_text(app), "all of them again")
        assert len(_keys(screen)) > len(expected)


async def test_without_results_it_says_what_to_do(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: "ttmatrix ingest --from-github" in screen_text(app), "what to do")
        await pilot.press("tab", "tab", "enter", "b", "p")
        await until(pilot, lambda: "180 days · by arch" in screen_text(app), "another period")


def _keys(screen: ReportScreen) -> list[str]:
    return [row.key for row in screen.rows.items]


@pytest.mark.slow("weeks of results are made")
async def test_the_plots_are_right_of_the_list_where_there_is_room(planted: tuple[Checkout, Nights]) -> None:
    app = build_app(planted[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: "% as expected in 7 days" in screen_text(app), "the plots")
        screen = app.navigation.screen(ReportScreen)
        plots = screen.query_one("#report-plots")
        assert plots.region.bottom <= screen.table.region.y and plots.region.width == 120
        await pilot.resize_terminal(200, 55)
        await until(pilot, lambda: plots.region.x > screen.table.region.x, "the plots are beside the list")
        assert screen.table.region.height > 40
        # No higher than is clear, and below them the next list with rows.
        following = screen.query_one("#report-next")
        assert plots.region.height < 32 and following.region.y == plots.region.bottom + 1
        assert following.region.bottom == screen.table.region.bottom and len(screen.following.source) > 0
        assert not following.can_focus
        left = [line[plots.region.x :] for line in screen_text(app).splitlines()]
        # One above the other, each with an axis: the days of both are below each other.
        assert sum("└" in line for line in left) == 1
        assert sum("no history in this clone" in line for line in left) == 1
        assert max(map(len, left)) > 60 and sum("┤" in line for line in left) > 2
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: plots.region.width == 80, "the plots are above the list again")


@pytest.mark.slow("weeks of results are made")
async def test_the_plots_have_their_place_from_the_start(planted: tuple[Checkout, Nights]) -> None:
    app = build_app(planted[0])
    async with app.run_test(size=(200, 55)) as pilot:
        await pilot.press("f4")
        plots = app.navigation.screen(ReportScreen).plots
        await until(pilot, lambda: plots.size.width > 60 and len(plots.lines) == plots.size.height, "plots as high")
        assert plots.size.height < 32
        whole = [plots.size.width - 2] * plots.size.height
        await until(pilot, lambda: [sum(len(cell.text) for cell in line) for line in plots.lines] == whole, "as wide")


@pytest.mark.parametrize("which", list(ReportList))
def test_what_a_list_says_fits_the_smallest_screen(which: ReportList) -> None:
    measured = SimpleNamespace(stale=(), corrected=())
    progress = cast(Progress, SimpleNamespace(measured=measured, gaps=(), by=By.FAMILY))
    assert len(list_words(progress, which)) <= 78


@pytest.mark.parametrize("theme", ["dark", "light", "terminal", "mono"])
async def test_its_heat_map_has_the_legend_of_the_grid(planted: tuple[Checkout, Nights], theme: str) -> None:
    app = build_app(planted[0])
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = theme
        await pilot.press("f4")
        legend = "as expected: █ all  ▓ 75%+  ▒ 50%+  ░ 25%+  ▁ less   · no result"
        await until(pilot, lambda: legend in screen_text(app), "the legend")
        # Each number is behind its shade, so that it says the same without colours.
        rates = [int(number) for number in re.findall(r"▓ (\d\d)", screen_text(app).partition("passed")[2])]
        assert rates and all(75 <= one < 100 for one in rates)
        await pilot.press("tab")
        await until(pilot, lambda: "as expected: █" not in screen_text(app), "no legend where there are no shades")
