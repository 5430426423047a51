# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.returned: the one return, and its parts as text."""

from core.workflows.loader_code.analysis import Code, NoSite, Returned, has_key, mapping, returned_by, room_after
from tests.support.loader_code import loader, tensor


def found(*lines: str, inputs: tuple[str, ...] = ("tensor",), signature: str = "self, batch_size=1") -> Returned:
    described = [tensor(name, "int64", 2, 3) for name in inputs]
    one = returned_by(Code(loader(*lines, signature=signature)), "ModelLoader", "load_inputs", "", described)
    assert isinstance(one, Returned), one
    return one


def test_kinds() -> None:
    assert found("return x").is_tensor
    assert found("return [x]", inputs=("[0]",)).is_sequence
    assert not found("return x", inputs=("a", "b")).is_sequence


def test_the_number_of_rows() -> None:
    assert found("return x").batch() == "batch_size"
    assert found("return x", signature="self").batch() == "x.shape[0]"
    assert found("return f()", signature="self").batch() == "2"


def test_parts_by_name() -> None:
    assert found("return x").named(["a", "b"]) == {"a": "x"}
    assert found("return [x, b]", inputs=("[0]", "[1]")).named(["a", "b", "c"]) == {"a": "x", "b": "b"}
    assert found("return x", inputs=("[0].k", "[0].l", "[1]")).named(["a", "b"]) == {"a": "x[0]", "b": "x[1]"}
    assert isinstance(found("return [x, y]", inputs=("[0]", "[1]")).named(["a"]), NoSite)


def test_parentheses_go_with_what_they_contained() -> None:
    one = found("return (x, y)", inputs=("[0]", "[1]"))
    assert "return z\n" in one.code.spliced([one.replaced("z")])
    one = found("return (", "    x", ")")
    assert "return z\n" in one.code.spliced([one.replaced("z")])


def test_displays() -> None:
    one = found("return x")
    assert mapping({"a": "b"}, room_after(one.code, one.statement)) == '{"a": b}'
    assert mapping({"a": "b", "c": "[\n    d\n]"}, 80) == '{\n    "a": b,\n    "c": [\n        d\n    ],\n}'
    value = found('return {"a": x, **y}').value
    assert has_key(value, "a") and not has_key(value, "b") and not has_key(found("return x").value, "a")


def test_a_function_that_returns_nothing() -> None:
    one = returned_by(Code(loader("pass")), "ModelLoader", "load_inputs", "", [])
    assert isinstance(one, NoSite) and "returns nothing" in one.reason
