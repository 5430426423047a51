# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.control_flow: what loop variables are."""

import libcst as cst
import pytest

from core.workflows.loader_code.analysis import Bindings, dotted
from core.workflows.loader_code.analysis.control_flow import Walk


def walk(text: str) -> Walk:
    node = cst.parse_expression(f"[0 for {text}]")
    assert isinstance(node, cst.ListComp)
    return Walk(node.for_in.target, node.for_in.iter)


@pytest.mark.parametrize(
    ("text", "name", "over", "path"),
    [
        ("x in xs", "x", "xs", (None,)),
        ("x in list(xs)", "x", "xs", (None,)),
        ("i, x in enumerate(xs)", "x", "xs", (None,)),
        ("k, v in xs.items()", "v", "xs", ("a",)),
        ("v in xs.values()", "v", "xs", (None,)),
        ("a, b in zip(xs, ys)", "b", "ys", (None,)),
        ("a, b in pairs", "b", "pairs", (None, 1)),
    ],
)
def test_sources(text: str, name: str, over: str, path: tuple[str | int | None, ...]) -> None:
    found = walk(text).source(name, {"k": "a"})
    assert found is not None and (dotted(found[0]), found[1]) == (over, path)


@pytest.mark.parametrize(("text", "name"), [("k in xs", "x"), ("k in xs.keys()", "k"), ("k, v in xs.items()", "k")])
def test_what_means_no_value(text: str, name: str) -> None:
    assert walk(text).source(name, {}) is None


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("k in xs", {"k": "a"}),
        ("k in xs.keys()", {"k": "a"}),
        ("k, v in xs.items()", {"k": "a"}),
        ("k, v in list(xs.items())", {"k": "a"}),
        ("i in range(len(xs))", {"i": "a"}),
        ("i, x in enumerate(xs)", {"i": "a"}),
        ("k in ('a', 'b')", {"k": "a"}),
        ("k, n in (('a', 1), ('b', 2))", {"k": "a"}),
        ("k in ('a', other)", None),
        ("k in others", None),
        ("i in range(3)", None),
    ],
)
def test_keys(text: str, keys: dict[str, str] | None) -> None:
    assert walk(text).keys_of("xs", "a") == keys


def test_a_list_of_other_keys_never_comes_to_it() -> None:
    found = walk("k in ('b', 'c')").keys_of("xs", "a")
    assert found is not None and found["k"] != "a"


def test_nested_comprehensions() -> None:
    node = cst.parse_expression("[y for x in xs for y in x]")
    assert isinstance(node, cst.ListComp)
    bindings = Bindings().within(node.for_in, {})
    inner, outer = bindings.source("y"), bindings.source("x")
    assert inner is not None and dotted(inner[0]) == "x"
    assert outer is not None and dotted(outer[0]) == "xs"
    assert bindings.source("z") is None
