# SPDX-License-Identifier: Apache-2.0
"""Every field of queries, typed letter by letter while facts are missing, come late or cannot be read."""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.errors import TTMatrixError
from core.matrix.query import FIELDS, Learned, Query
from core.matrix.view import GROUPINGS
from core.sources import Checkout
from core.workspace import Workspace
from tests.support.app import build_app, screen_text
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.app.bridge import Background
from tui.screens import SCREENS
from tui.screens.matrix import filter as filter_module
from tui.session import Session
from tui.widgets import QueryInput, WordFilter

_VALUES = {"first_bad": "2026-11-01", "age": "30d", "kind": "model", "verdict": "stale"}
_NAMES = [one.name for one in FIELDS if one.name]


def _texts() -> Iterator[str]:
    """A query about each field: with a value, compared, negated, and as the second of two."""
    for name in _NAMES:
        value = _VALUES.get(name, "1")
        yield f"{name}:{value}"
        yield f"a !{name}:none"
    yield from ("is:stale", "flaky:>0.2", "(turned:broke or job:none) name:x", 'reason~"a.*"', "verdict~st")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("fields") / "tt-xla")


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits until nobody types comes after every letter."""
    monkeypatch.setattr(filter_module, "_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(filter_module, "_REST_SECONDS", 0.001)


class _Facts:
    """Replaces `Session.compute_columns`; what it does can be changed while the app runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
        self._how = how
        self._go_on = threading.Event()
        self._compute = Session.compute_columns
        facts = self

        def compute(session: Session, workspace: Workspace, names: Iterable[str]) -> Learned:
            return facts.compute(session, workspace, names)

        monkeypatch.setattr(Session, "compute_columns", compute)

    def compute(self, session: Session, workspace: Workspace, names: Iterable[str]) -> Learned:
        if self._how == "fails":
            raise TTMatrixError("The store cannot be read", "disk full")
        if self._how == "breaks":
            raise KeyError("runs")
        self._go_on.wait(600)
        return self._compute(session, workspace, names)

    def arrive(self) -> None:
        self._go_on.set()


async def _type(pilot: Pilot[Any], app: TTMatrixApp, text: str, each: Callable[[], None] = lambda: None) -> None:
    """Type it letter by letter; the screen is painted and timers run after each."""
    line = app.matrix_screen.query_one(QueryInput)
    line.value = ""
    for at, letter in enumerate(text):
        line.insert_text_at_cursor(letter)
        await pilot.pause(0.001)
        assert line.value == text[: at + 1]
        each()
    assert str(app.session.view.query) == str(Query.parse(text)) or line.screen.query(".error"), text


def _expected(app: TTMatrixApp, how: str) -> None:
    """What goes wrong in our own code fails a test, unless it was meant."""
    if how == "breaks" and isinstance(app._exception, KeyError):
        app._exception = None
    assert app._exception is None


@pytest.mark.slow("all fields, letter by letter")
@pytest.mark.parametrize("how", ["missing", "fails", "breaks"])
async def test_what_is_typed_stays(checkout: Checkout, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = _Facts(monkeypatch, how)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("slash")
        for text in _texts():
            await _type(pilot, app, text, lambda: _expected(app, how))
        await _type(pilot, app, "verdict:stale")
        assert ("cannot be read" if how != "missing" else "reading the") in screen_text(app)
        await pilot.press("enter")
        await _type(pilot, app, "status:xfail")
        assert app.session.view.rows
        facts.arrive()
        _expected(app, how)


@pytest.mark.slow("each field waits for its facts anew")
@pytest.mark.parametrize("letters", [1, 4, 9])
async def test_facts_that_come_after_some_letters_are_used(
    checkout: Checkout, letters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("slash")
        for text in _texts():
            app.session.view.learned = {}
            app.facts.matrix_replaced({})
            with monkeypatch.context() as patch:
                facts = _Facts(patch, "late")
                typed: list[str] = []

                def letter(typed: list[str] = typed, facts: _Facts = facts) -> None:
                    typed.append("")
                    if len(typed) == letters:
                        facts.arrive()
                    assert app._exception is None

                await _type(pilot, app, text, letter)
                facts.arrive()
                for _ in range(2000):
                    if not app.session.view.missing():
                        break
                    await pilot.pause(0.005)
            await pilot.pause()
            assert not app.session.view.missing(), text
            assert app._exception is None
            assert "reading the" not in screen_text(app).splitlines()[2], text


@pytest.mark.parametrize("how", ["missing", "fails"])
async def test_groups_and_grids_do_without_facts(checkout: Checkout, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = _Facts(monkeypatch, how)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        for group in GROUPINGS:
            app.session.view.group = group.name
            app.matrix_screen.show_rows()
            await _type(pilot, app, "is:stale job:none")
            assert app._exception is None
        facts.arrive()


@pytest.mark.parametrize("how", [TTMatrixError("No", "disk full"), KeyError("runs")], ids=["fails", "breaks"])
async def test_words_stay_on_every_screen_whose_work_fails(
    checkout: Checkout, how: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Background.run

    def fail() -> Any:
        raise how

    def run_failing(self: Background, name: str, work: Any, *arguments: Any, **options: Any) -> None:
        run(self, name, work if name in ("start", "screens") else fail, *arguments, **options)

    monkeypatch.setattr(Background, "run", run_failing)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        for entry in SCREENS:
            app.navigation.show(app.matrix_screen)
            app.navigation.switch(entry.where.value)
            await pilot.pause()
            while len(app.screen_stack) > 2:
                app.pop_screen()
            for line in app.screen.query(WordFilter):
                line.open()
                for letter in "no reason":
                    line.input.insert_text_at_cursor(letter)
                    await pilot.pause(0.001)
                assert line.words == "no reason", entry
            assert app.is_running
            if app._exception is how:
                app._exception = None
            assert app._exception is None, entry
