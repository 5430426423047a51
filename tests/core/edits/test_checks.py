# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.checks."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from core.edits import Operation, OpKind
from core.edits.checks import schema_problem
from core.matrix import RULES
from core.sources import Schema


def setting(value: object, *path: str) -> str:
    return schema_problem(Operation(OpKind.SET, "a", path=path, value=value), Schema())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("status",), "EXPECTED_PASSING"),
        (("status",), "expected_passing"),
        (("arch_overrides", "n150", "bringup_status"), "PASSED"),
        (("markers",), ["push"]),
        (("markers",), "push"),
        (("supported_archs",), ["n300-llmbox"]),
        (("required_pcc",), 0.97),
        (("assert_pcc",), False),
        (("batch_size",), 2),
        (("optimization_level",), 0),
        (("allclose_rtol",), 1),
    ],
)
def test_what_upstream_understands_is_fine(path: tuple[str, ...], value: object) -> None:
    assert setting(value, *path) == ""


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("status",), "PASSING", "status: must be one of EXPECTED_PASSING, KNOWN_FAILURE_XFAIL"),
        (("status",), True, "status: must be one of"),
        (("bringup_status",), "EXPECTED_PASSING", "bringup_status: must be one of"),
        (("reason",), 3, "reason: must be text"),
        (("markers",), ["push", 1], "markers: must be text or a list of text"),
        (("supported_archs",), ["n150", "n151"], "n151 is not an arch of this checkout"),
        (("required_pcc",), 97, "required_pcc: must be a number from 0 to 1"),
        (("required_pcc",), True, "required_pcc: must be a number from 0 to 1"),
        (("required_atol",), "0.1", "required_atol: must be a number"),
        (("assert_pcc",), "false", "assert_pcc: must be true or false"),
        (("batch_size",), 0, "batch_size: must be a whole number above 0"),
        (("optimization_level",), True, "optimization_level: must be 0, 1 or 2"),
        (("optimization_level",), 3, "optimization_level: must be 0, 1 or 2"),
        (("statsu",), "X", "statsu is not a field of this checkout; fields are"),
        (("arch_overrides", "n151", "status"), "EXPECTED_PASSING", "n151 is not an arch of this checkout"),
    ],
)
def test_what_upstream_would_refuse_is_named(path: tuple[str, ...], value: object, why: str) -> None:
    assert why in setting(value, *path)


def test_an_added_entry_is_looked_at_as_a_whole() -> None:
    for value, why in [
        ({"status": "EXPECTED_PASSING", "arch_overrides": {"n150": {"status": "PASSED"}}}, "status: must be"),
        ({"arch_overrides": {"n1": {"status": "UNSPECIFIED"}}}, "n1 is not an arch"),
        ({"status": "UNSPECIFIED", "nope": 1}, "nope is not a field"),
        ({"status": "UNSPECIFIED", "arch_overrides": {"n150": {"reason": "r"}}}, ""),
    ]:
        found = schema_problem(Operation(OpKind.ADD, "a", "f", value=value), Schema())
        assert found.startswith(why)
        assert bool(found) == bool(why)


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (Operation(OpKind.ADD, "a", path=("markers",), value="push"), ""),
        (Operation(OpKind.ADD, "a", path=("markers",), value=1), "markers: must be text or a list of text"),
        (Operation(OpKind.ADD, "a", path=("supported_archs",), value="n151"), "supported_archs: n151 is not an arch"),
        (Operation(OpKind.RENAME, "a", path=("supported_archs",), value="n150", to="x"), "supported_archs: x is no"),
        (Operation(OpKind.REMOVE, "a", path=("supported_archs",), value="n151"), ""),
        (
            Operation(OpKind.ADD, "a", path=("arch_overrides", "n1"), value={"status": "UNSPECIFIED"}),
            "n1 is not an arch",
        ),
        (Operation(OpKind.ADD, "a", path=("arch_overrides", "n150"), value={"status": "X"}), "status: must be"),
        (Operation(OpKind.RENAME, "a", path=("arch_overrides", "n151"), to="n150"), ""),
        (Operation(OpKind.RENAME, "a", path=("arch_overrides", "n150"), to="n151"), "n151 is not an arch"),
        (Operation(OpKind.ADD, "a", path=("status",), value="X"), "status is not a list; lists are markers"),
        (Operation(OpKind.REMOVE, "a", path=("arch_overrides", "n150", "reason"), value="X"), "reason is not a list"),
    ],
)
def test_parts_of_an_entry_are_looked_at_too(operation: Operation, why: str) -> None:
    found = schema_problem(operation, Schema())
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_taking_away_is_always_allowed() -> None:
    assert schema_problem(Operation(OpKind.UNSET, "a", path=("statsu",)), Schema()) == ""
    assert schema_problem(Operation(OpKind.REMOVE, "a"), Schema()) == ""


def test_every_field_has_a_kind_of_value() -> None:
    assert {*RULES, "arch_overrides"} == set(Schema().fields)


def test_all_that_is_in_real_files_is_fine(real_files: list[Path]) -> None:
    for path in real_files:
        for identifier, fields in YAML(typ="safe").load(path)["test_config"].items():
            operation = Operation(OpKind.ADD, identifier, path.name, value=fields)
            assert schema_problem(operation, Schema()) == ""
