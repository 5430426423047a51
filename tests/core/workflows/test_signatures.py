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


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: RNN input dtype (torch.float32) does not match weight dtype (torch.bfloat16). Convert input: ...",
        "ValueError: input must have the type torch.bfloat16, got type torch.float32",
        "RuntimeError: index_add_(): self (BFloat16) and source (Float) must have the same scalar type",
        "RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype",
        "RuntimeError: masked_scatter: expected self and source to have same dtypes but gotBFloat16 and Float",
        "RuntimeError: dot : expected both vectors to have same dtype, but found Float and BFloat16",
        "RuntimeError: Input dtypes must be the same, got: input float, batch1: c10::BFloat16, batch2: c10::BFloat16",
        "RuntimeError: Found dtype Float but expected BFloat16",
        "RuntimeError: expected dtype float for `end` but got dtype c10::BFloat16",
        "RuntimeError: prelu: Type promoting not supported. Got Float and BFloat16",
        "RuntimeError: Expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: float and "
        " query.dtype: c10::BFloat16 instead.",
        "RuntimeError: Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
        "'per_sample_weights'; but type CPUBFloat16Type does not equal torch.FloatTensor",
    ],
)
def test_two_dtypes_in_the_words_of_other_modules_of_torch(text: str) -> None:
    assert dtype_flavour(text) == "cross_dtype"


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: Unsupported dtype BFloat16",
        "RuntimeError: linalg.inv: Low precision dtypes not supported. Got BFloat16",
    ],
)
def test_an_operation_without_kernel_in_other_words(text: str) -> None:
    assert dtype_flavour(text) == "op_not_implemented"


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
