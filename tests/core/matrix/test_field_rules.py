# SPDX-License-Identifier: Apache-2.0
"""Allowed values of fields: every field of the schema has a rule, and a repaired value always satisfies it."""

import pytest
from hypothesis import given, strategies as st

from core.matrix import DEFAULTS, RULES, is_flag
from core.sources import Schema

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_TYPICAL = st.sampled_from(["TRUE", "off", "0.98", "1", "2.0", "nan", "1e999", "EXPECTED_PASING", " passed ", ""])
_VALUES = _SCALARS | _TYPICAL | st.lists(_SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), _SCALARS)


def test_every_field_but_the_overrides_has_a_rule() -> None:
    assert RULES.keys() == set(Schema().fields) - {"arch_overrides"}


@pytest.mark.parametrize("field", DEFAULTS)
def test_the_defaults_fit(field: str) -> None:
    assert RULES[field].allows(DEFAULTS[field])


@given(st.sampled_from(sorted(RULES)), _VALUES)
def test_a_repair_fits(field: str, value: object) -> None:
    better = RULES[field].repaired(value)
    assert better is None or RULES[field].fits(better)


@pytest.mark.parametrize(
    ("field", "value", "better"),
    [
        ("assert_pcc", "No", False),
        ("assert_pcc", 0, None),
        ("required_pcc", "0.9", 0.9),
        ("required_pcc", "2", None),
        ("batch_size", "4.0", 4),
        ("status", "expected_pasing", "EXPECTED_PASSING"),
        ("status", "PASS", None),
        ("markers", ["push", 2], ["push", "2"]),
        ("markers", [None], None),
        ("reason", True, None),
    ],
)
def test_repairs(field: str, value: object, better: object) -> None:
    assert RULES[field].repaired(value) == better


def test_flags() -> None:
    assert is_flag("assert_pcc")
    assert is_flag("emitpy_assert_exact")
    assert not is_flag("status")
    assert not is_flag("nothing")
