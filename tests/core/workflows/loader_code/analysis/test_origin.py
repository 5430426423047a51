# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.origin: what functions return, and places that are the same."""

from core.workflows.loader_code.analysis import Code, Nature, Origin, Place, distinct, outermost, returns

SOURCE = """
def f(x):
    def g():
        return 1
    if x:
        return 2
    for y in x:
        z = 1; return 3
    return
"""
CODE = Code(SOURCE)
FRAME = outermost(CODE.functions["f"], "")


def test_returns_of_the_function_alone() -> None:
    assert [CODE.text(value) for _, value in returns(CODE.functions["f"])] == ["2", "3"]


def test_places() -> None:
    one, other = (statement for statement, _ in returns(CODE.functions["f"]))
    assert Place(FRAME, one, "x", ("k",)).same(Place(FRAME, one, "x", ("k",)))
    assert not Place(FRAME, one, "x").same(Place(FRAME, other, "x"))
    assert not Place(FRAME, one, "x").same(Place(FRAME, one, "x", ("k",)))


def test_each_origin_once() -> None:
    (_, first), (_, second) = returns(CODE.functions["f"])
    found = [Origin(Nature.FOREIGN, node, FRAME, ()) for node in (first, second, first)]
    assert distinct(found) == found[:2]
