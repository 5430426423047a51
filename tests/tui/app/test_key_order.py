# SPDX-License-Identifier: Apache-2.0
"""Bursts of keys: a widget opened by a key gets the keys after it, and when it closes the rest is passed on."""

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Input

from core.base.errors import TTMatrixError
from core.edits import OpKind
from core.sources import Checkout
from tests.support.app import ThemedApp, build_app, until
from tests.support.tree import sample
from tui.app import key_order
from tui.app.key_order import KeyOrder
from tui.screens import Confirm
from tui.screens.matrix import SetFields
from tui.screens.review import ReviewScreen


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _burst(app: App[None], *keys: str) -> None:
    """Type named keys and texts (marked by a leading blank) without any processing in between."""
    for key in keys:
        names = [(one, one) for one in key[1:]] if key.startswith(" ") else [(key, None)]
        for name, character in names:
            app.post_message(events.Key(name, character))


async def test_a_form_gets_every_key_behind_the_one_that_opens_it(checkout: Checkout) -> None:
    app = build_app(checkout, query="org/name has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        before = app.matrix_screen.table.cursor
        _burst(app, " E", "down", "down", " rq5T", "down", " 0.97", "enter", " 5")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "what the last key opens")
        assert app.matrix_screen.table.cursor == before
        assert not app.session.runs
    (change,) = app.session.pending.changes
    assert {op.path[-1]: op.value for op in change.ops} == {"reason": "rq5T", "required_pcc": 0.97}


async def test_a_menu_and_the_question_behind_it_in_one_burst(checkout: Checkout) -> None:
    app = build_app(checkout, query="org/name has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        _burst(app, " M", " delete", "enter", "y", " 5")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "the review")
    (change,) = app.session.pending.changes
    assert [op.op for op in change.ops] == [OpKind.REMOVE]


async def test_a_pasted_text_waits_for_its_turn(checkout: Checkout) -> None:
    app = build_app(checkout, query="org/name has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        _burst(app, " E", "down", "down")
        app.post_message(events.Paste("pasted"))
        _burst(app, " X")
        await until(pilot, lambda: isinstance(app.screen, SetFields), "the form")
        await until(pilot, lambda: app.screen.query_one("#field-reason", Input).value.endswith("pastedX"), "the text")


class _Gone(Screen[None]):
    """Its first key removes its line, and with it the follower of that key."""

    def compose(self) -> ComposeResult:
        yield Input()
        yield Input(id="other")

    async def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id != "other" and event.value:
            await event.input.remove()
            self.query_one("#other").focus()


class _Ordered(ThemedApp):
    """An app with nothing but ordered keys."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = KeyOrder(self, super().on_event)

    def on_mount(self) -> None:
        self.keys.start()

    async def on_event(self, event: events.Event) -> None:
        await self.keys.take(event)

    async def on_key_order_followed(self, message: KeyOrder.Followed) -> None:
        await self.keys.followed(message)


async def test_keys_go_on_where_a_widget_goes_with_its_key() -> None:
    app = _Ordered()
    async with app.run_test() as pilot:
        await app.push_screen(_Gone())
        _burst(app, " abc")
        await until(pilot, lambda: len(app.screen.query_one("#other", Input).value) >= 1, "the keys behind")


async def test_keys_wait_for_a_question_that_comes_from_the_background(checkout: Checkout) -> None:
    app, go_on, answers = build_app(checkout), threading.Event(), list[object]()

    def ask(_: object) -> None:
        app.push_screen(Confirm("Sure?", "", verb="go"), answers.append)

    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        app.background.run("slow plan", partial(go_on.wait, 60), ask, asks=True)
        _burst(app, " y", "j")
        await asyncio.sleep(0.05)
        before = app.matrix_screen.table.cursor
        assert not answers
        go_on.set()
        await until(pilot, lambda: app.matrix_screen.table.cursor == before + 1, "the key behind the answer")
    assert answers == [True]


async def test_keys_wait_for_an_error_that_comes_instead(checkout: Checkout) -> None:
    app, go_on = build_app(checkout), threading.Event()

    def fail() -> None:
        go_on.wait(60)
        raise TTMatrixError("No plan")

    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        before = app.matrix_screen.table.cursor
        app.background.run("slow plan", fail, lambda _: None, asks=True)
        _burst(app, "escape", "j")
        go_on.set()
        await until(pilot, lambda: app.matrix_screen.table.cursor == before + 1, "the key behind the error")
        assert app.screen is app.matrix_screen


async def test_keys_go_on_without_a_list_that_takes_too_long(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_order, "_PAUSE_SECONDS", 0.5)
    app, go_on = build_app(checkout), threading.Event()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        before = app.matrix_screen.table.cursor
        app.background.run("slow list", partial(go_on.wait, 60), lambda _: None, lists=True)
        _burst(app, "j", "j")
        assert app.matrix_screen.table.cursor == before
        await until(pilot, lambda: app.matrix_screen.table.cursor == before + 2, "the keys")
        go_on.set()


async def test_keys_are_dropped_for_a_question_that_takes_too_long(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_order, "_PAUSE_SECONDS", 0.5)
    app, go_on, answers = build_app(checkout), threading.Event(), list[object]()

    def ask(_: object) -> None:
        app.push_screen(Confirm("Sure?", "", verb="go"), answers.append)
        _burst(app, " y")

    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "a test")
        before = app.matrix_screen.table.cursor
        app.background.run("slow plan", partial(go_on.wait, 60), ask, asks=True)
        _burst(app, "j", "j")
        await until(pilot, lambda: "were dropped" in "".join(one.message for one in app._notifications), "the words")
        assert app.matrix_screen.table.cursor == before
        # From then on keys work, except those typed before the late question appears.
        await pilot.press("j")
        assert app.matrix_screen.table.cursor == before + 1
        go_on.set()
        await until(pilot, lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.pause()
        assert isinstance(app.screen, Confirm) and not answers
