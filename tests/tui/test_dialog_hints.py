# SPDX-License-Identifier: Apache-2.0
"""The line of hints of a dialog names its keys, and no key that does nothing."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Label

import tui.screens
from core.base.errors import TTMatrixError
from core.matrix.view import Targets
from core.runs.planning import KINDS
from tests.support.app import build_app, screen_text, until
from tests.support.tree import sample
from tui.app.app import Appearance, TTMatrixApp
from tui.key_names import ARROWS, KEY_NAMES
from tui.keymap import read_keymap
from tui.screens import Ask, Confirm, Dialog, Launch, Notice, Option, Pick
from tui.screens.group_decision import GroupDecision
from tui.screens.run_list import LogDiff
from tui.screens.side_by_side import SideBySide
from tui.screens.target_question import TargetQuestion
from tui.view_models import ListedPairs, Pair
from tui.widgets import LinesView, RowTable


def _dialogs() -> list[type[Dialog[Any]]]:
    for found in pkgutil.walk_packages(tui.screens.__path__, "tui.screens."):
        importlib.import_module(found.name)

    def below(kind: type[Dialog[Any]]) -> Iterator[type[Dialog[Any]]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    return sorted(set(below(Dialog)), key=lambda one: one.__qualname__)


def _keys_of(kind: type[Widget]) -> set[str]:
    bound = [one for base in kind.__mro__ for one in vars(base).get("BINDINGS", ())]
    return {key for one in bound for key in (one.key if isinstance(one, Binding) else one[0]).split(",")}


@pytest.mark.parametrize("kind", _dialogs(), ids=lambda one: one.__name__)
def test_each_key_has_an_action_or_is_one_of_a_field(kind: type[Dialog[Any]]) -> None:
    for one in kind.KEYS:
        assert one.hint or one.help, "the list of keys has nothing to say of it"
        if one.of is not None:
            assert not one.action
            assert set(one.keys.split(",")) <= _keys_of(one.of)
        elif one.action.startswith("app."):
            assert one.action in ("app.focus_next", "app.focus_previous")
        else:
            assert callable(getattr(kind, f"action_{one.action.partition('(')[0]}"))


def test_no_dialog_writes_its_line_of_hints_or_its_bindings_by_hand() -> None:
    for file in Path(tui.screens.__file__).parent.rglob("*.py"):
        text = file.read_text()
        if file.name != "dialogs.py":
            assert "dialog-hint" not in text, file
            assert not ("(Dialog[" in text and "Binding(" in text), file


def _hinted(dialog: Dialog[Any]) -> list[str]:
    """The keys that the line names, by Textual's names."""
    names = {shown: key for key, shown in (*KEY_NAMES.items(), *ARROWS.items())}
    line = str(dialog.query_one("#dialog-hint", Label).visual)
    found = []
    for hint in line.split("   "):
        words = hint.split(" ")
        known = [names.get(word, word.replace("^", "ctrl+")) for word in words]
        # A hint begins with its keys; the others have more than one letter and are no key.
        first = next(at for at, key in enumerate(known) if at and not (len(key) == 1 or words[at] in names))
        found += known[:first]
    return found


def _some() -> list[Dialog[Any]]:
    pairs = ListedPairs([Pair("a", "b", True)])
    targets = Targets(("one", "two"), ("two",))
    return [
        Confirm("Stop it?", "", verb="stop it"),
        Confirm("Accept it?", "", verb="accept", other="accept with the marker"),
        Notice(TTMatrixError("It is broken")),
        Ask("How many?", verb="queue"),
        Pick("Which?", [Option(1, "one", "the first")]),
        LogDiff(["--- a", "+++ b"]),
        SideBySide("Two logs", ("a", "b"), pairs),
        TargetQuestion("Run", targets),
        GroupDecision("A group", 2, proposed="fail", reasons=(), archs=("n150", "p150"), leaving=1),
    ]


async def _opened(app: TTMatrixApp, pilot: Pilot[None], dialog: Dialog[Any]) -> None:
    app.push_screen(dialog)
    await until(pilot, lambda: app.screen is dialog and bool(dialog.query("#dialog-hint")), "the dialog")


@pytest.mark.parametrize("at", range(len(_some())))
async def test_each_key_of_the_line_works(tmp_path: Path, at: int) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 36)) as pilot:
        dialog = _some()[at]
        await _opened(app, pilot, dialog)
        await _all_work(dialog)


