# SPDX-License-Identifier: Apache-2.0
"""core.python.syntax: what Python's own parser cannot take is a syntax error."""

import ast
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.python import parse_expression, parse_python, syntax as module


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


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Let Python code run, and so threads switch, in the middle of parsing: the collector calls some all the time."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()

    def dawdle(*event: object) -> None:
        for _ in range(100):
            pass

    gc.callbacks.append(dawdle)
    gc.set_threshold(50, 5, 5)
    sys.setswitchinterval(1e-6)
    yield
    gc.callbacks.remove(dawdle)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


def test_threads_that_parse_at_once_do_not_disturb_each_other(interrupted: None) -> None:
    source = "\n".join(f"def f{number}(a, b=[1, (2, {{3: 4}})]): return [c for c in b]" for number in range(100))

    def deep(levels: int) -> None:
        if levels:
            return deep(levels - 1)
        for _ in range(10):
            parse_python(source)
            parse_expression("[1, (2, {'a': 3})]")

    with ThreadPoolExecutor(4) as threads:
        # Each at its own depth of calls.
        list(threads.map(deep, (0, 40, 80, 120)))


def test_where_a_library_has_parsed_in_between_the_text_is_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ast.literal_eval`, as libraries call it, does not take our lock."""
    parse: Any = ast.parse
    fails = [SystemError("AST constructor recursion depth mismatch")] * 2

    def disturbed(*arguments: str, **options: str) -> Any:
        if fails:
            raise fails.pop()
        return parse(*arguments, **options)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert len(parse_python("x = 1").body) == 1
    assert fails == []


def test_what_always_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> ast.Module:
        raise SystemError("AST constructor recursion depth mismatch")

    monkeypatch.setattr(ast, "parse", broken)
    with pytest.raises(SystemError, match="mismatch"):
        parse_python("x")
