# SPDX-License-Identifier: Apache-2.0
"""A dialog that has the whole screen has its rules, its indent and its last lines."""

from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.support.app import build_app, screen_text, until
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.screens.run_list import LogDiff
from tui.screens.side_by_side import SideBySide
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import ListedPairs, Pair

_LINES = ["--- a", "+++ b", *(f"-line {nth}" for nth in range(98))]
_SIZE = (80, 24)


def _pairs() -> SideBySide:
    return SideBySide("Two logs", ("first", "second"), ListedPairs([Pair("x" * 60, "y" * 60, True)] * 100))


def _lines(app: App[None]) -> list[str]:
    return screen_text(app).split("\n")


async def _shown(app: App[None], pilot: Pilot[None], dialog: WholeDialog[None], place: str) -> list[str]:
    app.push_screen(dialog)
    await until(pilot, lambda: app.screen is dialog and place in _lines(app)[0], "the dialog")
    return _lines(app)


async def test_a_rule_is_first_and_messages_and_keys_are_last(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=_SIZE) as pilot:
        dialog = LogDiff(_LINES)
        first, *texts, message, keys = await _shown(app, pilot, dialog, "21 of 100")
        assert first.startswith("━ Two logs · without times, addresses and names of runs ━")
        assert first.endswith(" 21 of 100 ━")
        assert texts[:3] == [" --- a", " +++ b", " -line 0"]
        assert message == ""
        assert keys.startswith(" ↑ ↓") and keys.endswith("esc close")
        dialog.say("Something is said.")
        await until(pilot, lambda: _lines(app)[-2] == " Something is said.", "the message")


async def test_the_rule_says_where_one_is_after_a_key_and_in_another_size(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=_SIZE) as pilot:
        await _shown(app, pilot, LogDiff(_LINES), "21 of 100")
        await pilot.press("down")
        await until(pilot, lambda: " 22 of 100 ━" in _lines(app)[0], "the next line")
        await pilot.press("G")
        await until(pilot, lambda: " 100 of 100 ━" in _lines(app)[0], "the end")
        await pilot.press("g")
        await until(pilot, lambda: " 21 of 100 ━" in _lines(app)[0], "the beginning")
        await pilot.resize_terminal(100, 44)
        await until(pilot, lambda: _lines(app)[0].endswith(" 41 of 100 ━") and len(_lines(app)[0]) == 100, "more lines")


async def test_both_sides_are_below_their_heads_and_whole(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=_SIZE) as pilot:
        first, heads, pair, *_ = await _shown(app, pilot, _pairs(), "20 of 100")
        assert first.startswith("━ Two logs · 100 lines differ ━")
        assert heads.startswith(" first ") and heads.index("second") == pair.index("y")
        assert pair.startswith(" x")
        # What is cut says so on both sides.
        assert pair.count("…") == 2


@pytest.mark.slow("git makes a history")
async def test_the_rule_of_the_pane_with_the_keys_is_heavy(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"), query="tinynet/pytorch-tiny/net-v1.5-single_device-inference")
    async with app.run_test(size=(120, 40)) as pilot:

        def rule(words: str) -> str:
            return next((line for line in _lines(app) if f" {words} " in line and line[0] in "━─"), "")

        await pilot.press("H")
        await until(pilot, lambda: rule("what it did to the entry").startswith("─"), "the newest step")
        assert _lines(app)[0].startswith("━ tinynet/pytorch-tiny/net-v1.5-single_device-inference ━")
        assert " 1 of " in _lines(app)[0]
        await pilot.press("down")
        await until(pilot, lambda: " 2 of " in _lines(app)[0], "the place")
        await pilot.press("tab")
        await until(pilot, lambda: rule("what it did to the entry").startswith("━"), "the keys there")
        assert _lines(app)[0].startswith("─")
        await pilot.press("enter")
        await until(pilot, lambda: bool(rule("the whole commit")), "the whole commit")
