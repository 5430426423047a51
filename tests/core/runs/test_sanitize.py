# SPDX-License-Identifier: Apache-2.0
"""core.runs.sanitize: no terminal control survives, and harmless text stays as it is."""

import time
import unicodedata

import pytest
from hypothesis import given, strategies as st

from core.runs import plain_line
from core.runs.sanitize import visible_lines, without_sequences

hostile = st.text(st.characters() | st.sampled_from("\x1b[]\\;m\x07\x90\x9b\x9c\x9d\r\t\u202e\u2066\ud800"))


@given(hostile)
def test_nothing_that_controls_a_terminal_survives(text: str) -> None:
    shown = plain_line(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(shown) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert plain_line(shown) == shown


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs", "M")), max_size=4000))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain_line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jx\x1bPdata\x1b\\y\x1b(Bz", "xyz"),
        ("10%\r50%\r100%\r\n", "100%"),
        ("\ta\tb", "        a       b"),
        ("a\x00b\x7fc\x85d", "a�b�c�d"),
        ("a\u202eb", "a�b"),
        ("\x1b]never closed", "never closed"),
        ("\x1b", "�"),
        ("a\nb", "a b"),
        ("\ud800", "?"),
    ],
)
def test_each_kind_of_control(text: str, shown: str) -> None:
    assert plain_line(text) == shown


def test_a_long_line_is_cut_and_says_so() -> None:
    assert plain_line("x" * 4000) == "x" * 4000
    assert plain_line("x" * 4001) == "x" * 3999 + "…"
    assert plain_line("abcdef", 4) == "abc…"


def test_carriage_returns_without_end_take_no_time() -> None:
    begin = time.process_time()
    assert visible_lines(b"\r" * 200_000 + b"x\nlast" + b"\r" * 200_000) == ["x", "last"]
    # Minutes, if each of them is tried as the first one.
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("begins", ["\x9d", "\x90a", "\x1b]", "\x1bPa"])
def test_strings_without_end_take_no_time(begins: str) -> None:
    begin = time.process_time()
    assert "\x9d" not in plain_line(without_sequences(begins * 100_000) + "x")
    assert time.process_time() - begin < 5


def test_a_control_inside_a_string_begins_another_sequence() -> None:
    assert without_sequences("a\x9dtitle\x9b31mb\x90c\x9c") == "a\x9dtitleb"
