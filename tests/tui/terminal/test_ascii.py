# SPDX-License-Identifier: Apache-2.0
"""ASCII only: everything is as wide as before, and our glyphs keep their meaning."""

from pathlib import Path

from hypothesis import given, strategies as st
from rich.cells import cell_len

import tui
from tui.terminal.ascii import ascii_only

_SOURCES = [path for path in Path(tui.__file__).parent.rglob("*") if path.suffix in (".py", ".tcss")]


@given(st.text())
def test_every_character_is_ascii_and_takes_its_cells(text: str) -> None:
    plain = ascii_only(text)
    assert plain.isascii()
    beyond = [one for one in text if not one.isascii()]
    assert len(plain) - (len(text) - len(beyond)) == sum(cell_len(one) for one in beyond)


def test_what_steers_the_terminal_stays() -> None:
    assert ascii_only("\x1b[1;31m✓ accept…\x1b[0m\r\n") == "\x1b[1;31m+ accept~\x1b[0m\r\n"


def test_boxes_keep_their_shape() -> None:
    assert [ascii_only(line) for line in ("╭──┬╮", "│  ┃│", "╰──┴╯", "█▇▊░")] == ["+--++", "|  ||", "+--++", "#*#:"]


def test_no_sign_of_ours_becomes_a_question() -> None:
    signs = {sign for path in _SOURCES for sign in path.read_text(encoding="utf-8") if not sign.isascii()}
    assert len(signs) > 20
    assert {sign for sign in signs if ascii_only(sign) == "?"} == set()
