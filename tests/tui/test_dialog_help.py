# SPDX-License-Identifier: Apache-2.0
"""`?` in every dialog lists the keys that work there; q leaves a pane that has the whole screen, as escape does."""

from pathlib import Path

import pytest
from textual.widgets import Input

from core.base.errors import TTMatrixError
from tests.support.app import build_app, screen_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.screens import Confirm, Dialog, KeyHelp, Notice, RunsScreen, SessionScreen

_OPENED_BY = ("E", "R", "V", "C", "m", "M", "colon")


@pytest.mark.parametrize("key", _OPENED_BY)
async def test_the_keys_of_a_dialog_are_listed(tmp_path: Path, key: str) -> None:
    app = build_app(sample(tmp_path), query="tiny-single_device-training")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Dialog), "the dialog")
        behind = app.screen
        if isinstance(app.focused, Input) and app.focused.value:
            await pilot.press("f1")
        else:
            await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, KeyHelp), "its keys")
        await until(pilot, lambda: "Leave" in screen_text(app), "what they do")
        await pilot.press("question_mark")
        await until(pilot, lambda: app.screen is behind, "the dialog again")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen), "the screen")


async def test_the_keys_of_a_dialog_come_before_those_of_its_field(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="tiny-single_device-training")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, Dialog), "the form")
        assert isinstance(app.screen, Dialog)
        keys = [key for key, _ in app.screen.key_words()]
        assert keys[:6] == ["up", "down", "left", "right", "enter", "esc"]
        words = dict(app.screen.key_words())
        assert (words["tab"], words["shift+tab"]) == ("Next field", "Previous field")


async def test_questions_and_notices_have_keys_too(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        for dialog, words in (
            (Confirm("Stop it?", "Really", verb="stop it"), "Stop it"),
            (Notice(TTMatrixError("It is broken")), "Leave"),
        ):
            app.push_screen(dialog)
            await until(pilot, lambda one=dialog: app.screen is one, "the dialog")  # type: ignore[misc]
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, KeyHelp), "its keys")
            await until(pilot, lambda text=words: text in screen_text(app), "what they do")  # type: ignore[misc]
            await pilot.press("escape", "escape")
            await until(pilot, lambda: isinstance(app.screen, SessionScreen), "the screen")


async def test_a_question_mark_behind_other_letters_is_a_letter(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("colon", "a", "question_mark")
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "a?", "both letters")
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, KeyHelp), "the keys")


async def test_q_leaves_the_log_one_level_as_escape_does(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "runs")
        await pilot.press("2", "enter")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen) and app.screen.panes.zoomed == "log", "the log")
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen) and not app.screen.panes.zoomed, "the runs")
        await pilot.press("q")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")


async def test_q_in_a_detail_on_the_whole_screen_does_not_quit(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("z")
        await until(pilot, lambda: bool(app.matrix_screen.panes.zoomed), "one pane")
        await pilot.press("q")
        await until(pilot, lambda: not app.matrix_screen.panes.zoomed, "all panes")
        assert app.is_running
