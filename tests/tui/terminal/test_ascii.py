# SPDX-License-Identifier: Apache-2.0
"""ASCII only: everything is as wide as before, and our glyphs keep their meaning."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

import core
import tui
from core.base.text import bars
from core.matrix import index
from tests.support.terminal import Terminal
from tests.support.tree import sample
from tui.commands import Where
from tui.terminal.ascii import WholeCells, ascii_only
from tui.view_models import legend
from tui.view_models.hosts import lease_bar

_ROOT = Path(__file__).parents[3]
_SOURCES = [
    path
    for package in (core, tui)
    for path in Path(str(package.__file__)).parent.rglob("*")
    if path.suffix in (".py", ".tcss")
]


@given(st.text())
def test_every_character_is_ascii_and_takes_its_cells(text: str) -> None:
    plain = ascii_only(text)
    assert plain.isascii()
    beyond = [one for one in text if not one.isascii()]
    assert len(plain) - (len(text) - len(beyond)) == sum(cell_len(one) for one in beyond)


def test_what_steers_the_terminal_stays() -> None:
    assert ascii_only("\x1b[1;31m✓ accept…\x1b[0m\r\n") == "\x1b[1;31m+ accept~\x1b[0m\r\n"


def test_boxes_keep_their_shape() -> None:
    assert [ascii_only(line) for line in ("╭──┬╮", "│  ┃│", "╰──┴╯", "█▇▊░")] == ["+--++", "|  ||", "+--++", "#**:"]


def test_no_sign_of_ours_becomes_a_question() -> None:
    signs = {sign for path in _SOURCES for sign in path.read_text(encoding="utf-8") if not sign.isascii()}
    assert len(signs) > 20
    assert {sign for sign in signs if ascii_only(sign) == "?"} == set()


def test_what_pictures_tell_apart_stays_apart() -> None:
    for fills in (
        "█▓▒░▁·",
        bars(range(8)),
        "█▓▁▌░",
        "".join(lease_bar(450.0 * eighths)[0] for eighths in (1, 2, 3, 4)),
    ):
        assert len({*ascii_only(fills)}) == len(fills), fills
    # Half an hour does not look like a whole one.
    assert [ascii_only(lease_bar(seconds)).strip() for seconds in (450, 1200, 3600, 12_300)] == [".", "-", "#", "###*"]


def test_signs_of_a_screen_stay_apart(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path))
    shown = [[one.sign for one in legend(str(where), matrix, grid=grid)] for where in Where for grid in (False, True)]
    assert sum(map(len, shown)) > 100
    for signs in shown:
        assert len({*map(ascii_only, signs)}) == len({*signs}), signs


@pytest.mark.parametrize("vertical", [True, False])
@pytest.mark.parametrize("position", [0, 1, 30, 31.5, 80])
def test_a_scroll_bar_has_no_letters(vertical: bool, position: float) -> None:
    bar = WholeCells.render_bar(20, 100, 20, position, 1, vertical)
    cells = [one for one in bar.segments if one.text != "\n"]
    thumb = [at for at, one in enumerate(cells) if one.style is not None and one.style.reverse]
    assert {one.text for one in cells} == {" "}
    assert len(thumb) == 4 and all(after == before + 1 for before, after in pairwise(thumb))
    assert (thumb[0] == 0) == (position < 5) and (thumb[-1] == 19) == (position == 80)


@pytest.mark.slow("the app runs on a real terminal")
def test_a_terminal_gets_nothing_else(tmp_path: Path) -> None:
    argv = ["-c", "from tui.__main__ import main; main()", "--repo", str(sample(tmp_path / "tt-xla").root), "--ascii"]
    with Terminal([sys.executable, *argv, "--screen", "matrix"], {"PYTHONPATH": str(_ROOT)}, warm=True) as terminal:
        terminal.until("test id")
        terminal.press("?")
        terminal.until("Keys that work here")
        assert {line[-3:] for line in terminal.text.splitlines()[1:-1]} == {"  |"}, "a scroll bar of whole cells"
        terminal.press("down", "esc")
        for key, words in (("0", "tests by arch"), ("2", "No runs yet"), ("6", "1 finding"), ("4", "no results yet")):
            terminal.press(key)
            terminal.until(words)
        assert terminal.output.isascii()
