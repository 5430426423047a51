# SPDX-License-Identifier: Apache-2.0
"""A wrong value corrected, or removed."""

import pytest

from core.doctor.check import OVERRIDES, Path, Written
from core.doctor.defaults import repair
from core.domain.model import Entry

ON_N150 = (OVERRIDES, "n150", "assert_pcc")


@pytest.mark.parametrize(
    ("fields", "at", "value", "done"),
    [
        ({}, ("required_pcc",), "0.98", ("set", 0.98)),
        ({}, ("required_pcc",), "0.99", ("unset", None)),
        ({}, ("assert_pcc",), "yes", ("unset", None)),
        ({}, ("assert_pcc",), "no", ("set", False)),
        ({"required_pcc": 0.9}, ("assert_pcc",), "no", None),
        ({"assert_pcc": False}, ON_N150, "false", ("unset", None)),
        ({"assert_pcc": False}, ON_N150, "true", ("set", True)),
        ({}, ("assert_pcc",), "perhaps", None),
    ],
)
def test_repair(fields: dict[str, object], at: Path, value: object, done: tuple[str, object] | None) -> None:
    one = Written(Entry("a", "f", 1, 2, {"status": "EXPECTED_PASSING", **fields}), "f")
    assert [(op["op"], op.get("value")) for op in repair(one, at, value)] == ([done] if done else [])
