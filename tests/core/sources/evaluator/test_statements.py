# SPDX-License-Identifier: Apache-2.0
"""Arguments are bound and statements run as Python does it, up to what cannot be followed."""

import ast
import inspect
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from core.sources.evaluator.statements import Returned, bind, defaults, run
from core.sources.evaluator.values import Scope, Unknown, Value


def _function(source: str) -> ast.FunctionDef:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def _evaluate(node: ast.expr, scope: Scope) -> Value:
    """Enough for these tests: literals, and names of the scope."""
    if isinstance(node, ast.Name):
        return (scope.names or {})[node.id]
    value: Value = ast.literal_eval(node)
    return value


def _run(source: str, **names: Value) -> Returned | Scope:
    return run(ast.parse(source).body, Scope("a.py", names=names), _evaluate)


_SIGNATURE = "def f(a, /, b, c=3, *, d=4, e=5): ..."


@given(
    st.lists(st.integers(0, 9), max_size=4),
    st.dictionaries(st.sampled_from("abcdex"), st.integers(0, 9), max_size=4),
)
def test_arguments_are_bound_as_python_binds_them(given_values: Sequence[int], named: dict[str, int]) -> None:
    def f(a: int, /, b: int, c: int = 3, *, d: int = 4, e: int = 5) -> None: ...

    try:
        expected: dict[str, Value] | None = dict(inspect.signature(f).bind_partial(*given_values, **named).arguments)
    except TypeError:
        expected = None
    try:
        found: dict[str, Value] | None = bind(_function(_SIGNATURE), given_values, named)
    except Unknown:
        found = None
    assert found == expected


def test_defaults_belong_to_the_last_parameters() -> None:
    found = defaults(_function(_SIGNATURE))
    assert {name: ast.literal_eval(node) for name, node in found.items()} == {"c": 3, "d": 4, "e": 5}
    assert defaults(_function("def f(a, *, b): ...")) == {}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("return 1", 1),
        ("return", None),
        ("'docs'\nx = 1\nreturn x", 1),
        ("x: int = 1\nreturn x", 1),
        ("if given:\n    return 1\nreturn 2", 1),
        ("if 0:\n    return 1\nelif given:\n    return 2\nelse:\n    return 3", 2),
        ("x = 1\nif given:\n    x = 2\nreturn x", 2),
        ("x = 1\nif 0:\n    x = 2\nreturn x", 1),
        ("if given:\n    pass\nreturn given", "yes"),
    ],
)
def test_what_is_returned(source: str, value: Value) -> None:
    # A return outside a function parses; only compiling refuses it.
    assert _run(source, given="yes") == Returned(value)


def test_a_body_that_runs_to_its_end_leaves_its_names() -> None:
    assert _run("x = 1") == Scope("a.py", names={"x": 1})


@pytest.mark.parametrize(
    "line",
    [
        "for y in given: pass",
        "while given: pass",
        "raise ValueError",
        "assert given",
        "given += 'x'",
        "x, y = 1, 2",
        "x = y = 1",
        "given.x = 1",
        "import os",
        "print(given)",
        "with given: pass",
        "del given",
    ],
)
def test_other_statements_end_it_with_their_place(line: str) -> None:
    with pytest.raises(Unknown, match="not evaluated") as caught:
        _run(f"x = 1\nif given:\n    {line}\n", given="yes")
    assert caught.value.place == "a.py:3"


def test_a_statement_that_is_not_reached_does_not_matter() -> None:
    assert _run("if 0:\n    raise ValueError\nreturn 1") == Returned(1)


def test_the_quoted_source_is_short_and_cannot_steer_a_terminal() -> None:
    with pytest.raises(Unknown) as caught:
        _run(f"for x in '\x1b[2J{'y' * 200}': pass")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 100
