# SPDX-License-Identifier: Apache-2.0
"""core.triage.signatures: flavours, the line to quote, and the stage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model import BringupStatus
from core.triage.signatures import dtype_flavour, inputs_flavour, reason_line, stage_of, unpack_flavour

INDEX_PUT = (
    "RuntimeError: Index put requires the source and destination dtypes match, got Float for the destination and "
    "BFloat16 for the source."
)


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16",
        "RuntimeError: expected scalar type Float but found BFloat16",
        INDEX_PUT,
        "RuntimeError: Input type (float) and bias type (c10::BFloat16) should be the same",
        "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::BFloat16",
        "RuntimeError: Input and parameter tensors are not the same dtype, found input tensor with Float and BFloat16",
        "RuntimeError: mixed dtype (CPU): all the inputs must share same datatype.",
    ],
)
def test_tensors_of_two_dtypes(text: str) -> None:
    assert dtype_flavour(text) == "cross_dtype"


@pytest.mark.parametrize("name", ["'deformable_im2col'", '"cdist"'])
def test_an_operation_without_kernel(name: str) -> None:
    assert dtype_flavour(f"RuntimeError: {name} not implemented for 'BFloat16'") == "op_not_implemented"


@pytest.mark.parametrize(
    "text",
    ["", "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half", "got BFloat16", "not a dtype"],
)
def test_what_is_no_dtype_failure(text: str) -> None:
    assert dtype_flavour(text) == ""


def test_outputs_and_inputs_have_their_flavours() -> None:
    assert unpack_flavour("tt-forge-models doesn't implement unpack_forward_output for this model.")
    assert unpack_flavour("ValueError: Handler for MgpstrModelOutput did not return a torch.Tensor") == "wrong_handler"
    assert inputs_flavour("'NoneType' object has no attribute 'max'") == "missing_targets"
    assert inputs_flavour("AttributeError: 'NoneType' object has no attribute 'min'") == ""


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: You have to specify either decoder_input_ids or decoder_inputs_embeds",
        "ValueError: You must specify exactly one of decoder_input_ids or decoder_inputs_embeds",
        "ValueError: You cannot specify both decoder_input_ids and decoder_inputs_embeds at the same time",
    ],
)
def test_decoders_ask_for_their_inputs_in_three_ways(text: str) -> None:
    assert inputs_flavour(text) == "decoder_inputs"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (INDEX_PUT, INDEX_PUT),
        ("ValueError: one\ntwo", "ValueError: one"),
        ("E   ValueError: one\nE   two", "ValueError: one"),
        ("RuntimeError: Error code: 13\nTT_FATAL: no room\nmore", "TT_FATAL: no room"),
        ("RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13", ""),
        ("  DeprecationWarning: old\nValueError: x", "ValueError: x"),
        ("", ""),
    ],
)
def test_the_line_to_quote(error: str, line: str) -> None:
    assert reason_line(error) == line


@given(st.text())
def test_a_line_is_verbatim_as_far_as_it_goes_and_never_generic(error: str) -> None:
    line = reason_line(error)
    assert "\n" not in line
    assert "error code: 13" not in line.lower()
    assert line.removesuffix("...") in error


def test_a_long_line_ends_at_a_word() -> None:
    line = reason_line(f"ValueError: {'word ' * 60}")
    assert len(line) <= 120
    assert line.endswith("word...")


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("loc(1): error: 'ttir.sum' op", BringupStatus.FAILED_TTMLIR_COMPILATION),
        ("ElementsAttr does not", BringupStatus.FAILED_TTMLIR_COMPILATION),
        ("crashed with SIGABRT", BringupStatus.FAILED_TTMLIR_COMPILATION),
        ("TT_FATAL @ device.cpp: no", BringupStatus.FAILED_RUNTIME),
        ("crashed with SIGSEGV", BringupStatus.FAILED_RUNTIME),
        ("ValueError: x", BringupStatus.FAILED_FE_COMPILATION),
        ("RuntimeError: x", BringupStatus.FAILED_FE_COMPILATION),
    ],
)
def test_the_stage_of_a_text(text: str, stage: BringupStatus) -> None:
    assert stage_of(text) is stage
