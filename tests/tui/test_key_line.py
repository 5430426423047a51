# SPDX-License-Identifier: Apache-2.0
"""The line of keys says what works now, in the room there is, and answers the mouse."""

from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Label

from tests.support.app import ThemedApp
from tui.widgets import KeyLine


class Keyed(ThemedApp):
    """One key of its own, two of a widget that can have the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "note('help')", "Help", tooltip="List the keys"),
        Binding("x", "note('hidden')", "Hidden", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def compose(self) -> ComposeResult:
        yield Typed()
        yield Input()
        yield KeyLine()

    def action_note(self, what: str) -> None:
        self.noted.append(what)

    @property
    def line(self) -> str:
        return self.query_one(KeyLine).render_lines(self.query_one(KeyLine).size.region)[0].text


class Typed(Label, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "app.note('filter')", "Filter"),
        Binding("r,R", "app.note('run')", "Run"),
    ]


async def test_the_keys_of_what_has_the_focus_come_first_and_each_action_once() -> None:
    app = Keyed()
    async with app.run_test(size=(40, 6)) as pilot:
        assert app.line.split("   ")[0] == " / Filter  r Run  ? Help"
        app.query_one(Input).focus()
        await pilot.pause()
        # There a question mark is text.
        assert app.line.rstrip() == ""


async def test_the_last_to_go_for_want_of_room_are_those_of_the_app() -> None:
    for width, expected in ((24, " / Filter  r Run  ? Help"), (23, " / Filter … ? Help"), (8, "… ? Help"), (7, "")):
        app = Keyed()
        async with app.run_test(size=(width, 6)):
            assert app.line.rstrip() == expected


@pytest.mark.parametrize(("key", "words"), [("enter", "enter"), ("backspace", "backspace"), ("ctrl+d", "^d")])
async def test_keys_are_in_words_that_every_font_and_ascii_have(key: str, words: str) -> None:
    app = Keyed()
    async with app.run_test(size=(60, 6)):
        app.query_one(Typed)._bindings.bind(key, "app.note('in')", "Open")
        assert f" {words} Open " in app.line


async def test_a_click_presses_the_key_under_it() -> None:
    app = Keyed()
    async with app.run_test(size=(40, 6)) as pilot:
        for x, noted in ((1, ["filter"]), (9, ["filter"] * 2), (12, [*["filter"] * 2, "run"]), (39, None)):
            await pilot.click(KeyLine, offset=(x, 0))
            await pilot.pause()
            if noted is not None:
                assert app.noted == noted
        assert len(app.noted) == 3
        await pilot.hover(KeyLine, offset=(20, 0))
        assert app.query_one(KeyLine).tooltip == "List the keys"
        await pilot.hover(KeyLine, offset=(39, 0))
        assert app.query_one(KeyLine).tooltip is None


async def test_a_click_on_the_sign_for_keys_without_room_does_nothing() -> None:
    app = Keyed()
    async with app.run_test(size=(23, 6)) as pilot:
        await pilot.click(KeyLine, offset=(10, 0))
        await pilot.pause()
        assert app.noted == []
        await pilot.click(KeyLine, offset=(12, 0))
        await pilot.pause()
        assert app.noted == ["help"]
