# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.frames: which names carry the override."""

import libcst as cst

from core.workflows.loader_code.analysis import Code, Frame, mentions, nodes, outermost, spoken_name
from core.workflows.loader_code.analysis.frames import entered

SOURCE = """
def outer(self, dtype_override=None):
    dtype = dtype_override if dtype_override is not None else DEFAULT
    size = f(dtype_override)
    a = torch.rand(1, dtype=dtype)
    return helper(1, dtype), helper(2), helper(3, kind=dtype_override)

def helper(n, kind=None):
    return torch.rand(n)
"""
CODE = Code(SOURCE)
OUTER = outermost(CODE.functions["outer"], "ModelLoader")


def calls() -> list[Frame]:
    found = [node for node in nodes(CODE.functions["outer"]) if isinstance(node, cst.Call)]
    helpers = [node for node in found if isinstance(node.func, cst.Name) and node.func.value == "helper"]
    return [entered(CODE.functions["helper"], node, OUTER, CODE.statement(node)) for node in helpers]


def test_aliases_and_nothing_else() -> None:
    assert OUTER.aware == {"dtype_override", "dtype"}
    assert outermost(CODE.functions["helper"], "").aware == frozenset()


def test_arguments_carry_it_on() -> None:
    assert [frame.aware for frame in calls()] == [{"kind"}, frozenset(), {"kind"}]
    assert [frame.depth for frame in calls()] == [1, 1, 1]
    assert [frame.caller for frame in calls()] == [OUTER] * 3


def test_methods_are_called_without_self() -> None:
    code = Code(
        "class A:\n    def f(self, dtype_override):\n        return self.g(dtype_override)\n    def g(self, d): pass\n"
    )
    inner, outer = code.method("A", "g"), code.method("A", "f")
    assert inner is not None and outer is not None
    call = next(node for node in nodes(outer) if isinstance(node, cst.Call))
    assert entered(inner, call, outermost(outer, "A"), code.statement(call)).aware == {"d"}


def test_the_name_that_constructors_around_it_use() -> None:
    body = CODE.functions["outer"].body.body
    assert spoken_name(OUTER, CODE, body[-1]) == "dtype"
    assert spoken_name(OUTER, CODE, body[0]) == "dtype_override"
    assert spoken_name(calls()[0], CODE, CODE.functions["helper"].body.body[0]) == "kind"
    assert spoken_name(calls()[1], CODE, CODE.functions["helper"].body.body[0]) == ""


def test_mentions_are_reads() -> None:
    assert mentions(cst.parse_expression("f(a.b, c)"), {"a"})
    assert not mentions(cst.parse_expression("f(x.a, a=c)"), {"a"})
