# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.syntax: one more argument, laid out as the others are."""

import libcst as cst
import pytest

from core.workflows.loader_code.analysis import WIDTH, Code, nodes
from core.workflows.loader_code.edits.syntax import add_argument


def added(source: str) -> str:
    code = Code(source)
    call = next(node for node in nodes(code.module) if isinstance(node, cst.Call))
    return code.spliced([add_argument(code, call, "d=e")])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()\n", "f(d=e)\n"),
        ("f(a)\n", "f(a, d=e)\n"),
        ("f(a,)\n", "f(a, d=e,)\n"),
        ("f((a))\n", "f((a), d=e)\n"),
        ("f(a, b=')')\n", "f(a, b=')', d=e)\n"),
        ("f(\n    a, b\n)\n", "f(\n    a, b, d=e\n)\n"),
        ("f(\n    a,\n    b\n)\n", "f(\n    a,\n    b,\n    d=e\n)\n"),
        ("f(\n    a,\n    b,\n)\n", "f(\n    a,\n    b,\n    d=e,\n)\n"),
        ("f(\n    a,  # one\n    b,  # two\n)\n", "f(\n    a,  # one\n    b,  # two\n    d=e,\n)\n"),
        ("f(\n    a,\n    b  # two, three\n)\n", "f(\n    a,\n    b,  # two, three\n    d=e\n)\n"),
        ("f(\r\n    a,\r\n    b,\r\n)\r\n", "f(\r\n    a,\r\n    b,\r\n    d=e,\r\n)\r\n"),
        ("f(*a)\n", "f(*a, d=e)\n"),
        ("f(a)", "f(a, d=e)"),
    ],
)
def test_layouts(before: str, after: str) -> None:
    assert added(before) == after


def test_a_line_that_grows_too_long_is_broken_as_black_does() -> None:
    one = f"    x = f({'a' * (WIDTH - 16)}, b)\n"
    assert added(f"if y:\n{one}") == f"if y:\n    x = f(\n        {'a' * (WIDTH - 16)}, b, d=e\n    )\n"
    both = f"    x = f({'a' * 60}, {'b' * 20})\n"
    assert (
        added(f"if y:\n{both}") == f"if y:\n    x = f(\n        {'a' * 60},\n        {'b' * 20},\n        d=e,\n    )\n"
    )
