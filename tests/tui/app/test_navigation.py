# SPDX-License-Identifier: Apache-2.0
"""Navigation between the screens."""

from pathlib import Path

from core.base.errors import TTMatrixError
from tests.support.app import build_app, until
from tests.support.tree import sample
from tui.commands import Where, all_commands, screen_commands
from tui.screens import SCREENS


async def test_at_most_one_screen_is_above_the_matrix(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        assert app.screen_stack == [app.matrix_screen]
        for key, name in (("2", "runs"), ("5", "review"), ("6", "doctor"), ("2", "runs")):
            await pilot.press(key)
            # Keys wait for the findings of the doctor.
            await until(pilot, lambda name=name: app.screen is app.navigation.named(name), name)  # type: ignore[misc]
            assert app.screen_stack == [app.matrix_screen, app.screen]
        await pilot.press("1")
        assert app.screen_stack == [app.matrix_screen]
        await until(pilot, lambda: app.matrix_screen.table.has_focus, "the focus of before")


async def test_what_goes_to_a_test_leaves_what_is_asked(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("5")
        app.notifications.error(TTMatrixError("It broke", "there"))
        await until(pilot, lambda: len(app.screen_stack) == 3, "the notice")
        id = app.session.matrix.ids[-1]
        app.navigation.show_test(id)
        await until(pilot, lambda: app.matrix_screen.current == id, "the test")
        assert app.screen_stack == [app.matrix_screen]


OF_A_RUN = {Where.JOB_LOG: "nightly.log", Where.PROFILES: "runs.profiles", Where.PROGRAMS: "runs.programs"}
"""Screens that show one run or batch, by the command that shows it."""


def test_each_screen_has_one_command_that_shows_it() -> None:
    assert sorted(entry.where for entry in SCREENS) == sorted([*(where for where, _ in screen_commands()), *OF_A_RUN])
    assert set(OF_A_RUN.values()) <= {one.id for one in all_commands()}
    for entry in SCREENS:
        assert entry.load().PLACES[0] is entry.where


async def test_every_screen_is_shown_by_its_key_and_has_the_focus(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        for where, command in screen_commands():
            await pilot.press(command.keys)
            assert app.screen is app.navigation.named(where.value)
            await until(pilot, lambda: app.focused is not None, f"the focus in {where}: `on_mount` gives it")
            assert app.focused is not None and app.focused.screen is app.screen
