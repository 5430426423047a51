# SPDX-License-Identifier: Apache-2.0
"""Output is safe, aligned, and one document when it must be."""

import io
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.cli.console import Console, wants_colour


class Terminal(io.StringIO):
    """Output that goes to a terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


@pytest.fixture(scope="module", autouse=True)
def _no_columns() -> Iterator[None]:
    """The terminals of these tests report their width themselves."""
    with mock.patch.dict("os.environ"):
        os.environ.pop("COLUMNS", None)
        yield


def _console(*, json_mode: bool = False, colour: bool = False) -> tuple[Console, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Console(json_mode, colour, out, err), out, err


def test_tables_are_aligned_and_safe() -> None:
    console, out, _ = _console()
    console.table(("a", "b"), [("x\x1b[2J", "1"), ("long one", "2\n3")])
    assert out.getvalue() == "a         b\nx�[2J     1\nlong one  2 3\n"


@given(
    st.lists(st.lists(st.text("ab/", max_size=90), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(40, 200),
)
def test_a_table_fits_the_terminal(rows: list[list[str]], columns: int) -> None:
    whole, whole_out, _ = _console()
    whole.table(("id", "status", "why"), rows)
    expected = whole_out.getvalue()
    terminal = Terminal()
    err = io.StringIO()
    with mock.patch("os.get_terminal_size", lambda _: os.terminal_size((columns, 24))):
        Console(False, False, terminal, err).table(("id", "status", "why"), rows)
    shown = terminal.getvalue()
    assert max(map(len, shown.splitlines())) <= columns
    if max(len(line) for line in expected.splitlines()) <= columns - 3:
        assert shown == expected
    assert ("…" in shown) == (shown != expected) == bool(err.getvalue())


def test_sentences_are_wrapped_on_a_terminal_and_whole_in_a_pipe() -> None:
    sentence = "  Will leave CI on p150: no scheduled job selects it"
    out, err = Terminal(), Terminal()
    with mock.patch("os.get_terminal_size", lambda _: os.terminal_size((30, 24))):
        console = Console(False, False, out, err)
        console.prose(sentence)
        console.note("a note that is longer than the terminal is wide")
        console.error(TTMatrixError("There is no field", "Fields: status, kind, arch, mode"))
    assert out.getvalue() == "  Will leave CI on p150: no\n    scheduled job selects it\n"
    said = ("a note that is longer than the", "  terminal is wide", "ttmatrix: There is no field")
    assert err.getvalue().splitlines() == [*said, "Fields: status, kind, arch,", "  mode"]
    console, piped, _ = _console()
    console.prose(sentence)
    assert piped.getvalue() == f"{sentence}\n"


def test_a_word_longer_than_a_line_is_cut_with_one_note() -> None:
    out, err = Terminal(), io.StringIO()
    id = f"first/{'x' * 60}/last"
    with mock.patch("os.get_terminal_size", lambda _: os.terminal_size((30, 24))):
        Console(False, False, out, err).prose(f"{id} on n150: passes", f"    {id}", "short")
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 30
    assert lines[0].startswith("first/xx") and "…" in lines[0] and lines[0].endswith("x/last")
    assert err.getvalue().count("Cut to fit") == 1
    console, piped, _ = _console()
    console.prose(f"{id} on n150: passes")
    assert piped.getvalue() == f"{id} on n150: passes\n"


def test_columns_say_how_wide_a_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    with mock.patch("os.get_terminal_size", lambda _: os.terminal_size((0, 0))):
        Console(False, False, out, io.StringIO()).table(("id", "why"), [("a" * 30, "b" * 30)])
    assert max(map(len, out.getvalue().splitlines())) == 40


def test_ids_give_way_where_all_other_columns_have() -> None:
    terminal, err = Terminal(), io.StringIO()
    header, row = ("id", "status", "bringup", "archs", "reason"), ["i" * 60, "s" * 20, "b" * 20, "a" * 20, "r" * 40]
    with mock.patch("os.get_terminal_size", lambda _: os.terminal_size((80, 24))):
        Console(False, False, terminal, err).table(header, [row])
    assert max(map(len, terminal.getvalue().splitlines())) == 80


def test_a_table_without_rows_has_its_header() -> None:
    console, out, _ = _console()
    console.table(("a", "b"), [])
    assert out.getvalue() == "a  b\n"


def test_colour_is_by_status_and_only_when_asked() -> None:
    console, out, _ = _console(colour=True)
    console.table(("status", "x"), [("EXPECTED_PASSING", "y")])
    assert "\x1b[32mEXPECTED_PASSING\x1b[0m" in out.getvalue()


def test_the_document_is_strict_json() -> None:
    console, out, _ = _console(json_mode=True)
    console.document({"a": "ü"})
    assert json.loads(out.getvalue()) == {"a": "ü"}


def test_numbers_without_digits_are_texts() -> None:
    console, out, _ = _console(json_mode=True)
    console.document({"a": [math.inf, {"b": math.nan}], "c": 1.5, "d": Path("/x")})
    assert json.loads(out.getvalue()) == {"a": ["inf", {"b": "nan"}], "c": 1.5, "d": "/x"}


def test_errors_go_to_stderr_without_controls() -> None:
    console, out, err = _console()
    console.error(TTMatrixError("bad \x1b[31m", "where", "do"))
    assert out.getvalue() == ""
    assert err.getvalue() == "ttmatrix: bad �[31m\nwhere\ndo\n"


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
