# SPDX-License-Identifier: Apache-2.0
"""Tests that are written and that pytest never runs, without a word."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from core.domain.model import Finding
from core.sources.handwritten.records import EMPTY_SET, HandwrittenTest

_KIND = "lost-test"
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TEST = re.compile(r"test_|Test(?![a-z])")
"""Names by which people mean tests: pytest also takes `tester` and `Tester`."""
_MAKERS = ("__init__", "__new__")


def lost_in_text(tree: ast.Module, path: str) -> Iterator[Finding]:
    """Tests with the name of a later one, tests that are fixtures, and classes that pytest cannot make."""
    yield from _in_body(tree.body, path)


def lost_of(tests: Iterable[HandwrittenTest]) -> Iterator[Finding]:
    """Functions whose parameters have no values: pytest skips them."""
    told: set[tuple[str, int]] = set()
    for test in tests:
        empty = [names for names, id in test.parameters.items() if id == EMPTY_SET]
        skipped = any(mark.name == "skip" and mark.given for mark in test.marks)
        if empty and not skipped and (test.path, test.line) not in told:
            told.add((test.path, test.line))
            message = (
                f"{test.name} is skipped: there are no values for {empty[0]}. Correct the list that it is made from"
            )
            yield Finding(_KIND, message, test.path, test.line)


def _in_body(body: Sequence[ast.stmt], path: str) -> Iterator[Finding]:
    last = {node.name: node for node in body if isinstance(node, _DEFINED)}
    for node in body:
        if not isinstance(node, _DEFINED) or not _TEST.match(node.name):
            continue
        if last[node.name] is not node:
            message = f"{node.name} is defined again in line {last[node.name].lineno}: only that one runs. Rename one"
            yield Finding(_KIND, message, path, node.lineno)
        elif isinstance(node, ast.ClassDef):
            yield from _class(node, path)
        elif any(map(_is_fixture, node.decorator_list)):
            message = f"{node.name} is a fixture, so that it is no test. Remove the decorator, or rename it"
            yield Finding(_KIND, message, path, node.lineno)


def _class(node: ast.ClassDef, path: str) -> Iterator[Finding]:
    functions = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    maker = next((one for one in functions if one.name in _MAKERS), None)
    if maker is not None and any(one.name.startswith("test") for one in functions):
        message = f"pytest makes no {node.name}, because it has {maker.name}: none of its tests runs. Use a fixture"
        yield Finding(_KIND, message, path, maker.lineno)
    else:
        yield from _in_body(node.body, path)


def _is_fixture(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute | ast.Name) and ast.unparse(called) in ("fixture", "pytest.fixture")
