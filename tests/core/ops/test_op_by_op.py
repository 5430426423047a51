# SPDX-License-Identifier: Apache-2.0
"""Reports of upstream's op-by-op tests: read within limits, and joined with op cases by shape."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import TestId
from core.domain.model import ModelInfo
from core.ops import chisel_file, failed_op, ops_of_model, read_op_by_op, read_op_tests
from core.ops.op_by_op import Operand, operands
from tests.support.cli import call
from tests.support.tree import LOADERS, write_checkout

_TEST = "alpha/pytorch-tiny-single_device-inference"


def described(*tensors: tuple[list[int], str]) -> str:
    """A list of `TensorDesc` as printed by pydantic."""
    rest = "buffer_type=None, layout=None, grid_shape=None"
    return f"[{', '.join(f'TensorDesc(shape={shape}, data_type={dtype!r}, {rest})' for shape, dtype in tensors)}]"


def report(*results: dict[str, Any], folder: str = "") -> str:
    properties: list[object] = [{"failed_ops_folder": folder or None}, {"total_ops": 3}, "torn", {"a": 1, "b": 2}]
    properties += [{f"OpTest model for: {one['op_name']}": one} for one in results]
    return json.dumps({"tests": [{"user_properties": properties}, {"user_properties": None}, 5], "summary": {}})


def result(op: str, *tensors: tuple[list[int], str], success: bool = True, model: str = "m") -> dict[str, Any]:
    message = "None" if success else "ValueError: no kernel"
    inputs = described(*tensors)
    return {"op_name": op, "success": str(success), "error_message": message, "model_name": model, "inputs": inputs}


def test_the_same_key_repeats(tmp_path: Path) -> None:
    ones = [
        result("stablehlo.add", ([2, 3], "bf16"), ([], "i32")),
        result("stablehlo.add", ([4], "f32"), success=False),
    ]
    (tmp_path / "op_by_op_report-7.json").write_text(report(*ones, folder="failed_ops"))
    (tmp_path / "failed_ops").mkdir()
    (tmp_path / "failed_ops/0005_stablehlo_add.mlir").write_text("module {}")
    (tmp_path / "failed_ops/notes.txt").write_text("")
    found = read_op_by_op(tmp_path)
    assert [(one.passed, one.message) for one in found.results] == [(True, ""), (False, "ValueError: no kernel")]
    assert found.results[0].inputs == (Operand((2, 3), "bfloat16"), Operand((), "int32"))
    assert found.failed_files == ("failed_ops/0005_stablehlo_add.mlir",)
    assert failed_op(found.failed_files[0]) == "stablehlo.add"
    assert (found.chisel, found.problems) == (None, ())


@pytest.mark.parametrize("folder", ["..", "/", "", "missing", "../outside"])
def test_no_folder_outside_is_listed(tmp_path: Path, folder: str) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/0001_stablehlo_add.mlir").write_text("")
    (root / "report.json").write_text(report(folder=folder))
    assert read_op_by_op(root).failed_files == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "5", "[]", '{"tests": {}}', '{"tests": [{"user_properties": 5}]}', "\xff"]
)
def test_damaged_reports(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text, encoding="latin-1")
    (tmp_path / "other_report.json").write_text(report(result("stablehlo.add", ([1], "f32"))))
    found = read_op_by_op(tmp_path)
    assert len(found.results) == 1
    assert len(found.problems) <= 1


def test_links_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    (tmp_path / "secret.json").write_text(report(result("stablehlo.add")))
    (root / "report.json").symlink_to(tmp_path / "secret.json")
    (root / "chisel_results").symlink_to(tmp_path)
    found = read_op_by_op(root)
    assert (found.results, found.chisel, len(found.problems)) == ((), None, 1)


@pytest.mark.parametrize("value", [None, 5, "", "TensorDesc(shape=[1, x], data_type='f32'", "[" * 1000])
def test_what_are_no_tensors(value: object) -> None:
    assert operands(value) == ()


@pytest.mark.parametrize(("file", "op"), [("a/12_ttir_mat_mul.mlir", "ttir.mat_mul"), ("3_add.mlir", "add"), ("x", "")])
def test_names_of_failed_ops(file: str, op: str) -> None:
    assert failed_op(file) == op


def test_ops_of_a_model(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    manifests = checkout.root / "tests/op_manifests"
    manifests.mkdir(parents=True)
    tensor = "{tensor: {shape: [2, 3], dtype: bfloat16}}"
    (manifests / "alpha.yaml").write_text(
        f"cases:\n  - {{name: a, op: torch.neg, inputs: [{tensor}]}}\n"
        f"  - {{name: b, op: torch.cat, inputs: [{{tensor_list: [{{shape: [4], dtype: float32}}]}}]}}\n"
    )
    (manifests / "elsewhere.yaml").write_text(f"cases:\n  - {{name: a, op: torch.neg, inputs: [{tensor}]}}\n")
    shown = call("--repo", checkout.root, "ops", "of", _TEST, "--json").json
    assert shown["cases"] == ["alpha::a", "alpha::b"] and shown["results"] == []
    assert shown["op_by_op"] == f"tests/runner/test_models.py::test_all_models_op_by_op[{_TEST}]"
    chisel = checkout.root / chisel_file(f"tests/runner/test_models.py::test_all_models_torch[{_TEST}]")
    chisel.parent.mkdir()
    chisel.write_text('{"a": 1}\n\nnot\n{"b": 2}\n')
    said = call("--repo", checkout.root, "ops", "of", _TEST)
    assert "2 op cases of alpha" in said.out and "Chisel has 2 lines" in said.err
    assert "2 op cases; ttmatrix ops of" in call("--repo", checkout.root, "show", _TEST).out
    assert call("--repo", checkout.root, "ops", "of", "nothing/pytorch").code == 64


def test_joined_by_shape(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(
        "model: Alpha_Tiny\ncases:\n"
        "  - {name: a, op: torch.sub, inputs: [{tensor: {shape: [2, 3], dtype: bfloat16}}, {tensor: {shape: [], dtype: int32, init: zeros}}]}\n"
        "  - {name: b, op: torch.neg, inputs: [{tensor: {shape: [2, 3]}}]}\n"
    )
    ones = [
        result("stablehlo.add", ([], "i32"), ([2, 3], "bf16"), model="pytorch_Alpha_tiny_cv_custom"),
        result("stablehlo.neg", ([2, 3], "f16"), model="pytorch_Alpha_tiny_cv_custom"),
        result("stablehlo.mul", ([9], "f32"), model="pytorch_Alpha_tiny_cv_custom"),
        result("stablehlo.neg", ([2, 3], "f16"), model="pytorch_Other_tiny_cv_custom"),
        result("stablehlo.constant", model="pytorch_Alpha_tiny_cv_custom"),
    ]
    (tmp_path / "report.json").write_text(report(*ones))
    test = TestId.parse(_TEST)
    assert test is not None
    info = ModelInfo("Alpha", "tiny", "red", "cv", "custom", "pytorch")
    found = ops_of_model(read_op_tests(tmp_path, ["."]), read_op_by_op(tmp_path), test, info)
    assert found.models == ("Alpha_Tiny",)
    assert [(one.result.op, one.cases) for one in found.joined] == [
        ("stablehlo.add", ("Alpha_Tiny::a",)),
        ("stablehlo.neg", ("Alpha_Tiny::b",)),
        ("stablehlo.mul", ()),
        ("stablehlo.constant", ()),
    ]
    assert ops_of_model(read_op_tests(tmp_path, ["."]), read_op_by_op(tmp_path), test, None).joined == ()
