# SPDX-License-Identifier: Apache-2.0
"""Overrides that change nothing, and a status that no arch uses."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.doctor.check import marked_archs
from core.doctor.doctor import diagnose
from core.doctor.overrides import REDUNDANT_OVERRIDE, SHADOWED_STATUS
from core.matrix import Matrix, resolve
from tests.support.findings import Find, assert_mend_heals

ID = "alpha/pytorch-tiny-single_device-inference"
PASSING = f"  {ID}:\n    status: EXPECTED_PASSING\n"
XFAIL_ON = "      {}:\n        status: KNOWN_FAILURE_XFAIL\n"


def test_a_value_the_entry_has_already(find: Find) -> None:
    yaml = PASSING + (
        "    reason: x\n    arch_overrides:\n      n150:\n        status: EXPECTED_PASSING\n        reason: y\n"
    )
    (one,) = find(REDUNDANT_OVERRIDE, yaml)
    assert (one.line, one.column) == (7, 9)
    assert one.message == "status is 'EXPECTED_PASSING' on n150 without this override, too"
    assert [op["path"] for op in one.fix] == [["arch_overrides", "n150", "status"]]


@pytest.mark.parametrize(
    ("base", "override", "redundant"),
    [
        ("", "required_pcc: 0.99", True),
        ("", "assert_pcc: true", True),
        ("required_pcc: 0.97", "required_pcc: 0.99", False),
        ("", "required_atol: 0.16", False),
        ("", "status: UNSPECIFIED", False),
        ("markers: [push]", "markers: [push]", True),
        ("markers: [push]", "markers: []", False),
        ("required_pcc: 0.99", "required_pcc: 0.99", True),
    ],
)
def test_a_default_is_redundant_unless_it_takes_something_back(
    find: Find, base: str, override: str, redundant: bool
) -> None:
    entry = f"  {ID}:\n" + (f"    {base}\n" if base else "")
    found = find(
        REDUNDANT_OVERRIDE, f"{entry}    arch_overrides:\n      n150:\n        reason: r\n        {override}\n"
    )
    assert bool(found) is redundant


def test_identical_overrides_of_every_arch_can_be_written_once(find: Find) -> None:
    override = "        status: KNOWN_FAILURE_XFAIL\n        required_pcc: 0.98\n"
    yaml = f"{PASSING}    arch_overrides:\n      n150:\n{override}      p150:\n{override}"
    (one,) = find(REDUNDANT_OVERRIDE, yaml)
    assert (one.line, one.column) == (4, 5)
    assert [op["path"] for op in one.fix] == [
        ["status"],
        ["required_pcc"],
        ["arch_overrides", "n150"],
        ["arch_overrides", "p150"],
    ]


def test_a_default_is_not_hoisted_but_takes_the_other_value_away(find: Find) -> None:
    override = "        required_pcc: 0.99\n"
    yaml = f"{PASSING}    required_pcc: 0.9\n    arch_overrides:\n      n150:\n{override}      p150:\n{override}"
    (one,) = find(REDUNDANT_OVERRIDE, yaml)
    assert [op["op"] for op in one.fix] == ["unset", "unset", "unset"]


@pytest.mark.parametrize(
    "lines",
    [
        "    supported_archs: [n150, p150, n300]\n    arch_overrides:\n"
        + XFAIL_ON.format("n150")
        + XFAIL_ON.format("p150"),
        "    supported_archs: [n150]\n    arch_overrides:\n" + XFAIL_ON.format("n150"),
        "    arch_overrides:\n" + XFAIL_ON.format("n150") + "      p150:\n        status: NOT_SUPPORTED_SKIP\n",
    ],
)
def test_overrides_that_leave_an_arch_out_or_differ_are_needed(find: Find, lines: str) -> None:
    assert find(REDUNDANT_OVERRIDE, PASSING + lines) == []


def test_a_status_that_every_arch_overrides(find: Find) -> None:
    yaml = f"{PASSING}    arch_overrides:\n{XFAIL_ON.format('n150')}      p150:\n        status: NOT_SUPPORTED_SKIP\n"
    (one,) = find(SHADOWED_STATUS, yaml)
    assert (one.line, one.column) == (3, 5)
    assert [(op["op"], op["path"]) for op in one.fix] == [("unset", ["status"])]


def test_a_shadowing_status_that_is_the_same_everywhere_takes_the_place(find: Find) -> None:
    yaml = f"{PASSING}    arch_overrides:\n{XFAIL_ON.format('n150')}        reason: x\n{XFAIL_ON.format('p150')}"
    (one,) = find(SHADOWED_STATUS, yaml)
    assert [(op["op"], op["path"]) for op in one.fix] == [
        ("set", ["status"]),
        ("unset", ["arch_overrides", "n150", "status"]),
        ("unset", ["arch_overrides", "p150", "status"]),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        XFAIL_ON.format("n150"),
        XFAIL_ON.format("n150") + "      p150:\n        status: EXPECTED_PASSING\n",
    ],
)
def test_a_status_that_some_arch_has_is_not_shadowed(find: Find, lines: str) -> None:
    assert find(SHADOWED_STATUS, f"{PASSING}    arch_overrides:\n{lines}") == []


def test_statuses_in_overrides_only_are_upstreams_own_style(find: Find) -> None:
    lines = XFAIL_ON.format("n150") + "      p150:\n        status: NOT_SUPPORTED_SKIP\n"
    assert find(SHADOWED_STATUS, f"  {ID}:\n    arch_overrides:\n{lines}") == []


_FIELDS = st.dictionaries(
    st.sampled_from(["status", "required_pcc", "reason"]),
    st.sampled_from(["x", "y"]),
    max_size=3,
)
_VALUES = {
    ("status", "x"): "EXPECTED_PASSING",
    ("status", "y"): "KNOWN_FAILURE_XFAIL",
    ("required_pcc", "x"): "0.99",
    ("required_pcc", "y"): "0.9",
}


def _lines(fields: dict[str, str], indent: int) -> str:
    return "".join(f"{' ' * indent}{name}: {_VALUES.get((name, value), value)}\n" for name, value in fields.items())


@pytest.mark.slow("many checkouts are indexed")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_FIELDS, st.dictionaries(st.sampled_from(["n150", "p150", "n300"]), _FIELDS.filter(bool), min_size=1))
def test_no_fix_changes_what_a_cell_means(
    checked: Callable[..., Matrix], base: dict[str, str], overrides: dict[str, dict[str, str]]
) -> None:
    lines = "".join(f"      {arch}:\n{_lines(fields, 8)}" for arch, fields in overrides.items())
    matrix = checked(f"  {ID}:\n{_lines(base, 4)}    arch_overrides:\n{lines}")
    for one in diagnose(matrix):
        after = assert_mend_heals(matrix, one)
        if after is not None and one.kind in (REDUNDANT_OVERRIDE.kind, SHADOWED_STATUS.kind, "redundant-default"):
            for arch in marked_archs(matrix.entries[ID], matrix.schema.archs):
                for field in ("status", "required_pcc", "reason"):
                    was, now = (resolve(one.entries.get(ID), field, arch).value for one in (matrix, after))
                    assert was == now
