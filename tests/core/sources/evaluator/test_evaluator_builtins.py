# SPDX-License-Identifier: Apache-2.0
"""The functions a model info is made with do what they do in Python; no other is called."""

import pytest
from hypothesis import given, strategies as st

from core.sources.evaluator.namespace import ClassSource
from core.sources.evaluator.statements import TEXT_METHODS, call_external, call_text_method, elements
from core.sources.evaluator.values import External, Record, TextMethod, TreeClass, Unknown, Value

_KIND = TreeClass("config.py", "ModelInfo", ClassSource((), {}, ("model",)))


@given(st.lists(st.booleans(), max_size=4))
def test_any_and_all(items: list[bool]) -> None:
    assert call_external("builtins.any", [tuple(items)], {}) is any(items)
    assert call_external("builtins.all", [tuple(items)], {}) is all(items)


def test_replace_changes_the_named_fields_of_a_copy() -> None:
    record = Record(_KIND, {"model": "Net", "group": "red"})
    assert call_external("dataclasses.replace", [record], {"model": "Net LoRA"}) == Record(
        _KIND, {"model": "Net LoRA", "group": "red"}
    )
    assert record.fields["model"] == "Net"


@pytest.mark.parametrize("name", ["set", "frozenset", "list", "tuple"])
def test_collections_are_distinguished_by_nothing_a_loader_asks(name: str) -> None:
    assert call_external(f"builtins.{name}", [("a", "b")], {}) == ("a", "b")


def test_conversions() -> None:
    assert call_external("builtins.str", [1.5], {}) == "1.5"
    assert call_external("builtins.bool", [""], {}) is False


@pytest.mark.parametrize(
    ("name", "given_values", "named"),
    [
        ("builtins.open", ["/etc/passwd"], {}),
        ("os.system", ["true"], {}),
        ("builtins.any", [], {}),
        ("builtins.any", [External("torch.tensor")], {}),
        ("builtins.str", ["a"], {"encoding": "utf-8"}),
        ("dataclasses.replace", ["a"], {}),
    ],
)
def test_no_other_call_is_made(name: str, given_values: list[Value], named: dict[str, Value]) -> None:
    with pytest.raises(Unknown):
        call_external(name, given_values, named)


@pytest.mark.parametrize("name", sorted(TEXT_METHODS))
def test_text_methods_are_those_of_python(name: str) -> None:
    given_values: list[Value] = ["Ab"] if name.endswith("with") else []
    assert call_text_method(TextMethod("Abc", name), given_values) == getattr("Abc", name)(*given_values)


def test_a_text_method_with_wrong_arguments_is_unknown() -> None:
    with pytest.raises(Unknown):
        call_text_method(TextMethod("Abc", "lower"), ["x"])


def test_only_collections_have_elements() -> None:
    with pytest.raises(Unknown):
        elements("abc")
