# SPDX-License-Identifier: Apache-2.0
"""tui.app.bridge: one reader's work does not drop another's; repeated work ends with the app."""

import ast
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
from textual.app import App
from textual.message import Message

import tui
from core.base.errors import TTMatrixError
from tests.support.app import ThemedApp, until
from tui.app.bridge import Background, Repeating, WorkDone
from tui.app.failures import Mistake, place_of
from tui.app.key_order import KeyOrder


def _unexpected(error: BaseException) -> TTMatrixError:
    return Mistake(error, place_of(error), None)


class _App(ThemedApp):
    done = 0
    """How many results have come."""

    def on_work_done(self, message: WorkDone[str]) -> None:
        self.done += 1
        message.deliver()


async def test_newer_work_drops_what_may_be_superseded_and_nothing_else() -> None:
    app, go_on = _App(), Event()
    delivered: list[str] = []

    def slowly(word: str) -> str:
        go_on.wait(60)
        return word

    async with app.run_test() as pilot:
        background = Background(app, KeyOrder(app, app.on_event).pause, _unexpected)
        background.first_frame_written()
        background.run("read", lambda: slowly("written"), delivered.append)
        background.run("read", lambda: slowly("old"), delivered.append, supersede=True)
        background.run("read", lambda: slowly("new"), delivered.append, supersede=True)
        background.run("others", lambda: slowly("of others"), delivered.append, supersede=True)
        go_on.set()
        await until(pilot, lambda: len(delivered) == 3, "the results")
    assert sorted(delivered) == ["new", "of others", "written"]


async def test_what_waits_for_nothing_begins_whatever_else_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    app, go_on = _App(), Event()
    delivered: list[str] = []
    async with app.run_test() as pilot:
        background = Background(app, KeyOrder(app, app.on_event).pause, _unexpected)
        background.start()
        background.first_frame_written()
        for at in range(12):
            background.run(f"waits {at}", lambda: go_on.wait(60), lambda _: None)
        background.run("night", lambda: "night", delivered.append)
        await until(pilot, lambda: delivered == ["night"], "what waits for nothing")
        go_on.set()


async def test_a_thread_that_is_late_with_its_result_does_not_replace_a_newer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, held, go_on, posted = _App(), Event(), Event(), Event()
    delivered: list[str] = []
    post = app.post_message

    def posting(message: Message) -> bool:
        """The first thread stops right before its message."""
        if current_thread() is main_thread() or held.is_set():
            return post(message)
        held.set()
        assert go_on.wait(60)
        try:
            return post(message)
        finally:
            posted.set()

    async with app.run_test() as pilot:
        background = Background(app, KeyOrder(app, app.on_event).pause, _unexpected)
        background.first_frame_written()
        monkeypatch.setattr(app, "post_message", posting)
        background.run("read", lambda: "old", delivered.append, supersede=True)
        await until(pilot, held.is_set, "the first result")
        background.run("read", lambda: "new", delivered.append, supersede=True)
        await until(pilot, lambda: bool(delivered), "the second result")
        go_on.set()
        await until(pilot, posted.is_set, "the late message")
    assert delivered == ["new"]


def test_a_name_of_work_that_may_be_superseded_is_one_readers_alone() -> None:
    names = Counter(_superseded())
    assert len(names) > 10
    assert [name for name, times in names.items() if times > 1] == []


def _superseded() -> Iterator[str]:
    for path in Path(tui.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and any(one.arg == "supersede" for one in node.keywords):
                name = node.args[0]
                # A name that is made begins with what is its own: "workspace " and the name of the value.
                first = name.values[0] if isinstance(name, ast.JoinedStr) else name
                assert isinstance(first, ast.Constant), f"{path}: a name of its own"
                yield str(first.value)


async def test_what_is_started_after_its_end_does_nothing() -> None:
    done: list[int] = []
    app = App[None]()
    async with app.run_test() as pilot:
        rounds = Repeating(app, "rounds", 60, lambda: done.append(1), lambda _: None)
        rounds.stop()
        rounds.start()
        rounds.now()
        await pilot.pause()
    assert done == []


async def test_a_round_in_progress_at_the_end_delivers_nothing() -> None:
    app, begun, go_on, delivered = _App(), Event(), Event(), list[str]()

    def round_() -> str:
        begun.set()
        go_on.wait(60)
        return "late"

    async with app.run_test() as pilot:
        rounds = Repeating(app, "rounds", 60, round_, delivered.append)
        rounds.now()
        await until(pilot, begun.is_set, "the round")
        rounds.stop()
        go_on.set()
        await until(pilot, lambda: app.done > 0, "its result")
    assert delivered == []


async def test_a_round_that_had_not_begun_at_the_end_is_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        """A thread that has begun nothing when it is stopped."""

        def __init__(self, _: int, name: str) -> None:
            self._future: Future[str] = Future()

        def submit(self, _: object) -> Future[str]:
            return self._future

        def shutdown(self, **_: bool) -> None:
            self._future.cancel()

    monkeypatch.setattr("tui.app.bridge.ThreadPoolExecutor", Busy)
    app, delivered = _App(), list[str]()
    async with app.run_test() as pilot:
        rounds = Repeating(app, "rounds", 60, lambda: "never", delivered.append)
        rounds.now()
        rounds.stop()
        await pilot.pause()
    assert delivered == []
