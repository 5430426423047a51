# SPDX-License-Identifier: Apache-2.0
"""Text from outside cannot steer a terminal."""

import json
import os
import tomllib
import unicodedata

import pytest
from hypothesis import given, strategies as st

from core.base.text import (
    capital,
    counted,
    device_minutes,
    elide_middle,
    json_text,
    one_line,
    pcc_text,
    printable,
    sentence,
    short_number,
    significant,
    toml_text,
)


@given(st.text())
def test_one_line_has_no_controls(text: str) -> None:
    shown = one_line(text)
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text())
def test_printable_keeps_only_newlines_of_the_controls(text: str) -> None:
    assert printable(text).count("\n") == text.count("\n")
    assert one_line(printable(text)) == printable(text).replace("\n", " ")


def test_a_byte_that_is_no_text_is_marked() -> None:
    assert printable(os.fsdecode(b"a\xff")) == "a\N{REPLACEMENT CHARACTER}"


def test_an_escape_is_visible() -> None:
    assert printable("a\x1b[31mb\tc") == "a\N{REPLACEMENT CHARACTER}[31mb c"


@given(st.text("abcdefgh", max_size=40), st.integers(0, 45))
def test_elided_text_fits_and_keeps_its_ends(text: str, width: int) -> None:
    shown = elide_middle(text, width)
    assert len(shown) <= width
    if len(text) > width > 3:
        assert shown[0] == text[0]
        assert shown[-1] == text[-1]


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "cell", "0 cells"),
        (1, "cell", "1 cell"),
        (2, "entry", "2 entries"),
        (1, "entry", "1 entry"),
        (3, "key", "3 keys"),
        (1234, "match", "1,234 matches"),
        (2, "search", "2 searches"),
        (2, "arch", "2 archs"),
        (3, "more arch", "3 more archs"),
        (2, "more job", "2 more jobs"),
    ],
)
def test_numbers_take_their_plural(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_a_sentence_has_one_full_stop() -> None:
    told = ["It ended", "It ended.", "Did it?", "and so on…", "  ", "x \n"]
    assert [sentence(text) for text in told] == ["It ended.", "It ended.", "Did it?", "and so on…", "", "x."]


@pytest.mark.parametrize(
    ("minutes", "text"),
    [
        (-3.44, "saves 3.4 device-minutes per CI run"),
        (0.06, "costs 0.1 device-minutes per CI run"),
        (-0.04, ""),
        (0.0, ""),
        (1234.5, "costs 1,234.5 device-minutes per CI run"),
    ],
)
def test_minutes_say_what_they_mean_and_nothing_of_next_to_none(minutes: float, text: str) -> None:
    assert device_minutes(minutes) == text


@pytest.mark.parametrize(
    ("pcc", "digits", "text"),
    [
        (0.98996, 4, "0.9899"),
        (0.57, 4, "0.5700"),
        (0.99999, 4, "0.9999"),
        (1 - 1e-12, 3, "0.999"),
        (1.0, 3, "1.000"),
        (-0.5, 2, "-0.50"),
        (float("nan"), 4, "nan"),
        (1e308, 4, "1e+308"),
        (-1e308, 4, "-1e+308"),
        (float("inf"), 4, "inf"),
    ],
)
def test_a_pcc_is_never_rounded_up(pcc: float, digits: int, text: str) -> None:
    assert pcc_text(pcc, digits) == text


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [(0.99999, 4, "0.9999"), (0.99991, 4, "0.9999"), (1.0, 4, "1"), (0.125, 4, "0.125"), (1234.56, 5, "1234.6")],
)
def test_less_than_one_is_never_shown_as_one(number: float, digits: int, text: str) -> None:
    assert significant(number, digits) == text


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text("aé\n{[,:"),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("a{[,:"), inner),
    )
)
def test_json_looks_as_python_writes_it(value: object) -> None:
    assert json_text(value) == json.dumps(value, indent=2, ensure_ascii=False)


def test_a_capital_letter_makes_no_other_smaller() -> None:
    assert [capital(one) for one in ("", "keep it in CI", "CI", "é")] == ["", "Keep it in CI", "CI", "É"]


def test_a_number_that_is_not_there_is_empty() -> None:
    assert [short_number(one) for one in (None, 0.123456, 0.0)] == ["", "0.1235", "0"]


@given(st.text(st.characters(codec="utf-8")))
def test_a_text_comes_back_from_toml(text: str) -> None:
    assert tomllib.loads(f"it = {toml_text(text)}") == {"it": text}
