# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.reaching: which assignments are in force at the end of a function."""

import libcst as cst
import pytest

from core.workflows.loader_code.analysis import Code, outermost, suite, writes
from core.workflows.loader_code.analysis.reaching import Query, Reaching, key_of_element


def in_force(body: str, name: str = "x", *path: str | int) -> list[str]:
    """The values that `name` may have at the last statement; `*` means a parameter and its like."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    code = Code(f"def f(self, p, dtype_override=None):\n{indented}\n")
    function = code.functions["f"]
    hits = Reaching(code, outermost(function, "")).before(suite(function.body)[-1], Query(name, path))
    return ["?" if hit.chosen else "*" if hit.value is None else code.text(hit.value) for hit in hits]


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("x = 1\nx = 2\nend", ["2"]),
        ("x = 1; x = 2\nend", ["2"]),
        ("if a:\n    x = 1\nelse:\n    x = 2\nend", ["1", "2"]),
        ("if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3\nend", ["1", "2", "3"]),
        ("x = 0\nif a:\n    x = 1\nend", ["1", "0"]),
        ("x = 0\nif a:\n    x = 1\n    return x\nend", ["0"]),
        ("x = 0\nif dtype_override is not None:\n    x = 1\nend", ["1"]),
        ("x = 0\nif dtype_override is None:\n    x = 1\nend", ["0"]),
        ("x = 0\nif dtype_override is not None and a:\n    x = 1\nend", ["?"]),
        ("x = 0\nif dtype_override is not None:\n    if a:\n        x = 1\nend", ["?"]),
        ("x = 0\nfor i in a:\n    x = i\nend", ["i", "0"]),
        ("x = 0\nwhile a:\n    x = 1\nend", ["1", "0"]),
        ("with a as x:\n    pass\nend", []),
        ("with a:\n    x = 1\nend", ["1"]),
        ("try:\n    x = 1\nexcept E:\n    x = 2\nend", ["1", "2"]),
        ("try:\n    x = 1\nexcept E:\n    raise\nend", ["1"]),
        ("x: int = 1\nend", ["1"]),
        ("x: int\nend", []),
        ("y = x = 1\nend", ["1"]),
        ("(x, y) = a\nend", ["a"]),
        ("x += 1\nend", []),
        ("def x(): pass\nend", ["*"]),
    ],
)
def test_a_variable(body: str, values: list[str]) -> None:
    assert in_force(body) == values


def test_parameters() -> None:
    assert in_force("end", "p") == ["*"]
    assert in_force("end", "q") == []
    assert in_force("p = p or 1\nend", "p") == ["p or 1"]


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("x = a\nx['k'] = 1\nend", ["1"]),
        ("x = a\nx['l'] = 1\nend", ["a"]),
        ("x = a\nx[f()] = 1\nend", ["1", "a"]),
        ("x = a\nx.k = 1\nend", ["1"]),
        ("x = a\nx.update({'k': 1})\nend", ["{'k': 1}"]),
        ("x = a\nx.update({'l': 1})\nend", ["a"]),
        ("x = a\nx.update(k=1)\nend", ["1"]),
        ("x = a\nx.update(b)\nend", ["b", "a"]),
        ("x = []\nx.append(1)\nend", ["1", "[]"]),
        ("x = a\nfor k in x:\n    x[k] = 1\nend", ["1"]),
        ("x = a\nfor k, v in x.items():\n    x[k] = v + 1\nend", ["v + 1"]),
        ("x = a\nfor k in ('k', 'l'):\n    x[k] = 1\nend", ["1"]),
        ("x = a\nfor k in ('l', 'm'):\n    x[k] = 1\nend", ["a"]),
        ("x = a\nfor k in x:\n    if k == 'l':\n        x[k] = 1\nend", ["a"]),
        ("x = a\nfor k in x:\n    if torch.is_tensor(x[k]):\n        x[k] = 1\nend", ["1"]),
    ],
)
def test_a_part(body: str, values: list[str]) -> None:
    assert in_force(body, "x", "k") == values


def test_inside_blocks() -> None:
    code = Code("def f(p):\n    x = 1\n    for y in p:\n        if a:\n            z\n        elif b:\n            w\n")
    function = code.functions["f"]
    loop = suite(function.body)[-1]
    assert isinstance(loop, cst.For)
    branch = suite(loop.body)[0]
    assert isinstance(branch, cst.If) and isinstance(branch.orelse, cst.If)
    inner = suite(branch.orelse.body)[0]
    reaching = Reaching(code, outermost(function, ""))
    assert [code.text(hit.value) for hit in reaching.before(inner, Query("x")) if hit.value] == ["1"]
    assert [hit.path for hit in reaching.before(inner, Query("y", ("k",)))] == [(None, "k")]


@pytest.mark.parametrize(
    ("statement", "does"),
    [
        ("x = 1", True),
        ("x[0] = 1", True),
        ("x.a = 1", True),
        ("x += 1", True),
        ("x.append(1)", True),
        ("a, (x, b) = c", True),
        ("for x in y: pass", True),
        ("if a:\n    x = 1", True),
        ("with a as x:\n    pass", True),
        ("y = x", False),
        ("x.view(1)", False),
    ],
)
def test_what_writes(statement: str, does: bool) -> None:
    assert writes(Code(f"{statement}\n").module.body[0], "x") is does


def test_keys_of_displays() -> None:
    display = cst.parse_expression("{'a': 1, b: 2, **c}")
    assert isinstance(display, cst.Dict)
    assert [key_of_element(one) for one in display.elements] == ["a", None, None]
