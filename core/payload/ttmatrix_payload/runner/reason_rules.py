# SPDX-License-Identifier: Apache-2.0
"""Upstream's names for failures and their patterns, in upstream's order: the first match counts (docs/rules.md 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

METAL, TTNN, TORCH, XLA, SWEEPS = "Metal", "TTNN", "Torch", "Xla", "Sweeps"
BY_US = ("UNCLASSIFIED", "NOT_SUPPORTED_AND_SKIPPED", "INCORRECT_RESULT_PCC_DISABLED")
"""Names assigned without patterns: no rule matches, the test was not run, or the check is disabled."""
NEVER = ("SEG_FAULT", "HIGH_MEMORY", "INFERENCE_FROZEN")
"""Names for which upstream has no check."""


@dataclass(frozen=True)
class Rule:
    """One way to recognise a failure: all patterns must match. Several rules of a name are alternatives."""

    name: str
    description: str
    message: tuple[str, ...] = ()
    """Searched in the text of the exception."""
    exception: str = ""
    """The class of the exception; empty: any."""
    component: str | None = None
    """The component that failed, recognised by libraries in the texts."""
    log: tuple[str, ...] = ()
    """Searched in the traceback, which ends with the exception's text."""
    output: tuple[str, ...] = ()
    """Searched in the output."""
    anywhere: tuple[str, ...] = ()
    """Searched in traceback and output."""
    without: str = ""
    """Must occur in neither."""


_ERROR, _VALUE, _ASSERTION, _TYPE = "RuntimeError", "ValueError", "AssertionError", "TypeError"
_CODE_13 = "Error code: 13"
_FIRST_RESULT = r"\A(?:Comparison|Evaluation) result 0 failed"
_OLD_RESULT = r"\AComparison result 0 failed"
"""A message that current upstream no longer prints."""
_RANGE = _OLD_RESULT + ": PCC comparison failed: pcc is in invalid {} range:"
_UPDATE_CACHE = r"TT_FATAL @ .*/kv_cache/device/update_cache_op\.cpp"
_OP = r"error:.*'\w+\.\w+' op"
_DIALECTS = r"'ttir\.|'ttnn\.|stablehlo\."
_OOM = "Out of memory error"
_BFLOAT16 = ("not implemented", "(?i:bfloat16)")


def _compilation(dialect: str, title: str) -> Rule:
    name, description = f"MLIR_{dialect.upper()}_COMPILATION_ERROR", f"MLIR/{title} compilation error"
    return Rule(name, description, component=XLA, anywhere=(rf"loc\(.*\): error:.*'{dialect}\.",))


def _pcc_range(which: str) -> Rule:
    name, description = f"DATA_MISMATCH_PCC_{which.upper()}_RANGE", f"Data mismatch PCC in {which} range"
    return Rule(name, description, (_RANGE.format(which),), _VALUE, SWEEPS, log=(r"operators/utils/verify\.py",))


