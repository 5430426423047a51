# SPDX-License-Identifier: Apache-2.0
"""Tests of core.doctor.op_manifests: findings about manifests, each with its correction."""

import json
from pathlib import Path

import pytest

from core.doctor.op_manifests import corrected_findings
from core.edits import parse_operations, plan
from core.ops import read_op_tests

FILE = "ops/m.yaml"
TEXT = """\
model: m
defaults:
  rtoll: 1.0e-4  # close
cases:
  - name: a
    op: torch.add
    inputs:
      - tensor: {shpae: [2, 3], init: randn}
      - tensor: {shape: [2, 3], init: "randnn"}
  - name: a
    op: torch.add
    frobnicate: 1
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ops").mkdir()
    (tmp_path / FILE).write_text(TEXT)
    (tmp_path / "tests/runner/test_config").mkdir(parents=True)
    return tmp_path


def test_a_mistake_has_its_place_and_the_operation_that_corrects_it(root: Path) -> None:
    found = tuple(corrected_findings(root, read_op_tests(root, ["ops"]).manifests))
    assert [(one.line, one.id, [op["op"] for op in one.fix]) for one in found] == [
        (3, "", ["rename"]),
        (8, "m::a", []),
        (8, "m::a", []),
        (9, "m::a", []),
        (12, "m::a", []),
        (10, "m::a", ["rename"]),
    ]
    (root / FILE).write_text(
        TEXT.replace("  - name: a\n    op: torch.add\n    f", "  - name: b\n    op: torch.add\n    f")
    )
    found = tuple(corrected_findings(root, read_op_tests(root, ["ops"]).manifests))
    assert [[op["op"] for op in one.fix] for one in found] == [["rename"], ["rename"], [], ["set"], []]


def test_the_corrections_leave_what_takes_a_person(root: Path) -> None:
    for _ in range(4):
        found = corrected_findings(root, read_op_tests(root, ["ops"]).manifests)
        fix = next(one.fix for one in found if one.fix)
        (edit,) = plan(root / "tests/runner/test_config", parse_operations(json.dumps(fix))).files
        (root / FILE).write_text(edit.after)
    assert (root / FILE).read_text() == (
        TEXT.replace("rtoll", "rtol")
        .replace("shpae", "shape")
        .replace("randnn", "randn")
        .replace("  - name: a\n    op: torch.add\n    f", "  - name: a_2\n    op: torch.add\n    f")
    )
    (left,) = corrected_findings(root, read_op_tests(root, ["ops"]).manifests)
    assert "frobnicate" in left.message


def test_a_file_that_is_gone_has_its_findings_without_corrections(root: Path) -> None:
    manifests = read_op_tests(root, ["ops"]).manifests
    (root / FILE).unlink()
    assert not any(one.fix for one in corrected_findings(root, manifests))
