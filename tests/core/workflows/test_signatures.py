# SPDX-License-Identifier: Apache-2.0
"""core.workflows.signatures: the flavours of failures."""

import pytest

from core.workflows.signatures import dtype_flavour, inputs_flavour, unpack_flavour

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