RULES = (
    Rule(
        "SEGMENTATION_MODELS_PYTORCH_NOT_FOUND",
        "ModuleNotFoundError: No module named 'segmentation_models_pytorch'",
        ("No module named 'segmentation_models_pytorch'",),
        "ModuleNotFoundError",
    ),
    Rule(
        "TOKENIZER_CHAT_TEMPLATE_NOT_SET",
        "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set and no template"
        " argument was passed",
        ("Cannot use chat template functions", r"tokenizer\.chat_template is not set", "no template argument"),
        _VALUE,
    ),
    Rule(
        "MISSING_XLA_ARGS_ATTRIBUTE",
        "AttributeError: object has no attribute 'xla_args'",
        ("no attribute 'xla_args'",),
        "AttributeError",
    ),
    Rule(
        "UNBOUND_LOCAL_ERROR",
        "UnboundLocalError: cannot access local variable",
        ("cannot access local variable", "not associated with a value"),
        "UnboundLocalError",
    ),
    Rule(
        "SPLIT_WITH_SIZES_MISMATCH",
        "RuntimeError: split_with_sizes expects split_sizes to sum exactly to <size>",
        ("split_with_sizes expects split_sizes to sum exactly to", "but got split_sizes="),
        _ERROR,
        log=(r"torch/_tensor\.py",),
    ),
    Rule(
        "XLA_SYNC_MULTI_FATAL_ERROR",
        "Fatal error in xla_sync_multi call",
        ("Fatal error",),
        _ERROR,
        XLA,
        log=(r"_xla_sync_multi\(",),
    ),
    Rule("FATAL_ERROR", "Fatal error occured", ("Fatal error",), _ERROR, XLA),
    Rule(
        "DATA_TYPE_NOT_SUPPORTED",
        "Data type is not supported, Can only work with bfloat16/float32 or int32/uint32 tensors",
        ("Can only work with bfloat16/float32 or int32/uint32 tensors",),
        _ERROR,
        METAL,
    ),
    _pcc_range("low"),
    _pcc_range("medium"),
    _pcc_range("high"),
    Rule(
        "DATA_MISMATCH_WRONG_PCC",
        "Data mismatch PCC is wrong",
        (_FIRST_RESULT, "PCC comparison failed", "Calculated: pcc="),
        _ASSERTION,
        XLA,
        without=r"Calculated: pcc=nan \(invalid value\)|Allclose comparison failed",
    ),
    Rule(
        "DATA_MISMATCH_PCC_IS_NAN",
        "Data mismatch PCC is nan",
        (_OLD_RESULT, r"Calculated: pcc=nan \(invalid value\)"),
        _ASSERTION,
        XLA,
        without="Allclose comparison failed",
    ),
    Rule(
        "DATA_MISMATCH_ALL_CLOSE",
        "Data mismatch Allclose comparison failed",
        (_OLD_RESULT, "Allclose comparison failed"),
        _ASSERTION,
        XLA,
    ),
    Rule(
        "ERROR_CODE_13_TO_DEVICE",
        "Error code 13 in to(device) call",
        (rf"\A{_CODE_13}\Z",),
        _ERROR,
        XLA,
        log=(r"\.to\([\w.]*device",),
    ),
    Rule(
        "ERROR_CODE_13_XLA_SYNC_MULTI",
        "Error code 13 in xla_sync_multi call",
        (_CODE_13,),
        _VALUE,
        XLA,
        log=(r"_xla_sync_multi\(",),
    ),
    Rule(
        "ERROR_CODE_13_XLA_WARM_UP_CACHE",
        "Error code 13 in xla_warm_up_cache call",
        (_CODE_13,),
        _VALUE,
        log=(r"_xla_warm_up_cache\(", r"torch_xla/_dynamo/dynamo_bridge\.py"),
    ),
    Rule(
        "ERROR_CODE_13_XLA_STEP_MARKER",
        "Error code 13 in xla_step_marker call",
        (_CODE_13,),
        _VALUE,
        log=(r"_xla_step_marker\(", r"torch_xla/torch_xla\.py"),
    ),
    Rule(
        "OUT_OF_MEMORY",
        _OOM,
        (r"Out of Memory: Not enough space to allocate .* B (?:L1|L1_SMALL|DRAM) buffer across .* banks",),
        _ERROR,
    ),
    Rule("OUT_OF_MEMORY", _OOM, output=("circular buffers", "beyond max L1 size")),
    Rule("OUT_OF_MEMORY", _OOM, output=("Out of Memory: Not enough space to allocate",)),
    Rule("OUT_OF_MEMORY", _OOM, ("Bad StatusOr access", _CODE_13)),
    _compilation("ttir", "TTIR"),
    _compilation("ttnn", "TTNN"),
    _compilation("stablehlo", "StableHLO"),
    Rule(
        "MLIR_OP_VERIFICATION_ERROR",
        "MLIR op verification error",
        component=XLA,
        output=(r"loc\(.*\): error:",),
        without=_DIALECTS,
    ),
    Rule("MLIR_OP_VERIFICATION_ERROR", "MLIR op verification error", component=XLA, anywhere=(_OP,), without=_DIALECTS),
    Rule(
        "TORCHVISION_DEFORM_IM2COL_BFLOAT16_NOT_IMPLEMENTED",
        "deformable_im2col not implemented for bfloat16",
        exception=_ERROR,
        log=("deformable_im2col", *_BFLOAT16, "torchvision[/.](?:ops|deform_conv2d)"),
    ),
    Rule(
        "TORCHVISION_NMS_BFLOAT16_NOT_IMPLEMENTED",
        "nms_kernel not implemented for bfloat16",
        exception=_ERROR,
        log=(r"nms_kernel|torchvision\.ops\.nms", *_BFLOAT16, "torchvision[/.]ops"),
    ),
    Rule(
        "AUTOSHAPE_FORWARD_ARGS_MISMATCH",
        "AutoShape forward received wrong number of arguments",
        exception=_TYPE,
        log=(r"AutoShape\.forward", "positional arguments|were given"),
    ),
    Rule(
        "DYNAMO_FAKE_TENSORS_FX_NODE",
        "Dynamo failed to run FX node with fake tensors",
        log=("Dynamo failed to run FX node",),
    ),
    Rule(
        "TENSOR_DATA_NOT_ALLOCATED",
        "Tensor has non-zero elements but data not allocated",
        exception=_ERROR,
        log=("The tensor has a non-zero number of elements", "data is not allocated yet"),
    ),
    Rule(
        "DYNAMO_UNSUPPORTED_MODULE_CONTAINER",
        "Dynamo assertion: unsupported module container (e.g., SparseSequential)",
        exception=_ASSERTION,
        log=("torch[/.]_dynamo", r"SparseSequential|assert isinstance\(base, \(torch\.nn\.ModuleList"),
    ),
    Rule(
        "TENSOR_CANNOT_CONVERT_TO_SCALAR",
        "Tensor with multiple elements cannot be converted to Scalar",
        exception=_ERROR,
        log=(r"a Tensor with \d+ elements cannot be converted to Scalar",),
    ),
    Rule(
        "PHI3V_UNEXPECTED_MAX_NEW_TOKENS",
        "Phi3VForCausalLM.forward got unexpected keyword 'max_new_tokens'",
        exception=_TYPE,
        log=(r"Phi3VForCausalLM\.forward", "unexpected keyword argument", "max_new_tokens"),
    ),
    # Upstream checks for the file with the assertion, which contains other assertions as well.
    Rule("MODEL_NOT_TORCH_MODULE", "Model is not a torch.nn.Module", (r"is no torch\.nn\.Module",), _ASSERTION),
    Rule(
        "UNSUPPORTED_INPUT_DATA_TYPE",
        "Unsupported input data type",
        (r"Unsupported input data type .* for UnaryOpType .* \(Bitwise operation\)\.",),
        _ERROR,
        METAL,
    ),
    Rule(
        "CIRCULAR_BUFFER_CLASH",
        "Circular buffer clash",
        (r"TT_THROW @ .*/program\.cpp", "Statically allocated circular buffers in program .* clash with L1 buffers"),
        _ERROR,
        METAL,
    ),
    Rule(
        "INVALID_ARGUMENTS_TO_RESHAPE",
        "Invalid arguments to reshape",
        (r"/tensor_utils\.cpp.* new_volume == old_volume", "Invalid arguments to reshape"),
        _ERROR,
        TTNN,
    ),
    Rule(
        "XLA_ASYNC_OPERATION_IN_FLIGHT",
        "Trying to access XLA data while async operation is in flight",
        (r"handle->HasValue|torch_xla/csrc/tensor\.cpp", "async operation is in flight"),
        _ERROR,
    ),
    Rule(
        "MATMUL_UNSUPPORTED_DATA_FORMAT",
        "Unsupported data format in matmul_op.cpp",
        (r"/matmul_op\.cpp.* is_floating_point\(input_tensor_a\.dtype\(\)\)", "Unsupported data format"),
        _ERROR,
        TTNN,
    ),
    Rule(
        "SOFTMAX_NUMERIC_STABLE",
        "For softmax, cannot enable both large_kernel and numeric_stable",
        (r"/softmax_program_factory\.cpp.* !attributes\.numeric_stable", "cannot enable both large_kernel"),
        _ERROR,
        TTNN,
    ),
    Rule(
        "TRANSPOSE_UNSUPPORTED_DATA_TYPE",
        "Unsupported data type for input tensor",
        ("Unsupported data type for input tensor",),
        _ERROR,
        TTNN,
    ),
    Rule(
        "INPUT_TENSOR_PAD_SHAPE",
        "Input tensor batch size must be 1",
        (_UPDATE_CACHE, r"input_tensor\.padded_shape\(\)\[0\] == 1"),
        _ERROR,
        TTNN,
    ),
    Rule(
        "COMPUTE_WITH_STORAGE_GRID_SIZE",
        "Compute with storage grid size mismatch",
        (_UPDATE_CACHE, r"num_blocks_of_work <= compute_with_storage_grid_size\.x"),
        _ERROR,
        TTNN,
    ),
    Rule(
        "CIRCULAR_BUFFER_ON_CORE_RANGE",
        "Circular buffer on core range exceeds L1 size",
        (r"TT_THROW @ .*/program\.cpp", "circular buffers on core range .* grow to .* B which is beyond max L1 size"),
        _ERROR,
        METAL,
    ),
    Rule(
        "NOT_XLA_TENSOR",
        "Check failed: xtensor: Input tensor is not an XLA tensor: torch.LongTensor",
        (r"Check failed: xtensor: Input tensor is not an XLA tensor: torch\.LongTensor",),
        _ERROR,
        XLA,
        log=(r"test_index_copy\.py",),
    ),
    Rule(
        "UNSUPPORTED_DATA_FORMAT_REPEAT_INTERLEAVE",
        "Can only work with UINT16, BFLOAT16, UINT32, INT32, FLOAT32 data types",
        (r"TT_FATAL @ .*/repeat_device_operation\.cpp:\d+: input_tensor_a\.dtype\(\) == ",),
        _ERROR,
        TTNN,
    ),
    Rule(
        "CAUSAL_LM_OUTPUT_WITH_PAST_NO_SHAPE",
        "CausalLMOutputWithPast object has no attribute shape",
        (r"\A'CausalLMOutputWithPast' object has no attribute 'shape'\Z",),
        "AttributeError",
        XLA,
    ),
    Rule(
        "NODE_ARITY_MISMATCH",
        "Node arity mismatch",
        ("Node arity mismatch; expected .*, but got",),
        _VALUE,
        TORCH,
    ),
    Rule(
        "BAD_STATUS0R_ACCESS",
        "Bad StatusOr access",
        ("Bad StatusOr access: INTERNAL: Error code: 13",),
        _ERROR,
        XLA,
    ),
)
