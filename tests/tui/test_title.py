# SPDX-License-Identifier: Apache-2.0
"""The two lines at the top of the app: every screen is found there, and what a screen says has a line of its own."""

from pathlib import Path

import pytest

from tests.support.app import build_app, screen_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.commands import tab_commands
from tui.screens import SessionScreen


def _top(app: TTMatrixApp) -> list[str]:
    return screen_text(app).splitlines()[:2]


def _tab(app: TTMatrixApp) -> str:
    assert isinstance(app.screen, SessionScreen)
    return app.screen.tab


@pytest.mark.parametrize("width", [100, 120, 140])
async def test_every_screen_has_its_name_whatever_is_said(tmp_path: Path, width: int) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(width, 30)) as pilot:
        await pilot.press("9")
        await until(pilot, lambda: "no workflow yet" in _top(app)[1], "the workflows")
        assert isinstance(app.screen, SessionScreen)
        app.screen.title_line("a long message " * 20, keyed=["H ignores t3k-07, the only host that fails"])
        await pilot.pause()
        named = "\n".join(_top(app))
        assert all(f"{app.context.keymap.key(one.id)} {one.label}" in named for _, one in tab_commands())
        assert "H ignores t3k-07, the only host that fails" in _top(app)[1]


async def test_a_click_on_the_second_line_shows_its_screen(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.click("#title", offset=(_top(app)[1].index("f3 Plan") + 4, 1))
        await until(pilot, lambda: "no plan" in _top(app)[1] or "planning" in _top(app)[1], "the plan")


async def test_the_log_of_a_run_is_a_screen_in_the_line(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "runs")
        await pilot.press("2")
        await until(pilot, lambda: _tab(app) == "runs", "the runs")
        await pilot.press("enter")
        await until(pilot, lambda: _tab(app) == "log", "the log")
        await pilot.press("escape")
        await until(pilot, lambda: _tab(app) == "runs", "the runs again")
