# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.apply."""

import pytest

from core.edits import ABSENT, Operation, OpKind, Present
from core.edits.apply import after, leaves, same, value_at, with_value, without_nulls
from core.sources import parse_expectations

FIELDS = {"status": "X", "arch_overrides": {"n150": {"reason": "r", "required_pcc": None}, "p150": {"status": "Y"}}}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", 1, False),
        (True, 1, False),
        (1, 1.0, False),
        (float("nan"), float("nan"), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (["a", "b"], ["b", "a"], False),
        (["a"], ("a",), True),
        (None, ABSENT, False),
        (ABSENT, ABSENT, True),
        ("true", True, False),
    ],
)
def test_values_are_the_same_as_yaml_means_them(one: object, other: object, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_a_value_is_found_by_its_path() -> None:
    assert value_at(FIELDS, ("arch_overrides", "n150", "reason")) == "r"
    assert value_at(FIELDS, ("arch_overrides", "n150", "required_pcc")) is None
    assert value_at(FIELDS, ("arch_overrides", "n300", "reason")) is ABSENT
    assert value_at(FIELDS, ("status", "deeper")) is ABSENT
    assert value_at(None, ("status",)) is ABSENT


def test_a_value_is_put_in_and_taken_away_with_what_it_leaves_empty() -> None:
    put = with_value(FIELDS, ("arch_overrides", "n300", "status"), "Z")
    assert value_at(put, ("arch_overrides", "n300")) == {"status": "Z"}
    assert with_value(put, ("arch_overrides", "n300", "status"), ABSENT) == FIELDS
    assert with_value({"arch_overrides": {"n150": {"a": 1}}}, ("arch_overrides", "n150", "a"), ABSENT) == {}


def test_operations_on_one_entry() -> None:
    assert after({}, Operation(OpKind.SET, "a", path=("status",), value="X")) == {"status": "X"}
    assert after({"status": "X"}, Operation(OpKind.UNSET, "a", path=("status",))) == {}
    assert after(None, Operation(OpKind.SET, "a", path=("status",), value="X")) is None
    assert after(None, Operation(OpKind.ADD, "a", "f", value={"b": 1})) == {"b": 1}
    assert after({"b": 1}, Operation(OpKind.REMOVE, "a")) is None
    assert after({"b": 1}, Operation(OpKind.RENAME, "a", to="c")) == {"b": 1}


def test_leaves_are_what_one_operation_can_set() -> None:
    assert dict(leaves(FIELDS)) == {
        ("status",): "X",
        ("arch_overrides", "n150", "reason"): "r",
        ("arch_overrides", "p150", "status"): "Y",
    }
    assert without_nulls({**FIELDS, "batch_size": None})["arch_overrides"] == {
        "n150": {"reason": "r"},
        "p150": {"status": "Y"},
    }
    assert without_nulls({"arch_overrides": {"n150": {"a": None}}}) == {}


def test_what_a_checkout_holds() -> None:
    present = Present(
        [
            parse_expectations("test_config:\n  a:\n    status: X\n", "one"),
            parse_expectations("test_config:\n  a:\n    status: Y\n  b:\n", "two"),
            parse_expectations("test_config: [", "three"),
        ]
    )
    assert present.find(Operation(OpKind.REMOVE, "a")) == ("two", "a")
    assert present.find(Operation(OpKind.REMOVE, "a", "one")) == ("one", "a")
    assert present.find(Operation(OpKind.REMOVE, "c")) == ("", "c")
    assert present.fields(("one", "a")) == {"status": "X"}
    assert present.fields(("one", "b")) is None
    assert present.broken == {"three"}
    assert present.digests["one"]["a"] != present.digests["two"]["a"]
