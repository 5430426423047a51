# SPDX-License-Identifier: Apache-2.0
"""A command that lacks something says what: in help, on the command line, and when its key is pressed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.runs.store import RunState
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.recorded import nights, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tests.tui.view_models.test_batches import passed
from tui.app.app import TTMatrixApp
from tui.commands import Command, Need, Where, all_commands, needs_of, screen_commands
from tui.keymap import Keymap, need_words
from tui.screens import SessionScreen


def test_every_need_is_that_of_a_command_and_names_keys_that_exist() -> None:
    assert {need for one in all_commands() for need in needs_of(one.id)} == {*Need}
    for need in Need:
        words = need_words(need, Keymap())
        assert words.endswith(".") and "{" not in words


def _lacking(app: TTMatrixApp) -> list[Command]:
    words = {need_words(need, app.context.keymap) for need in Need}
    return [one for one in app.command_runner.valid() if one.help in words]


@pytest.mark.slow("every screen is shown")
async def test_where_there_is_nothing_each_key_says_what_is_missing(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="no such test")
    pressed = 0
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        for where, command in screen_commands():
            await pilot.press(command.keys)
            await pilot.pause()
            lacking = _lacking(app)
            for one in lacking:
                app.clear_notifications()
                await pilot.press(one.keys.split(",")[0])
                assert [note.message for note in app._notifications] == [one.help], f"{one.id} in {where}"
                assert isinstance(app.screen, SessionScreen)
                pressed += 1
    assert pressed > 60


@pytest.mark.parametrize(
    ("screen", "key", "words"),
    [
        ("2", "S", Need.RUNS),
        ("2", "h", Need.RUNS),
        ("2", "f", Need.RUNS),
        ("9", "a", Need.WORKFLOW),
        ("9", "x", Need.WORKFLOW),
        ("5", "T", Need.CHANGE),
    ],
)
async def test_without_a_row_that_is_said_and_not_what_the_row_lacks(
    tmp_path: Path, screen: str, key: str, words: Need
) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press(screen, key)
        await until(pilot, lambda: bool(app._notifications), "an answer")
        assert [one.message for one in app._notifications] == [need_words(words, app.context.keymap)]


async def test_help_and_the_command_line_say_it_last(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("2", "question_mark")
        await type_text(pilot, "no run is listed")
        await until(pilot, lambda: screen_text(app).count("No run is listed.") > 5, "the reasons")
        await pilot.press("enter")
        await until(
            pilot, lambda: [one.message for one in app._notifications] == ["No run is listed."], "the reason once more"
        )
        valid = app.command_runner.valid()
        able = [one for one in valid if one not in _lacking(app)]
        assert valid[: len(able)] == able
        app.clear_notifications()
        await pilot.press("colon")
        await type_text(pilot, "restart")
        await until(pilot, lambda: "No run is listed." in screen_text(app), "the reason")


@pytest.mark.parametrize(
    ("query", "lacking"),
    [
        ("mode:inference", ("matrix.compare", "matrix.triage", "matrix.log")),
        ("framework:jax", ("matrix.bisect", "matrix.compare", "matrix.extract", "matrix.log", "matrix.triage")),
        ("has:entry mode:training framework:pytorch", ("matrix.compare", "matrix.log")),
    ],
)
async def test_what_is_not_for_this_test_is_said_in_help_and_not_offered(
    tmp_path: Path, query: str, lacking: tuple[str, ...]
) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"), query=query)
    asked = {"matrix.compare", "matrix.triage", "matrix.log", "matrix.bisect", "matrix.extract", "matrix.history"}
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        off = {one.id for one in app.command_runner.valid() if one.off}
        assert off & asked == {*lacking}


_QUIET = {"app.redraw", "app.suspend", "app.quit", "app.interrupt", "app.reload", "app.back", "app.help"}
"""What ends the app, stops it or is tested elsewhere."""
_MOVING = (Where.TABLE, Where.CELLS, Where.LINES, Where.TEXT)
"""Their keys do nothing at an end."""


def _state(app: TTMatrixApp) -> tuple[object, ...]:
    """What a person sees, the colour of the focus too, and what is not on the screen: marks, changes."""
    session = app.session
    return app.screen, app.focused, screen_text(app), len(app._notifications), set(session.view.marks), session.pending


async def _does_something(app: TTMatrixApp, pilot: Pilot[Any], command: Command) -> bool:
    before = _state(app)
    await pilot.press(command.keys.split(",")[0])
    for _ in range(40):
        if _state(app) != before:
            return True
        await pilot.pause(0.02)
    return False


@pytest.mark.slow("every key of every screen is pressed")
async def test_help_lists_no_key_that_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "true")
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    record_runs(checkout)
    app = build_app(checkout, query="status:xfail mode:training")
    idle: list[str] = []
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the runs")
        for where, screen in screen_commands():
            if where is not Where.MATRIX and screen.id == "app.log":
                continue
            await pilot.press(screen.keys)
            for command in _able(app):
                while not isinstance(app.screen, SessionScreen):
                    app.pop_screen()
                app.clear_notifications()
                app.navigation.switch(where.value)
                await pilot.pause()
                if any(one.id == command.id for one in _able(app)) and not await _does_something(app, pilot, command):
                    idle.append(f"{command.id} in {where}")
    assert idle == []


def _able(app: TTMatrixApp) -> list[Command]:
    lacking = {one.id for one in _lacking(app)}
    return [
        one
        for one in app.command_runner.valid()
        if one.id not in lacking | _QUIET and one.where not in _MOVING and not one.action.startswith("switch(")
    ]


async def test_the_line_of_keys_offers_to_stop_only_what_still_runs(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the runs")
        await pilot.press("2")
        await until(pilot, lambda: "Run again" in screen_text(app).splitlines()[-1], "the keys")
        assert "Stop run" not in screen_text(app).splitlines()[-1]
        off = {one.id for one in app.command_runner.valid() if one.off}
        assert {"runs.cancel", "runs.source"} <= off
        assert ("runs.reason" in off) == (app.session.runs[0].outcome == "pass")
        app.session.runs = [replace(app.session.runs[0], state=RunState.RUNNING), *app.session.runs[1:]]
        app.context.signals.runs_changed.publish(None)
        await until(pilot, lambda: "Stop run" in screen_text(app).splitlines()[-1], "the key")
        await pilot.press("down")
        await until(pilot, lambda: "Stop run" not in screen_text(app).splitlines()[-1], "its end")


async def test_on_a_batch_no_key_goes_to_a_log(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: app.polling.taken is not None, "the first look")
        app.polling.stop()
        app.session.runs = app.session.all_runs = [passed("1", f"m/{at}") for at in range(3)]
        app.signals.runs_changed.publish(None)
        await pilot.press("2", "g")
        for key in ("slash", "ampersand", "n", "N", "e", "E"):
            app.clear_notifications()
            await pilot.press(key)
            await until(pilot, lambda: "This is a batch: enter shows its runs." in screen_text(app), key)
            assert app.focused is not None and app.focused.id == "runs", key


def _key_line(app: TTMatrixApp) -> str:
    return " ".join(screen_text(app).splitlines()[-1].split())


async def test_the_line_of_keys_of_a_list_without_rows_names_only_those_that_do_something(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="no such test")
    expected = {
        "1": "/ Filter d Detail m Group # Grid ? Help",
        "2": "? Help",
        "4": "f List ? Help",
        "5": "? Help",
        "9": "? Help",
        "f2": "c Check ? Help",
        "f3": "h Hours ? Help",
        "f7": "? Help",
    }
    async with app.run_test(size=(120, 40)) as pilot:
        for key, line in expected.items():
            await pilot.press(key)
            await until(pilot, lambda line=line: _key_line(app) == line, f"{key}: {line}")  # type: ignore[misc]


async def test_keys_come_with_the_first_row_and_go_with_the_last(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: _key_line(app) == "? Help", "that there is nothing to do")
        record_runs(checkout)
        await until(pilot, lambda: "space Mark r Run again" in _key_line(app), "the keys of a run")
        app.polling.stop()
        app.session.runs, app.session.all_runs = [], []
        app.context.signals.runs_changed.publish(None)
        await until(pilot, lambda: _key_line(app) == "? Help", "that there is nothing to do again")
        await pilot.press("1")
        await until(pilot, lambda: "space Mark r Run" in _key_line(app), "the keys of a test")
        await pilot.press("slash")
        await type_text(pilot, "nowhere")
        await pilot.press("enter")
        await until(pilot, lambda: "Mark" not in _key_line(app), "that there is no test")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "space Mark r Run" in _key_line(app), "the keys of a test again")
