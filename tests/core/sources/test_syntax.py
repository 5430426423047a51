# SPDX-License-Identifier: Apache-2.0
"""core.sources.syntax: what Python's own parser cannot take is a syntax error."""

import ast

import pytest

from core.sources import syntax as module
from core.sources.syntax import parse_python


def test_a_file_is_parsed_as_python_does_it() -> None:
    assert ast.dump(parse_python(b"# coding: latin-1\nx = '\xfc'")) == ast.dump(ast.parse("x = 'ü'"))
    with pytest.raises(SyntaxError, match="was never closed") as caught:
        parse_python("x = (", "loader.py")
    assert (caught.value.filename, caught.value.lineno) == ("loader.py", 1)
    with pytest.raises((SyntaxError, ValueError), match="null bytes"):
        parse_python("x = '\0'")


@pytest.mark.parametrize("piece", ["-", "not ", "1+", "a.", "x if y else "])
def test_what_nests_too_deeply_is_a_syntax_error(piece: str) -> None:
    with pytest.raises(SyntaxError, match="nests too deeply"):
        parse_python(f"x = {piece * 100_000}b")


def test_what_is_too_long_is_a_syntax_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SOURCE", 5)
    assert parse_python("x = 1").body
    with pytest.raises(SyntaxError, match="it has 6 bytes; at most 5"):
        parse_python("x = 12")
