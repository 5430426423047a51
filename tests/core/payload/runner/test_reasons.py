# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.reasons: the text and the name of a failure (docs/rules.md 4.5, 5.2)."""

import pytest

from core.payload.ttmatrix_payload.runner.reasons import failing_reason, live_reason

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
        # A line that stops the search but has no essential part, as upstream does.
        ("circular buffers\nerror: later", "of the exception"),
    ],
)
def test_live_reasons(output: str, reason: str) -> None:
    assert live_reason(ERROR, output) == reason


PCC = "Evaluation result 0 failed: PCC comparison failed. Calculated: pcc={}. Required: pcc=0.99."


@pytest.mark.parametrize(
    ("error", "output", "name"),
    [
        (AssertionError(PCC.format("0.5")), "", "DATA_MISMATCH_WRONG_PCC"),
        (AssertionError(PCC.format("nan (invalid value)")), "", "AssertionError"),
        # The output counts whatever was raised.
        (ValueError("x"), OOM, "OUT_OF_MEMORY"),
        (ValueError("x"), "circular buffers grow beyond max L1 size", "OUT_OF_MEMORY"),
        (RuntimeError("x"), "error: 'func.func' op; loc(a): error: 'ttir.add'", "MLIR_TTIR_COMPILATION_ERROR"),
        (ValueError("x"), "", "ValueError"),
    ],
)
def test_names(error: Exception, output: str, name: str) -> None:
    found = failing_reason(error, output)
    assert found.name == name
    assert found.description


def test_only_a_lack_of_memory_is_summed_up() -> None:
    bad = RuntimeError("Bad StatusOr access: INTERNAL: Error code: 13")
    assert failing_reason(bad, "").summary == str(bad)
    assert failing_reason(ValueError("x"), OOM).summary == ""
    assert failing_reason(AssertionError(PCC.format("0.5")), "").summary == ""
    assert failing_reason(ValueError("x"), "").summary is None


def test_a_failure_without_a_name_is_described_by_its_live_reason() -> None:
    assert failing_reason(ERROR, "error: b").description == "error: b"
