# SPDX-License-Identifier: Apache-2.0
"""Why a test failed: the live reason in words, and upstream's name for it where it has one (spec 4.5, 5.1, 5.2)."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass


@dataclass(frozen=True)
class FailingReason:
    """The tag `failing_reason`."""

    name: str | None = None
    description: str | None = None
    component: str | None = None
    summary: str | None = None


SKIPPED = FailingReason("NOT_SUPPORTED_AND_SKIPPED", "Model is not supported (skipped)")
PCC_DISABLED = FailingReason("INCORRECT_RESULT_PCC_DISABLED", "Test marked w/ INCORRECT_RESULT. PCC check disabled.")


@dataclass(frozen=True)
class _Rule:
    """Everything must match: the class of the exception, and each pattern somewhere in its text or traceback."""

    name: str
    description: str
    patterns: tuple[str, ...]
    exception: str = ""
    component: str | None = None
    without: str = "(?!)"


# Those of upstream's names that a host alone can produce, and what compilers say; in upstream's order, the first
# that matches counts. The rest needs its testers' own files in the traceback, or a device.
_RULES = (
    _Rule(
        "SEGMENTATION_MODELS_PYTORCH_NOT_FOUND",
        "ModuleNotFoundError: No module named 'segmentation_models_pytorch'",
        ("No module named 'segmentation_models_pytorch'",),
        "ModuleNotFoundError",
    ),
    _Rule(
        "TOKENIZER_CHAT_TEMPLATE_NOT_SET",
        "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set and no template"
        " argument was passed",
        ("chat template functions", "chat_template is not set"),
        "ValueError",
    ),
    _Rule(
        "UNBOUND_LOCAL_ERROR",
        "UnboundLocalError: cannot access local variable",
        ("cannot access local variable",),
        "UnboundLocalError",
    ),
    _Rule(
        "DATA_MISMATCH_WRONG_PCC",
        "Data mismatch PCC is wrong",
        (r"\AEvaluation result 0 failed", "PCC comparison failed", "Calculated: pcc="),
        "AssertionError",
        "Xla",
        without="pcc=nan|Allclose comparison failed",
    ),
    _Rule("OUT_OF_MEMORY", "Out of memory error", ("Out of Memory: Not enough space to allocate",), "RuntimeError"),
    _Rule("MLIR_TTIR_COMPILATION_ERROR", "MLIR/TTIR compilation error", (r"loc\(.*\): error:.*'ttir\.",), "", "Xla"),
    _Rule("MLIR_TTNN_COMPILATION_ERROR", "MLIR/TTNN compilation error", (r"loc\(.*\): error:.*'ttnn\.",), "", "Xla"),
    _Rule(
        "MLIR_STABLEHLO_COMPILATION_ERROR",
        "MLIR/StableHLO compilation error",
        (r"loc\(.*\): error:.*'stablehlo\.",),
        "",
        "Xla",
    ),
    _Rule(
        "TORCHVISION_DEFORM_IM2COL_BFLOAT16_NOT_IMPLEMENTED",
        "deformable_im2col not implemented for bfloat16",
        ("deformable_im2col", "not implemented", "(?i:bfloat16)", "torchvision[/.](ops|deform_conv2d)"),
        "RuntimeError",
    ),
    _Rule(
        "TORCHVISION_NMS_BFLOAT16_NOT_IMPLEMENTED",
        "nms_kernel not implemented for bfloat16",
        (r"nms_kernel|torchvision\.ops\.nms", "not implemented", "(?i:bfloat16)", "torchvision[/.]ops"),
        "RuntimeError",
    ),
    _Rule(
        "AUTOSHAPE_FORWARD_ARGS_MISMATCH",
        "AutoShape forward received wrong number of arguments",
        (r"AutoShape\.forward", "positional arguments|were given"),
        "TypeError",
    ),
    _Rule(
        "DYNAMO_FAKE_TENSORS_FX_NODE",
        "Dynamo failed to run FX node with fake tensors",
        ("Dynamo failed to run FX node",),
    ),
    _Rule(
        "TENSOR_DATA_NOT_ALLOCATED",
        "Tensor has non-zero elements but data not allocated",
        ("non-zero number of elements", "data is not allocated yet"),
        "RuntimeError",
    ),
    _Rule(
        "DYNAMO_UNSUPPORTED_MODULE_CONTAINER",
        "Dynamo assertion: unsupported module container (e.g., SparseSequential)",
        (r"torch[/.]_dynamo", r"SparseSequential|assert isinstance\(base, \(torch\.nn\.ModuleList"),
        "AssertionError",
    ),
    _Rule(
        "TENSOR_CANNOT_CONVERT_TO_SCALAR",
        "Tensor with multiple elements cannot be converted to Scalar",
        (r"a Tensor with \d+ elements cannot be converted to Scalar",),
        "RuntimeError",
    ),
    _Rule(
        "PHI3V_UNEXPECTED_MAX_NEW_TOKENS",
        "Phi3VForCausalLM.forward got unexpected keyword 'max_new_tokens'",
        (r"Phi3VForCausalLM\.forward", "unexpected keyword argument", "max_new_tokens"),
        "TypeError",
    ),
    _Rule(
        "NODE_ARITY_MISMATCH",
        "Node arity mismatch",
        ("Node arity mismatch; expected .*, but got",),
        "ValueError",
        "Torch",
    ),
)


def live_reason(error: BaseException, output: str) -> str:
    """What failed, in one text: the telling part of the first line of `output` that upstream would take, else `error`.

    A harmless line with `error:` wins over the exception, as it does upstream.
    """
    for line in output.split("\n"):
        begin = next((begin for sign, begin in _SIGNS if re.search(sign, line)), None)
        if begin is not None:
            return line[line.index(begin) :].strip() if begin in line else str(error)
    return str(error)


_SIGNS = (
    ("(?i:circular buffers)", "Statically allocated"),
    ("Out of Memory: Not enough space to allocate", "Out of Memory"),
    ("error:", "error:"),
)
"""What makes a line telling, and where its telling part begins."""


def failing_reason(error: BaseException, output: str) -> FailingReason:
    """Upstream's name for `error`; without one, the name of its class and the live reason."""
    text = "".join([str(error), "\n", *traceback.format_exception(error), output])
    kind = type(error).__name__
    for rule in _RULES:
        matches = all(re.search(pattern, text) for pattern in rule.patterns)
        if matches and rule.exception in ("", kind) and not re.search(rule.without, text):
            return FailingReason(rule.name, rule.description, rule.component)
    return FailingReason(kind, live_reason(error, output))