@pytest.mark.parametrize("key", ["E", "R", "V", "C", "m", "M", "colon", "H"])
async def test_each_key_of_the_line_of_a_dialog_of_the_matrix_works(tmp_path: Path, key: str) -> None:
    app = build_app(sample(tmp_path), query="tiny-single_device-training")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Dialog) and bool(app.screen.query("#dialog-hint")), "it")
        assert isinstance(app.screen, Dialog)
        await _all_work(app.screen)


async def _all_work(dialog: Dialog[Any]) -> None:
    hinted = _hinted(dialog)
    assert hinted[-1] == "escape"
    working = {key for key, one in dialog.active_bindings.items() if one.enabled}
    for widget in [one for one in dialog.query("*") if one.focusable]:
        dialog.set_focus(widget)
        working |= {key for key, one in dialog.active_bindings.items() if one.enabled}
    assert set(hinted) <= working


async def test_a_key_that_does_nothing_now_is_not_on_the_line(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 36)) as pilot:
        plain: Confirm = Confirm("Stop it?", "", verb="stop it")
        await _opened(app, pilot, plain)
        assert _hinted(plain) == ["y", "escape"]
        await pilot.press("I")
        assert app.screen is plain and not plain.other_chosen
        await pilot.press("escape")
        pick = Pick("Which?", [Option(1, "one", "the first")])
        app.push_screen(pick)
        await until(pilot, lambda: app.screen is pick and isinstance(app.focused, Input), "the list")
        await pilot.press("x")
        await until(pilot, lambda: "Nothing matches" in pick.hint_words(), "no match")
        line = str(pick.query_one("#dialog-hint", Label).visual)
        assert line == "Nothing matches what is typed   esc cancel"


async def test_a_key_that_a_person_has_given_away_is_not_on_the_line(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), look=Appearance(keymap=read_keymap("vim", {"lines.up": "k", "lines.down": "j"})))
    async with app.run_test(size=(100, 36)) as pilot:
        diff = LogDiff(["--- a", "+++ b"])
        await _opened(app, pilot, diff)
        await until(pilot, lambda: isinstance(app.focused, LinesView), "the lines")
        await until(pilot, lambda: _hinted(diff) == ["pageup", "pagedown", "left", "right", "escape"], "the other keys")


async def test_where_a_letter_is_typed_the_line_does_not_name_it(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="tiny-single_device-training")
    async with app.run_test(size=(100, 36)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, Launch) and bool(app.screen.query("#kind")), "the dialog")
        line = app.screen.query_one("#dialog-hint", Label)
        assert "y copy" in str(line.visual)
        await pilot.press(*["right"] * (1 + list(KINDS).index("export")))
        await until(pilot, lambda: bool(app.screen.query("#export-path")), "the fields of an export")
        await pilot.press(*["down"] * 6, "y")
        await until(pilot, lambda: app.screen.query_one("#export-path", Input).value == "y", "the letter")
        assert "y copy" not in str(line.visual)
        await pilot.press("up")
        await until(pilot, lambda: "y copy" in str(line.visual), "the key again")


@pytest.mark.parametrize("count", [3, 200])
async def test_a_list_is_as_high_as_its_options_and_stays_so_while_one_types(tmp_path: Path, count: int) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 50)) as pilot:
        pick = Pick("Which?", [Option(at, f"option {at}", "a choice") for at in range(count)])
        app.push_screen(pick)
        await until(pilot, lambda: bool(pick.query(RowTable)) and pick.query_one(RowTable).size.height > 0, "the list")
        height = pick.query_one(RowTable).size.height
        assert height == count + 1 if count == 3 else 25 < height < 45
        await pilot.press("2")
        await until(pilot, lambda: "option 0" not in screen_text(app), "what matches")
        assert pick.query_one(RowTable).size.height == height


async def test_keys_look_as_on_the_line_of_keys_of_a_screen(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 50)) as pilot:
        question: Confirm = Confirm("Stop it?", "", verb="stop it")
        await _opened(app, pilot, question)
        hint = question.hint_line()
        assert hint.plain == "y stop it   esc cancel"
        assert [hint.plain[one.start : one.end] for one in hint.spans] == ["y", "esc"]
        assert {one.style for one in hint.spans} == {"bold $footer-key-foreground"}
