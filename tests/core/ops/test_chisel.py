# SPDX-License-Identifier: Apache-2.0
"""Lines written by Chisel, as results of ops."""

import json
from pathlib import Path

from core.ops import read_chisel
from core.ops.chisel import operands_of
from core.ops.op_by_op import Operand

NODE = "tests/runner/test_models.py::test_all_models_torch[m/pytorch-a-single_device-inference]"
FILE = "chisel_results/tests_runner_test_models.py__test_all_models_torch[m_pytorch-a-single_device-inference].jsonl"
ASM = '%2 = "ttnn.add"(%0, %1) <{dtype = 1}> : (tensor<2x3xbf16, #ttnn_layout>, tensor<f32>) -> tensor<2x3xbf16, #l> loc("a")'


def test_checks_of_ops_with_their_tensors_and_numbers(tmp_path: Path) -> None:
    numbers = {"mode": "isolated", "pcc": 0.5, "atol": 0.25, "rtol": 1.5}
    records = [
        {"op": "ttnn.add", "check": "numerics", "op_asm": ASM, "payload": {"status": "numerics_fail", **numbers}},
        {"op": "ttnn.add", "check": "numerics", "payload": {"status": "ok", **numbers, "pcc": 1.0}},
        {"op": "ttnn.full", "check": "numerics", "payload": {"status": "skipped_numerics", "mode": "isolated"}},
        {"op": "ttnn.add", "check": "golden", "payload": {"status": "golden_promoted"}},
        {"op": "ttnn.mul", "check": "shape", "payload": {"status": "shape_mismatch", "expected_shape": [1]}},
        {"op": "ttnn.exp", "payload": {"status": "numerics_fail", "mode": "isolated", "pcc": float("nan")}},
    ]
    file = tmp_path / FILE
    file.parent.mkdir()
    lines = [json.dumps(one) for one in records]
    file.write_text("\n".join([*lines, "torn {", "[1]", '{"payload": 3}', "[" * 100_000]))
    found = read_chisel(tmp_path, NODE)
    assert [(one.op, one.passed, one.message) for one in found] == [
        ("ttnn.add", False, "numerics_fail isolated: PCC 0.5, atol 0.25, rtol 1.5"),
        ("ttnn.add", True, "isolated: PCC 1, atol 0.25, rtol 1.5"),
        ("ttnn.mul", False, "shape_mismatch shape"),
        ("ttnn.exp", False, "numerics_fail isolated"),
    ]
    assert found[0].inputs == (Operand((2, 3), "bfloat16"), Operand((), "float32"))
    assert {one.file for one in found} == {FILE}


def test_without_its_file_or_through_a_link_there_is_nothing(tmp_path: Path) -> None:
    assert read_chisel(tmp_path, NODE) == ()
    (tmp_path / "elsewhere").write_text(json.dumps({"op": "a", "payload": {"status": "error"}}))
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    assert read_chisel(tmp_path, NODE) == ()


def test_what_names_no_types_has_no_tensors() -> None:
    assert operands_of("%0 = ttnn.full") == operands_of("") == ()
