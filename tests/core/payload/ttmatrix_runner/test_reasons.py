# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_runner.reasons: the text and the name of a failure (spec 4.5, 5.2)."""

import pytest

from core.payload.ttmatrix_runner.reasons import failing_reason, live_reason

OOM = "Out of Memory: Not enough space to allocate 64 B L1 buffer"
ERROR = ValueError("of the exception")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "of the exception"),
        ("Error: in capitals", "of the exception"),
        ("a\n x error: b \nerror: c", "error: b"),
        (f"info: {OOM}\nerror: later", OOM),
        ("x Statically allocated Circular Buffers clash", "Statically allocated Circular Buffers clash"),
        # A line that stops the search without its telling part, as upstream has it.
        ("circular buffers\nerror: later", "of the exception"),
    ],
)
def test_live_reasons(output: str, reason: str) -> None:
    assert live_reason(ERROR, output) == reason


PCC = "Evaluation result 0 failed: PCC comparison failed. Calculated: pcc={}. Required: pcc=0.99."


@pytest.mark.parametrize(
    ("error", "output", "name", "component"),
    [
        (AssertionError(PCC.format("0.5")), "", "DATA_MISMATCH_WRONG_PCC", "Xla"),
        (AssertionError(PCC.format("nan (invalid value)")), "", "AssertionError", None),
        (
            ModuleNotFoundError("No module named 'segmentation_models_pytorch'"),
            "",
            "SEGMENTATION_MODELS_PYTORCH_NOT_FOUND",
            None,
        ),
        (
            RuntimeError("a Tensor with 9 elements cannot be converted to Scalar"),
            "",
            "TENSOR_CANNOT_CONVERT_TO_SCALAR",
            None,
        ),
        (RuntimeError("x"), OOM, "OUT_OF_MEMORY", None),
        (RuntimeError("x"), "loc(a): error: 'ttir.add' op failed", "MLIR_TTIR_COMPILATION_ERROR", "Xla"),
        (ValueError("Node arity mismatch; expected 2, but got 1."), "", "NODE_ARITY_MISMATCH", "Torch"),
        (ValueError("x"), OOM, "ValueError", None),
    ],
)
def test_names(error: Exception, output: str, name: str, component: str | None) -> None:
    found = failing_reason(error, output)
    assert (found.name, found.component) == (name, component)
    assert found.description


def test_a_failure_without_a_name_is_described_by_its_live_reason() -> None:
    assert failing_reason(ERROR, "error: b").description == "error: b"
