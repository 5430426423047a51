# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.field_order."""

import pytest

from core.edits.yaml.field_order import FIELD_ORDER, ordered, position
from core.sources import Schema


@pytest.mark.parametrize(
    ("present", "name", "expected"),
    [
        ([], "status", 0),
        (["status"], "supported_archs", 0),
        (["supported_archs", "markers"], "status", 1),
        (["status", "arch_overrides"], "reason", 1),
        (["required_pcc", "status"], "bringup_status", 2),
        (["status", "required_pcc", "supported_archs"], "bringup_status", 1),
        (["arch_overrides"], "status", 0),
        (["status", "execution_pass", "reason"], "arch_overrides", 3),
        (["status", "arch_overrides"], "unheard_of", 1),
        (["n150", "p150"], "n300", 2),
    ],
)
def test_a_new_field_goes_after_its_nearest_predecessor(present: list[str], name: str, expected: int) -> None:
    assert position(present, name) == expected


def test_every_field_of_upstream_has_a_place() -> None:
    assert {*FIELD_ORDER, "arch_overrides"} == set(Schema().fields)


def test_ordered_keeps_the_order_of_archs() -> None:
    assert ordered(["p150", "n150"]) == ["p150", "n150"]
    assert ordered(["arch_overrides", "x", "reason", "status"]) == ["status", "reason", "x", "arch_overrides"]
