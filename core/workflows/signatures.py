# SPDX-License-Identifier: Apache-2.0
"""Which workflow the text of an error belongs to, and its flavour there (docs/rules.md 7)."""

import re
from collections.abc import Mapping

OP_NOT_IMPLEMENTED = "op_not_implemented"
CROSS_DTYPE = "cross_dtype"
DECODER_INPUTS = "decoder_inputs"
MISSING_TARGETS = "missing_targets"
BN_SINGLE_VALUE = "bn_single_value"
UNHANDLED_OUTPUT = "unhandled_output"
WRONG_HANDLER = "wrong_handler"

_BFLOAT16 = re.compile(r"bfloat16", re.IGNORECASE)
_NO_KERNEL = re.compile(
    r"not implemented for 'BFloat16'|Unsupported dtype BFloat16|Low precision dtypes not supported\. Got BFloat16"
)
"""The words of the procedure, and those of the Fourier transforms and of linear algebra."""
# The four of the procedure, and what other kernels and modules of torch say about the same.
_MISMATCH = re.compile(
    r"dtypes match|expected scalar type|should be the same|dtypes must be the same"
    r"|\bsame (?:scalar |data ?|d)?types?\b|does not match weight dtype|must have the type|to match query dtype"
    r"|Found dtype \w+ but expected|expected dtype \w+ for|Type promoting not supported"
)
_MIXED = re.compile(r"mixed dtype \(CPU\)|Expected self\.dtype to be equal to src\.dtype")
"""Normalisation layers and `scatter` report this without naming the dtypes."""

_MISSING: Mapping[str, tuple[str, ...]] = {
    # Both in transformers: decoders report "neither given" in the words for "both given".
    DECODER_INPUTS: ("decoder_input_ids or decoder_inputs_embeds", "decoder_input_ids and decoder_inputs_embeds"),
    MISSING_TARGETS: (
        "targets should not be none when in training mode",
        "Model expects targets to be passed",
        "'NoneType' object has no attribute 'max'",
    ),
    BN_SINGLE_VALUE: ("Expected more than 1 value per channel when training",),
}
_TOKENS = re.compile(r"(?:exactly one of|specify both|specify either) input_ids (?:or|and) inputs_embeds")
_UNPACK: Mapping[str, tuple[str, ...]] = {
    WRONG_HANDLER: ("did not return a torch.Tensor",),
    UNHANDLED_OUTPUT: ("doesn't implement unpack_forward_output", "No handler for class"),
}


def dtype_flavour(text: str) -> str:
    """The flavour of a bfloat16 dtype failure; empty if it is another failure."""
    if _NO_KERNEL.search(text):
        return OP_NOT_IMPLEMENTED
    if _MIXED.search(text) or (_BFLOAT16.search(text) and _MISMATCH.search(text)):
        return CROSS_DTYPE
    return ""


def unpack_flavour(text: str) -> str:
    """Whether the output has no handler, or a handler that returns no tensor; empty: neither."""
    return _named(_UNPACK, text)


def inputs_flavour(text: str) -> str:
    """Which input training lacks; empty: none that is known."""
    return _named(_MISSING, text)


def asks_for_tokens(text: str) -> bool:
    """Whether tokens are missing and the message leaves open whether encoder or decoder lacks them."""
    return _TOKENS.search(text) is not None


def _named(table: Mapping[str, tuple[str, ...]], text: str) -> str:
    return next((name for name, parts in table.items() if any(part in text for part in parts)), "")
