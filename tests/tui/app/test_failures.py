# SPDX-License-Identifier: Apache-2.0
"""An exception that nobody expected ends only what raised it: the app says where it is, and what was typed stays."""

import asyncio
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from core.base.settings import paths
from core.matrix.view import View
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.app.bridge import WorkDone
from tui.app.failures import Failures, Mistake
from tui.app.polling import Seen
from tui.widgets import MatrixTable, QueryInput


def _raise(*_: object) -> Any:
    raise KeyError("runs")


def _in_work(app: TTMatrixApp) -> None:
    app.background.run("broken", _raise, lambda _: None)


def _in_an_answer(app: TTMatrixApp) -> None:
    app.background.run("broken", lambda: 1, _raise, asks=True)


def _in_a_timer(app: TTMatrixApp) -> None:
    app.matrix_screen.set_timer(0.001, _raise)


def _in_a_handler(app: TTMatrixApp) -> None:
    app.post_message(WorkDone(_raise, None))


def _in_a_callback(app: TTMatrixApp) -> None:
    app.matrix_screen.table.call_next(_raise)


def _after_a_frame(app: TTMatrixApp) -> None:
    app.matrix_screen.call_after_refresh(_raise)


def _in_a_worker(app: TTMatrixApp) -> None:
    app.run_worker(_raise, thread=True)


def _in_a_thread(app: TTMatrixApp) -> None:
    threading.Thread(target=_raise).start()


_PLACES = (
    _in_work,
    _in_an_answer,
    _in_a_timer,
    _in_a_handler,
    _in_a_callback,
    _after_a_frame,
    _in_a_worker,
    _in_a_thread,
)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _messages(app: TTMatrixApp) -> list[str]:
    return [one.message for one in app._notifications]


def _forgive(app: TTMatrixApp, kind: type[Exception] = KeyError) -> None:
    """A pilot raises the first exception at its end: this one was meant."""
    assert isinstance(app._exception, kind)
    app._exception = None


async def _goes_on(pilot: Pilot[Any], app: TTMatrixApp, typed: str) -> None:
    """The message names the place and a file with the traceback; the next letters do what they always do."""
    for _ in range(1000):
        if _messages(app):
            break
        await pilot.pause(0.01)
    (words,) = _messages(app)
    (file,) = paths().errors.iterdir()
    assert "KeyError: 'runs'" in words
    assert str(file) in words
    assert re.search(r"At (?:core|tui|tests)/[\w/]+\.py:\d+;", words)
    assert "in _raise" in file.read_text()
    _forgive(app)
    await type_text(pilot, " mode:inference")
    line = app.matrix_screen.query_one(QueryInput)
    await until(pilot, lambda: line.value.strip() == f"{typed} mode:inference".strip(), "what was typed")
    assert str(app.session.view.query) == line.value.strip()
    await pilot.press("enter", "j")
    assert isinstance(app.focused, MatrixTable)


@pytest.mark.parametrize("place", _PLACES)
async def test_the_app_goes_on(checkout: Checkout, place: Callable[[TTMatrixApp], None]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "has:entry")
        place(app)
        await _goes_on(pilot, app, "has:entry")


async def test_a_key_whose_action_fails_does_not_stop_the_keys_after_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(View, "filter", _raise)
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "has")
        await pilot.pause()
        monkeypatch.undo()
        assert len(_messages(app)) == 1
        _forgive(app)
        await type_text(pilot, ":entry")
        line = app.matrix_screen.query_one(QueryInput)
        await until(pilot, lambda: line.value == "has:entry", "all letters")
        assert str(app.session.view.query) == "has:entry"


async def test_a_widget_that_cannot_be_painted_costs_only_its_own_lines(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        with monkeypatch.context() as broken:

            def render_lines(_: MatrixTable, crop: Region) -> list[Strip]:
                return list(_raise(crop))

            broken.setattr(MatrixTable, "render_lines", render_lines)
            app.matrix_screen.table.refresh()
            app.screen.refresh()
            # The pilot would paint by itself, and get the exception.
            while not _messages(app):
                await asyncio.sleep(0.001)
            await _goes_on(pilot, app, "")
        assert "mode:inference" in screen_text(app)


async def test_a_look_at_the_disk_that_fails_is_followed_by_the_next(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "x")
        looker, looks = app.polling._looker, list[int]()
        look = looker.look

        def failing_first() -> Seen:
            looks.append(1)
            return look() if looks[1:] else _raise()

        monkeypatch.setattr(app.polling._rounds, "_work", failing_first)
        app.polling.now()
        for _ in range(1000):
            if len(looks) > 1:
                break
            await pilot.pause(0.01)
        assert len(looks) > 1
        await _goes_on(pilot, app, "x")


async def test_before_the_first_frame_an_exception_ends_the_app(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to go on with, and nothing that could be lost."""
    monkeypatch.setattr("tui.screens.matrix.screen.MatrixScreen.on_mount", _raise)
    app = build_app(checkout)
    with pytest.raises(KeyError):
        async with app.run_test(size=(100, 30)):
            pass


async def test_of_a_mistake_that_comes_again_and_again_one_message_and_three_tracebacks_are_made(
    checkout: Checkout,
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("j")
        for _ in range(10):
            _in_a_handler(app)
        await pilot.pause()
        assert len(_messages(app)) == 1
        (file,) = paths().errors.iterdir()
        assert file.read_text().count("in _raise") == 3
        assert "MatrixScreen" in file.read_text()
        _forgive(app)


def test_where_nothing_can_be_written_the_message_says_so(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("in the way")
    said: list[Mistake] = []
    failures = Failures(tmp_path / "errors", said.append, str)
    try:
        _raise()
    except KeyError as error:
        failures.show(failures.written(error))
    assert "could not be written" in str(said[0])


def test_old_files_are_removed(tmp_path: Path) -> None:
    for at in range(40):
        (tmp_path / f"20200101-0000{at:02}-1.txt").write_text("old")
    failures = Failures(tmp_path, lambda _: None, str)
    failures.written(KeyError("runs"))
    names = sorted(file.name for file in tmp_path.iterdir())
    assert len(names) == 20
    assert "20200101-000039-1.txt" in names


async def test_a_key_reaches_what_has_the_focus_after_a_failure(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("j")
        _in_a_handler(app)
        await pilot.pause()
        _forgive(app)
        await app.on_event(Key("question_mark", "?"))
        await until(pilot, lambda: len(app.screen_stack) == 2, "help")
