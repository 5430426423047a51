# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.ansi: what is coloured is what is shown without colours, and nothing steers the terminal."""

import pytest
from hypothesis import given, strategies as st

from core.runs import plain_line
from core.runs.log import PLAIN, Look, coloured_line

hostile = st.text(
    st.characters(exclude_characters="\n") | st.sampled_from("\x1b[]\\;m0139\x07\x90\x9b\x9c\x9d\r\t\u202e")
)


@given(hostile, st.integers(1, 50))
def test_the_spans_joined_are_the_plain_line(text: str, limit: int) -> None:
    assert "".join(span for span, _ in coloured_line(text)) == plain_line(text)
    assert "".join(span for span, _ in coloured_line(text, limit)) == plain_line(text, limit)


@pytest.mark.parametrize(
    ("codes", "look"),
    [
        ("31", Look(colour=1)),
        ("1;92", Look(bold=True, colour=10)),
        ("38;5;208", Look(colour=208)),
        ("48;2;1;2;300", Look(background=(1, 2, 255))),
        ("38:5:7", Look(colour=7)),
        ("107", Look(background=15)),
        ("31;39;7", Look(reverse=True)),
        ("1;2;22;3", Look(italic=True)),
        ("31;0", PLAIN),
        ("31;", PLAIN),
        ("38;5", Look(colour=0)),
        ("38;9", PLAIN),
        ("5;8;1234567890", PLAIN),
    ],
)
def test_codes(codes: str, look: Look) -> None:
    assert coloured_line(f"\x1b[{codes}mx") == [("x", look)]


def test_a_look_lasts_until_it_is_changed_and_other_sequences_change_nothing() -> None:
    assert coloured_line("a\x1b[31mb\x1b[2Kc\x1b]0;title\x07\x1b[md") == [
        ("a", PLAIN),
        ("b", Look(colour=1)),
        ("c", Look(colour=1)),
        ("d", PLAIN),
    ]


def test_a_tab_counts_from_the_beginning_of_the_line() -> None:
    assert coloured_line("abc\x1b[1m\tx")[1][0] == "     x"
