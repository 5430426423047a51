# SPDX-License-Identifier: Apache-2.0
"""A dialog is as large as what it holds, keeps its size while one types, and says where the cursor is in its list."""

from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Size
from textual.pilot import Pilot

from core.base.errors import TTMatrixError
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import Ask, Confirm, Dialog, Notice, Option, Pick
from tui.widgets import DialogBox

_FEW = [Option(nth, f"name {nth}", "what it does") for nth in range(3)]
_MANY = [Option(nth, f"name {nth}", "what it does" * (nth == 60)) for nth in range(99)]


async def _opened(app: TTMatrixApp, pilot: Pilot[None], dialog: Dialog[Any]) -> Size:
    app.push_screen(dialog)
    await until(pilot, lambda: app.screen is dialog and dialog.query_one(DialogBox).size.width > 0, "the dialog")
    return dialog.query_one(DialogBox).outer_size


async def test_a_short_question_is_a_small_box(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        assert await _opened(app, pilot, Confirm("Really?", "It is for good.", verb="do it")) == (44, 7)


async def test_a_path_is_not_broken_while_there_is_room(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    path = "/".join(["directory"] * 14)
    async with app.run_test(size=(200, 24)) as pilot:
        size = await _opened(app, pilot, Notice(TTMatrixError("It is broken", detail=path, hint="a word " * 40)))
        assert path in screen_text(app)
        assert "✗ It is broken" in screen_text(app)
        assert size.width == len(path) + 4
        await pilot.press("escape")
        size = await _opened(app, pilot, Notice(TTMatrixError("It is broken", hint="a word " * 40)))
        assert size.width == 104


async def test_a_line_to_type_in_is_as_long_as_what_is_in_it(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(200, 24)) as pilot:
        assert (await _opened(app, pilot, Ask("Which?", value="x" * 120))).width == 125


async def test_a_list_has_all_its_rows_and_no_more_and_keeps_its_size(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        size = await _opened(app, pilot, Pick("Which?", _FEW))
        assert size == (44, 11)
        assert "name 0" in screen_text(app)
        assert "name 2" in screen_text(app)
        await until(pilot, lambda: "1 of 3" in screen_text(app), "the place")
        await pilot.press("down")
        await until(pilot, lambda: "2 of 3" in screen_text(app), "the next place")
        await type_text(pilot, "name 1")
        await until(pilot, lambda: "1 of 1" in screen_text(app), "one option")
        assert app.screen.query_one(DialogBox).outer_size == size


async def test_a_long_list_is_as_high_as_the_window_with_its_keys(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        assert (await _opened(app, pilot, Pick("Which?", _MANY))).height == 24
        assert "esc cancel" in screen_text(app)
        await pilot.resize_terminal(60, 16)
        await until(pilot, lambda: app.screen.query_one(DialogBox).outer_size.height == 16, "the lower box")
        assert "esc cancel" in screen_text(app)


@pytest.mark.parametrize("theme", ["dark", "mono"])
async def test_the_option_that_enter_takes_looks_like_a_row_with_the_keys(tmp_path: Path, theme: str) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = theme
        await _opened(app, pilot, Pick("Which?", _FEW))
        row = next(line for line in app.screen._compositor.render_strips() if "name 0" in line.text)
        piece = next(one for one in row if "name 0" in one.text)
        assert piece.style is not None
        if theme == "mono":
            assert piece.style.reverse
        else:
            assert piece.style.bgcolor is not None
            assert piece.style.bgcolor.name == app.theme_variables["cursor"]


async def test_a_form_is_as_wide_as_its_values(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="tiny-single_device-training")
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, Dialog), "the form")
        box = app.screen.query_one(DialogBox)
        await until(pilot, lambda: box.size.width > 0, "its size")
        assert box.outer_size.width < 90
        assert box.outer_size.height < 40
        assert "esc cancel" in screen_text(app)
