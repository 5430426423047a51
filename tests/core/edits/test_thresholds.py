# SPDX-License-Identifier: Apache-2.0
"""core.edits.thresholds: a person's threshold in place of the proposed one."""

import pytest

from core.base.errors import UsageError
from core.edits import Operation, OpKind, retyped, sets_threshold, threshold_of

SET = Operation(OpKind.SET, "a", "f", ("required_pcc",), 0.97)
OVERRIDE = Operation(OpKind.SET, "a", "f", ("arch_overrides", "n150", "required_pcc"), 0.98)
DEFAULT = Operation(OpKind.UNSET, "a", "f", ("required_pcc",))
STATUS = Operation(OpKind.SET, "a", "f", ("status",), "EXPECTED_PASSING")
NEW = Operation(
    OpKind.ADD,
    "a",
    "f",
    value={"required_pcc": 0.96, "arch_overrides": {"p150": {"required_pcc": 0.95, "reason": "x"}}},
)


def test_wherever_one_is_set() -> None:
    made = retyped((STATUS, SET, OVERRIDE, DEFAULT), "0.975")
    assert [(one.op, one.path, one.value) for one in made] == [
        (OpKind.SET, SET.path, 0.975),
        (OpKind.SET, OVERRIDE.path, 0.975),
        (OpKind.SET, DEFAULT.path, 0.975),
    ]
    assert [one.path for one in retyped((NEW,), "1")] == [("required_pcc",), ("arch_overrides", "p150", "required_pcc")]
    assert (threshold_of((STATUS, OVERRIDE)), threshold_of((NEW,)), threshold_of((DEFAULT,))) == (0.98, 0.96, None)
    assert (sets_threshold((STATUS,)), sets_threshold((DEFAULT,)), sets_threshold((NEW,))) == (False, True, True)


@pytest.mark.parametrize("text", ["", "high", "nan", "inf", "0", "-0.5", "1.01", "0,97"])
def test_what_is_no_threshold_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        retyped((SET,), text)
