# SPDX-License-Identifier: Apache-2.0
"""Defaults written out, thresholds that never count, entries without a status."""

import pytest

from core.doctor.defaults import NO_STATUS, PCC_CONFLICT, REDUNDANT_DEFAULT, is_default
from tests.support.findings import Find

ID = "alpha/pytorch-tiny-single_device-inference"
PASSING = f"  {ID}:\n    status: EXPECTED_PASSING\n"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("required_pcc: 0.99", True),
        ("required_pcc: 0.990", True),
        ("assert_pcc: True", True),
        ("emitpy_assert_exact: true", True),
        ("inject_custom_moe: false", True),
        ("required_pcc: 0.98", False),
        ("assert_pcc: false", False),
        ("required_atol: 0.16", False),
        ("allclose_rtol: 0.01", False),
        ("optimization_level: 0", False),
    ],
)
def test_only_what_changes_nothing_is_redundant(find: Find, line: str, found: bool) -> None:
    findings = find(REDUNDANT_DEFAULT, f"{PASSING}    {line}\n")
    assert [(one.line, one.column, bool(one.fix)) for one in findings] == ([(4, 5, True)] if found else [])


def test_an_override_may_want_the_default_back(find: Find) -> None:
    yaml = PASSING + "    required_pcc: 0.9\n    arch_overrides:\n      n150:\n        required_pcc: 0.99\n"
    assert find(REDUNDANT_DEFAULT, yaml) == []


def test_one_is_not_true() -> None:
    assert is_default("assert_pcc", True)
    assert not is_default("assert_pcc", 1)
    assert not is_default("status", "UNSPECIFIED")


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        ("    required_pcc: 0.9\n    assert_pcc: false\n", [(4, 5)]),
        ("    required_pcc: 0.9\n    assert_pcc: 'false'\n", []),
        (
            "    required_pcc: 0.9\n    assert_pcc: false\n    arch_overrides:\n      p150:\n        assert_pcc: true\n",
            [],
        ),
        ("    assert_pcc: false\n    arch_overrides:\n      p150:\n        required_pcc: 0.9\n", [(7, 9)]),
        ("    required_pcc: 0.9\n    arch_overrides:\n      p150:\n        assert_pcc: false\n", []),
        (
            "    required_pcc: 0.9\n    arch_overrides:\n      n150:\n        assert_pcc: false\n"
            "      p150:\n        assert_pcc: false\n        reason: x\n",
            [(4, 5)],
        ),
        ("    required_pcc: null\n    assert_pcc: false\n", []),
    ],
)
def test_a_threshold_conflicts_where_no_arch_asserts_it(find: Find, lines: str, places: list[tuple[int, int]]) -> None:
    assert [(one.line, one.column) for one in find(PCC_CONFLICT, PASSING + lines)] == places


def test_a_conflict_of_an_override_names_the_arch(find: Find) -> None:
    yaml = PASSING + "    arch_overrides:\n      n150:\n        assert_pcc: false\n        required_pcc: 0.9\n"
    (one,) = find(PCC_CONFLICT, yaml)
    assert one.message.endswith("assert_pcc is false on n150")
    assert [op["path"] for op in one.fix] == [["arch_overrides", "n150", "required_pcc"]]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("    reason: x\n", True),
        ("    {}\n", True),
        ("    arch_overrides:\n      n150:\n        reason: x\n", True),
        ("    arch_overrides:\n      n150:\n        status: EXPECTED_PASSING\n", False),
        ("    status: UNSPECIFIED\n", False),
        ("    status:\n", False),
        ("    null\n", False),
    ],
)
def test_no_status_anywhere(find: Find, lines: str, found: bool) -> None:
    findings = find(NO_STATUS, f"  {ID}:\n{lines}")
    assert [(one.line, one.column, one.fix) for one in findings] == ([(2, 3, ())] if found else [])
