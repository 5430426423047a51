# SPDX-License-Identifier: Apache-2.0
"""Which spellings of a value have the same effect on runs."""

import pytest

from core.matrix import DEFAULTS, UNWRITTEN, acting, differing, raw_value, said_default, values_on, with_fields
from core.sources import Schema

ENTRY = with_fields(
    None, {"status": "EXPECTED_PASSING", "reason": "r", "arch_overrides": {"n150": {"reason": None, "markers": []}}}
)


@pytest.mark.parametrize(
    ("field", "one", "other"),
    [
        ("status", "expected_passing ", "EXPECTED_PASSING"),
        ("status", UNWRITTEN, "UNSPECIFIED"),
        ("required_pcc", UNWRITTEN, 0.99),
        ("required_pcc", None, 0.99),
        ("required_pcc", 1, 1.0),
        ("assert_pcc", "false", True),
        ("assert_pcc", UNWRITTEN, True),
        ("markers", "push", ["push"]),
        ("markers", ["a", "b"], ["b", "a", "b"]),
        ("markers", UNWRITTEN, []),
        ("supported_archs", UNWRITTEN, ["p150", "n150"]),
        ("supported_archs", [], ["n150", "p150"]),
        ("reason", None, UNWRITTEN),
        ("bringup_status", "failed_runtime", "FAILED_RUNTIME"),
    ],
)
def test_alike(field: str, one: object, other: object) -> None:
    assert acting(field, one) == acting(field, other)


@pytest.mark.parametrize(
    ("field", "one", "other"),
    [
        ("status", None, UNWRITTEN),
        ("required_atol", 0.16, UNWRITTEN),
        ("assert_pcc", False, UNWRITTEN),
        ("reason", "", UNWRITTEN),
        ("batch_size", 1, UNWRITTEN),
        ("supported_archs", ["n150"], UNWRITTEN),
        ("required_pcc", "0.9", 0.9),
    ],
)
def test_not_alike(field: str, one: object, other: object) -> None:
    assert acting(field, one) != acting(field, other)


def test_a_said_default_acts_as_nothing_does() -> None:
    said = [field for field in Schema().fields if said_default(field) is not UNWRITTEN]
    assert {"status", "assert_pcc", "required_pcc", "markers", "supported_archs"} <= set(said)
    assert not {"required_atol", "reason", "batch_size"} & set(said)
    for field in said:
        assert acting(field, said_default(field)) == acting(field, UNWRITTEN)
    assert set(DEFAULTS) <= set(Schema().fields)


def test_values_on_an_arch() -> None:
    assert values_on(ENTRY, None) == {"status": "EXPECTED_PASSING", "reason": "r"}
    assert values_on(ENTRY, "n150") == {"status": "EXPECTED_PASSING", "reason": None, "markers": []}
    assert values_on(None, "n150") == {}
    assert raw_value(ENTRY, "reason", "p150") == "r"
    assert raw_value(ENTRY, "markers", "p150") is UNWRITTEN


def test_differing_fields() -> None:
    other = with_fields(ENTRY, {**ENTRY.fields, "status": "NOT_SUPPORTED_SKIP", "required_pcc": 0.99})
    assert differing(ENTRY, other, "n150") == ["status"]
    assert differing(ENTRY, None, "p150") == ["status", "reason"]
    assert differing(None, None, "p150") == []
