# SPDX-License-Identifier: Apache-2.0
"""Known values answer as Python does, or say that they cannot tell."""

import ast
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given, strategies as st

from core.sources.evaluator.namespace import ClassSource
from core.sources.evaluator.values import (
    MAX_TEXT,
    Dictionary,
    EnumMember,
    External,
    Lazy,
    Scope,
    TreeClass,
    Unknown,
    Value,
    contains,
    equal,
    find,
    limited,
    same,
    text,
    truth,
)

Constant: TypeAlias = bool | int | float | str | None

_CONSTANT: st.SearchStrategy[Constant] = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.5]) | st.text("ab", max_size=2)
)
_ENUM = TreeClass("a.py", "E", ClassSource((), {}, ()))
_A, _B = EnumMember(_ENUM, "a"), EnumMember(_ENUM, "b")
_OUTSIDE = External("torch.bfloat16")


@given(_CONSTANT, _CONSTANT)
def test_constants_compare_as_in_python(left: Constant, right: Constant) -> None:
    assert equal(left, right) == (left == right)


@given(_CONSTANT)
def test_truth_and_text_are_those_of_python(value: Constant) -> None:
    assert truth(value) is bool(value)
    assert text(value) == str(value)


@given(_CONSTANT, st.lists(_CONSTANT, max_size=4))
def test_membership_is_that_of_python(item: Constant, items: list[Constant]) -> None:
    assert contains(tuple(items), item) == (item in items)


@given(st.text("ab", max_size=3), st.text("ab", max_size=5))
def test_part_of_a_text(part: str, whole: str) -> None:
    assert contains(whole, part) == (part in whole)


def test_members() -> None:
    assert equal(_A, _A)
    assert not equal(_A, _B)
    assert not equal(_A, None)
    assert truth(_A)
    assert text(_A) == "a"
    assert contains((_B, _A), _A)
    assert not contains((_B,), _A)


def test_identity_is_known_of_what_there_is_only_one() -> None:
    assert same(None, None)
    assert same(_A, _A)
    assert not same(_A, None)
    assert not same(0, False)
    with pytest.raises(Unknown):
        same("a", "a")


def test_of_equal_keys_the_last_counts() -> None:
    first, last = (Lazy(ast.Constant(number), Scope("a.py")) for number in (1, 2))
    mapping = Dictionary(((_A, first), (_A, last)))
    assert find(mapping, _A) is last
    assert find(mapping, _B) is None
    assert contains(mapping, _A)
    assert truth(mapping)
    assert not truth(Dictionary(()))


@pytest.mark.parametrize("other", ["a", "b"])
def test_a_member_equals_its_text_where_it_is_one(other: str) -> None:
    assert equal(replace(_A, is_text=True), other) == (other == "a")
    assert equal(other, replace(_A, is_text=True)) == (other == "a")
    assert not equal(replace(_A, is_text=False), other)


@pytest.mark.parametrize("other", ["a", "b"])
def test_a_member_and_a_text_cannot_be_compared_where_nobody_knows(other: str) -> None:
    with pytest.raises(Unknown, match="an enum member with a text"):
        equal(_A, other)


@pytest.mark.parametrize("value", [_OUTSIDE, _ENUM])
def test_of_other_values_nothing_is_claimed(value: Value) -> None:
    for ask in (truth, text, lambda one: equal(one, 1), lambda one: contains(one, 1), lambda one: contains((one,), 1)):
        with pytest.raises(Unknown):
            ask(value)


def test_a_text_does_not_grow_without_end() -> None:
    assert limited("x" * MAX_TEXT)
    with pytest.raises(Unknown):
        limited("x" * (MAX_TEXT + 1))
