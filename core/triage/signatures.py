# SPDX-License-Identifier: Apache-2.0
"""What the text of an error says: which failure it is, the line to quote, the stage it happened in (spec 7)."""

import re
from collections.abc import Iterable, Mapping

from core.model import BringupStatus

OP_NOT_IMPLEMENTED = "op_not_implemented"
CROSS_DTYPE = "cross_dtype"
DECODER_INPUTS = "decoder_inputs"
MISSING_TARGETS = "missing_targets"
BN_SINGLE_VALUE = "bn_single_value"
UNHANDLED_OUTPUT = "unhandled_output"
WRONG_HANDLER = "wrong_handler"

_BFLOAT16 = re.compile(r"bfloat16", re.IGNORECASE)
_NO_KERNEL = re.compile(r"not implemented for 'BFloat16'")
# The four of the procedure, and the words in which other kernels of torch say the same.
_MISMATCH = re.compile(
    r"must have the same dtype|dtypes match|expected scalar type|should be the same|to have the same dtype"
    r"|not the same dtype|must be the same dtype|same data ?type"
)
_MIXED = re.compile(r"mixed dtype \(CPU\)")
"""Normalisation layers do not name the dtypes."""

_MISSING: Mapping[str, tuple[str, ...]] = {
    # Both in transformers: decoders word the check for "neither" as that for "both".
    DECODER_INPUTS: ("decoder_input_ids or decoder_inputs_embeds", "decoder_input_ids and decoder_inputs_embeds"),
    MISSING_TARGETS: (
        "targets should not be none when in training mode",
        "Model expects targets to be passed",
        "'NoneType' object has no attribute 'max'",
    ),
    BN_SINGLE_VALUE: ("Expected more than 1 value per channel when training",),
}
_UNPACK: Mapping[str, tuple[str, ...]] = {
    WRONG_HANDLER: ("did not return a torch.Tensor",),
    UNHANDLED_OUTPUT: ("doesn't implement unpack_forward_output", "No handler for class"),
}

_STAGES: tuple[tuple[BringupStatus, re.Pattern[str]], ...] = (
    (
        BringupStatus.FAILED_TTMLIR_COMPILATION,
        re.compile(r"\berror: |\bttir\.|\bttnn\.|ElementsAttr|Aborted|core dumped|signal 6\b|SIGABRT"),
    ),
    (
        BringupStatus.FAILED_RUNTIME,
        re.compile(r"TT_FATAL|TT_THROW|Out of Memory|circular buffers|signal \d+|SIG[A-Z]{3}", re.IGNORECASE),
    ),
)
_GENERIC = re.compile(r"error code:? ?13\b", re.IGNORECASE)
_SIGNAL_BEARING = re.compile(r"TT_FATAL|TT_THROW|\berror: |\w+Error\b")
_TRACEBACK_MARK = re.compile(r"^E\s+")
"""How pytest begins the lines that tell."""
_NOISE = re.compile(r"DeprecationWarning|FutureWarning|UserWarning|Found an argument on non-XLA device")
_REASON_CHARACTERS = 120
_ELLIPSIS = "..."


def dtype_flavour(text: str) -> str:
    """The flavour of a bfloat16 dtype failure; empty where it is none."""
    if _NO_KERNEL.search(text):
        return OP_NOT_IMPLEMENTED
    if _MIXED.search(text) or (_BFLOAT16.search(text) and _MISMATCH.search(text)):
        return CROSS_DTYPE
    return ""


def unpack_flavour(text: str) -> str:
    """Whether an output has no handler, or one that gives no tensor; empty: neither."""
    return _named(_UNPACK, text)


def inputs_flavour(text: str) -> str:
    """Which input training misses; empty: none that is known."""
    return _named(_MISSING, text)


def reason_line(error: str) -> str:
    """The line of `error` to write as a reason: verbatim; cut at a word where it is much longer than a line.

    Never the generic "Error code: 13": where that is all there is, it is empty (spec 7.1).
    """
    stripped = (_TRACEBACK_MARK.sub("", line).strip() for line in error.splitlines())
    lines = [line for line in stripped if line and not _NOISE.search(line)]
    telling = [line for line in lines if not _GENERIC.search(line)]
    first = next(iter(telling[:1] if lines[:1] == telling[:1] else _signal_bearing(telling)), "")
    return first if dtype_flavour(first) else _cut(first)


def stage_of(text: str) -> BringupStatus:
    """The stage a failure text points to: compiler, device, else Python before both (spec 7.3)."""
    found = (stage for stage, pattern in _STAGES if pattern.search(text))
    return next(found, BringupStatus.FAILED_FE_COMPILATION)


def _named(table: Mapping[str, tuple[str, ...]], text: str) -> str:
    return next((name for name, parts in table.items() if any(part in text for part in parts)), "")


def _signal_bearing(lines: Iterable[str]) -> Iterable[str]:
    return (line for line in lines if _SIGNAL_BEARING.search(line))


def _cut(line: str) -> str:
    if len(line) <= _REASON_CHARACTERS:
        return line
    return line[: _REASON_CHARACTERS - len(_ELLIPSIS)].rpartition(" ")[0].rstrip(" ,;:") + _ELLIPSIS
