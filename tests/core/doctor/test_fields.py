# SPDX-License-Identifier: Apache-2.0
"""Fields and values that upstream does not accept."""

from pathlib import Path

import pytest

from core.doctor.check import Check
from core.doctor.doctor import diagnose
from core.doctor.fields import BAD_VALUE, UNKNOWN_FIELD
from core.matrix import index
from tests.support.findings import Find
from tests.support.tree import LOADERS, write_checkout

ID = "alpha/pytorch-tiny-single_device-inference"
PASSING = f"  {ID}:\n    status: EXPECTED_PASSING\n"


def test_an_unknown_field_is_found_anywhere(find: Find) -> None:
    found = find(UNKNOWN_FIELD, PASSING + "    seq_len: 3\n    arch_overrides:\n      n150:\n        colour: red\n")
    assert [(one.line, one.column, one.fix) for one in found] == [(4, 5, ()), (7, 9, ())]
    assert "'seq_len'" in found[0].message


def test_a_misspelt_field_is_renamed_with_its_value(find: Find) -> None:
    (one,) = find(UNKNOWN_FIELD, PASSING + "    Required-Pcc: 0.98\n")
    assert "did you mean required_pcc?" in one.message
    assert [(op["op"], op["path"]) for op in one.fix] == [("set", ["required_pcc"]), ("unset", ["Required-Pcc"])]


def test_a_misspelt_field_that_says_nothing_goes(find: Find) -> None:
    (one,) = find(UNKNOWN_FIELD, PASSING + "    requiredpcc: 0.99\n")
    assert [(op["op"], op["path"]) for op in one.fix] == [("unset", ["requiredpcc"])]


@pytest.mark.parametrize("lines", ["    requiredpcc: much\n", "    requiredpcc: 0.98\n    required_pcc: 0.97\n"])
def test_a_value_that_does_not_fit_or_is_there_already_stays(find: Find, lines: str) -> None:
    (one,) = find(UNKNOWN_FIELD, PASSING + lines)
    assert one.fix == ()


@pytest.mark.parametrize(
    ("line", "better"),
    [
        ("required_pcc: '0.98'", 0.98),
        ("required_pcc: 98", None),
        ("required_pcc: .nan", None),
        ("required_pcc: [0.98]", None),
        ('assert_pcc: "false"', False),
        ("required_pcc: '0.9'\n    arch_overrides:\n      n150:\n        required_pcc: 0.98", 0.9),
        ("assert_pcc: maybe", None),
        ("optimization_level: 3", None),
        ("optimization_level: '2'", 2),
        ("optimization_level: true", None),
        ("batch_size: 0", None),
        ("reason: 4714", "4714"),
        ("markers: [push, 1]", ["push", "1"]),
        ("markers: {push: 1}", None),
        ("markers: [[push]]", None),
        ("filechecks: add.mlir", ["add.mlir"]),
        ("bringup_status: FAILED_RUNTIM", "FAILED_RUNTIME"),
        ("bringup_status: 7", None),
    ],
)
def test_a_wrong_value_and_what_it_was_meant_to_be(find: Find, line: str, better: object) -> None:
    (one,) = find(BAD_VALUE, f"{PASSING}    {line}\n")
    assert (one.line, one.column) == (4, 5)
    assert [op["value"] for op in one.fix] == ([] if better is None else [better])


@pytest.mark.parametrize(
    "line",
    [
        "required_pcc: 1",
        "required_pcc: null",
        "markers: push",
        "markers: []",
        "optimization_level: 0",
        "bringup_status: failed_runtime",
        "batch_size: 2",
        "supported_archs: p150",
        "execution_pass: FORWARD",
        "arch_overrides: {}",
    ],
)
def test_what_upstream_takes_is_no_finding(find: Find, line: str) -> None:
    assert find(BAD_VALUE, f"{PASSING}    {line}\n") == []


@pytest.mark.parametrize("status", ["null", "", "''"])
def test_an_empty_status(find: Find, status: str) -> None:
    (one,) = find(BAD_VALUE, f"  {ID}:\n    status: {status}\n")
    assert [op["value"] for op in one.fix] == ["UNSPECIFIED"]


def test_an_empty_status_of_an_override_falls_back_on_the_entry(find: Find) -> None:
    (one,) = find(BAD_VALUE, f"{PASSING}    arch_overrides:\n      n150:\n        reason: x\n        status:\n")
    assert [(op["op"], op["path"]) for op in one.fix] == [("unset", ["arch_overrides", "n150", "status"])]


def test_a_status_that_is_none(find: Find) -> None:
    near, far = find(BAD_VALUE, f"  {ID}:\n    status: EXPECTED_PASING\n  x:\n    status: GREEN\n")
    assert ([op["value"] for op in near.fix], far.fix) == (["EXPECTED_PASSING"], ())
    assert "must be one of EXPECTED_PASSING, KNOWN_FAILURE_XFAIL" in far.message


@pytest.mark.parametrize(
    ("lines", "line", "mended"),
    [
        ("    arch_overrides:\n", 4, True),
        ("    arch_overrides: [n150]\n", 4, False),
        ("    arch_overrides:\n      n150:\n", 5, True),
        ("    arch_overrides:\n      n150: NOT_SUPPORTED_SKIP\n", 5, False),
        ("    arch_overrides:\n      n150:\n        arch_overrides:\n          p150:\n            x: 1\n", 6, False),
    ],
)
def test_overrides_that_are_no_mappings(find: Find, lines: str, line: int, mended: bool) -> None:
    (one,) = find(BAD_VALUE, PASSING + lines)
    assert (one.line, bool(one.fix)) == (line, mended)


def test_a_null_that_counts_as_false_where_the_default_is_true(find: Find) -> None:
    (one,) = find(BAD_VALUE, f"{PASSING}    emitpy_assert_exact:\n")
    assert [op["op"] for op in one.fix] == ["unset"]


@pytest.mark.parametrize("line", ["assert_pcc: 'true'", "required_pcc: '0.99'"])
def test_a_repaired_value_that_is_the_default_goes(find: Find, line: str) -> None:
    (one,) = find(BAD_VALUE, f"{PASSING}    {line}\n")
    assert [op["op"] for op in one.fix] == ["unset"]


def test_an_entry_that_is_no_mapping(find: Find) -> None:
    (one,) = find(BAD_VALUE, "  a:\n")
    assert (one.line, one.fix) == (2, ())


@pytest.mark.parametrize(
    ("field", "check", "says"),
    [
        ("bring_up_status: NOT_STARTED", UNKNOWN_FIELD, "did you mean bringup_status?"),
        ("status: EXPECTED_PASSING", UNKNOWN_FIELD, "Nothing reads 'status' of a placeholder"),
        ("bringup_status: NOTSTARTED", BAD_VALUE, "bringup_status is 'NOTSTARTED', but must be"),
        ("bringup_status: NOT_STARTED", None, ""),
        ("reason: later", None, ""),
    ],
)
def test_fields_of_placeholders(tmp_path: Path, field: str, check: Check | None, says: str) -> None:
    yaml = {"torch/test_config_placeholders.yaml": f"PLACEHOLDER_MODELS:\n  Some Model:\n    {field}\n"}
    matrix = index(write_checkout(tmp_path, LOADERS, yaml))
    found = [(one.kind, one.line) for one in diagnose(matrix, (UNKNOWN_FIELD, BAD_VALUE))]
    assert found == ([(check.kind, 3)] if check else [])
    assert all(says in one.message for one in diagnose(matrix, (UNKNOWN_FIELD, BAD_VALUE)))
