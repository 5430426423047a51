# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.reason_rules: each of upstream's names by a failure that bears it."""

import pytest

from core.payload.ttmatrix_payload.runner.reason_rules import BY_US, METAL, NEVER, RULES, SWEEPS, TORCH, TTNN, XLA
from core.payload.ttmatrix_payload.runner.reasons import failing_reason

METAL_LIBS = "\n --- /lib/libtt_metal.so(+0x1)\n --- /lib/_ttnncpp.so(+0x1)\n --- /lib/libTTMLIRRuntime.so(+0x1)"
TTNN_LIBS = "\n --- /lib/libTTMLIRCompiler.so(+0x1)\n --- /lib/_ttnncpp.so(+0x1)\n --- /lib/libTTMLIRRuntime.so(+0x1)"
FATAL = "TT_FATAL @ /src/tt-mlir/third_party/tt-metal/src/tt-metal/ttnn/cpp/ttnn/operations"
PROGRAM = "TT_THROW @ /src/tt-metal/tt_metal/impl/program/program.cpp:916: tt::exception\ninfo:\n"
PCC = "result 0 failed: PCC comparison failed"
CODE = "Error code: 13"
CASES: dict[str, tuple[Exception, str, str | None]] = {
    "SEGMENTATION_MODELS_PYTORCH_NOT_FOUND": (
        ModuleNotFoundError("No module named 'segmentation_models_pytorch'"),
        "",
        None,
    ),
    "TOKENIZER_CHAT_TEMPLATE_NOT_SET": (
        ValueError(
            "Cannot use chat template functions because tokenizer.chat_template is not set and no template argument "
            "was passed! For"
        ),
        "",
        None,
    ),
    "MISSING_XLA_ARGS_ATTRIBUTE": (AttributeError("'Fused' object has no attribute 'xla_args'"), "", None),
    "UNBOUND_LOCAL_ERROR": (
        UnboundLocalError("cannot access local variable 'x' where it is not associated with a value"),
        "",
        None,
    ),
    "SPLIT_WITH_SIZES_MISMATCH": (
        RuntimeError(
            "split_with_sizes expects split_sizes to sum exactly to 4 (dimension -1), but got split_sizes=[2, 3]\n"
            "torch/_tensor.py:1: RuntimeError"
        ),
        "",
        None,
    ),
    "XLA_SYNC_MULTI_FATAL_ERROR": (RuntimeError("Fatal error\ntorch_xla._XLAC._xla_sync_multi(list(x))"), "", XLA),
    "FATAL_ERROR": (RuntimeError("Fatal error"), "", XLA),
    "DATA_TYPE_NOT_SUPPORTED": (
        RuntimeError(f"Can only work with bfloat16/float32 or int32/uint32 tensors{METAL_LIBS}"),
        "",
        METAL,
    ),
    "DATA_MISMATCH_PCC_LOW_RANGE": (
        ValueError(f"Comparison {PCC}: pcc is in invalid low range: 0.1\nforge/test/operators/utils/verify.py:1"),
        "",
        SWEEPS,
    ),
    "DATA_MISMATCH_PCC_MEDIUM_RANGE": (
        ValueError(f"Comparison {PCC}: pcc is in invalid medium range: 0.5\nforge/test/operators/utils/verify.py:1"),
        "",
        SWEEPS,
    ),
    "DATA_MISMATCH_PCC_HIGH_RANGE": (
        ValueError(f"Comparison {PCC}: pcc is in invalid high range: 0.9\nforge/test/operators/utils/verify.py:1"),
        "",
        SWEEPS,
    ),
    "DATA_MISMATCH_WRONG_PCC": (
        AssertionError(f"Evaluation {PCC}. Calculated: pcc=0.5. Required: pcc=0.99."),
        "",
        XLA,
    ),
    "DATA_MISMATCH_PCC_IS_NAN": (AssertionError(f"Comparison {PCC}. Calculated: pcc=nan (invalid value)."), "", XLA),
    "DATA_MISMATCH_ALL_CLOSE": (
        AssertionError("Comparison result 0 failed: Allclose comparison failed. Required: atol=0.01, rtol=0.01."),
        "",
        XLA,
    ),
    "ERROR_CODE_13_TO_DEVICE": (RuntimeError(CODE), "", XLA),
    "ERROR_CODE_13_XLA_SYNC_MULTI": (ValueError(f"{CODE}\ntorch_xla._XLAC._xla_sync_multi(x)"), "", XLA),
    "ERROR_CODE_13_XLA_WARM_UP_CACHE": (
        ValueError(f"{CODE}\ntorch_xla/_dynamo/dynamo_bridge.py:1 torch_xla._XLAC._xla_warm_up_cache(x)"),
        "",
        None,
    ),
    "ERROR_CODE_13_XLA_STEP_MARKER": (
        ValueError(f"{CODE}\ntorch_xla/torch_xla.py:87: torch_xla._XLAC._xla_step_marker(x) torch_xla.sync(x)"),
        "",
        None,
    ),
    "OUT_OF_MEMORY": (ValueError("x"), "info:\nOut of Memory: Not enough space to allocate 64 B L1 buffer\n", None),
    "MLIR_TTIR_COMPILATION_ERROR": (RuntimeError("x"), "loc(a): error: 'ttir.add' op failed", XLA),
    "MLIR_TTNN_COMPILATION_ERROR": (RuntimeError("x"), "loc(a): error: 'ttnn.add' op failed", XLA),
    "MLIR_STABLEHLO_COMPILATION_ERROR": (RuntimeError("x"), "loc(a): error: 'stablehlo.add' op failed", XLA),
    "MLIR_OP_VERIFICATION_ERROR": (ValueError("x"), "error: 'func.func' op failed to verify", XLA),
    "TORCHVISION_DEFORM_IM2COL_BFLOAT16_NOT_IMPLEMENTED": (
        RuntimeError("\"deformable_im2col\" not implemented for 'BFloat16'\ntorchvision/ops/deform_conv.py:1"),
        "",
        None,
    ),
    "TORCHVISION_NMS_BFLOAT16_NOT_IMPLEMENTED": (
        RuntimeError("\"nms_kernel\" not implemented for 'BFloat16'\ntorchvision/ops/boxes.py:1"),
        "",
        None,
    ),
    "AUTOSHAPE_FORWARD_ARGS_MISMATCH": (
        TypeError("AutoShape.forward() takes from 2 to 5 positional arguments but 7 were given"),
        "",
        None,
    ),
    "DYNAMO_FAKE_TENSORS_FX_NODE": (
        NotImplementedError("Dynamo failed to run FX node with fake tensors: torch/_dynamo"),
        "",
        None,
    ),
    "TENSOR_DATA_NOT_ALLOCATED": (
        RuntimeError("The tensor has a non-zero number of elements, but its data is not allocated yet."),
        "",
        None,
    ),
    "DYNAMO_UNSUPPORTED_MODULE_CONTAINER": (
        AssertionError("SparseSequential\ntorch/_dynamo/variables/nn_module.py:1"),
        "",
        None,
    ),
    "TENSOR_CANNOT_CONVERT_TO_SCALAR": (
        RuntimeError("a Tensor with 9 elements cannot be converted to Scalar"),
        "",
        None,
    ),
    "PHI3V_UNEXPECTED_MAX_NEW_TOKENS": (
        TypeError("Phi3VForCausalLM.forward() got an unexpected keyword argument 'max_new_tokens'"),
        "",
        None,
    ),
    "MODEL_NOT_TORCH_MODULE": (AssertionError("load_model gave dict, which is no torch.nn.Module"), "", None),
    "UNSUPPORTED_INPUT_DATA_TYPE": (
        RuntimeError(f"Unsupported input data type '5' for UnaryOpType '73' (Bitwise operation).{METAL_LIBS}"),
        "",
        METAL,
    ),
    "CIRCULAR_BUFFER_CLASH": (
        RuntimeError(
            f"{PROGRAM}Statically allocated circular buffers in program 1 clash with L1 buffers on core range [(x=0)]. "
            f"L1 buffer allocated at 1 and static circular buffer region ends at 2{METAL_LIBS}"
        ),
        "",
        METAL,
    ),
    "INVALID_ARGUMENTS_TO_RESHAPE": (
        RuntimeError(
            "TT_FATAL @ /src/tt-metal/ttnn/core/tensor/tensor_utils.cpp:1: new_volume == old_volume\ninfo:\n"
            f"Invalid arguments to reshape{TTNN_LIBS}"
        ),
        "",
        TTNN,
    ),
    "XLA_ASYNC_OPERATION_IN_FLIGHT": (
        RuntimeError("torch_xla/csrc/tensor.cpp:217 : handle->HasValue() while an async operation is in flight"),
        "",
        None,
    ),
    "MATMUL_UNSUPPORTED_DATA_FORMAT": (
        RuntimeError(
            f"{FATAL}/matmul/device/matmul_op.cpp:1: is_floating_point(input_tensor_a.dtype())\n"
            f"Unsupported data format{TTNN_LIBS}"
        ),
        "",
        TTNN,
    ),
    "SOFTMAX_NUMERIC_STABLE": (
        RuntimeError(
            f"{FATAL}/normalization/softmax/device/softmax_program_factory.cpp:8: !attributes.numeric_stable\n"
            f"For softmax, cannot enable both large_kernel and numeric_stable{TTNN_LIBS}"
        ),
        "",
        TTNN,
    ),
    "TRANSPOSE_UNSUPPORTED_DATA_TYPE": (
        RuntimeError(f"{FATAL}/transpose_op.cpp:1: x\nUnsupported data type for input tensor{TTNN_LIBS}"),
        "",
        TTNN,
    ),
    "INPUT_TENSOR_PAD_SHAPE": (
        RuntimeError(
            f"{FATAL}/kv_cache/device/update_cache_op.cpp:38: input_tensor.padded_shape()[0] == 1{TTNN_LIBS}\n"
            ">           return x.to(device)"
        ),
        "",
        TTNN,
    ),
    "COMPUTE_WITH_STORAGE_GRID_SIZE": (
        RuntimeError(
            f"{FATAL}/kv_cache/device/update_cache_op.cpp:1: (num_blocks_of_work <= compute_with_storage_grid_size.x * "
            f"compute_with_storage_grid_size.y){TTNN_LIBS}\n>           return x.to(device)"
        ),
        "",
        TTNN,
    ),
    "CIRCULAR_BUFFER_ON_CORE_RANGE": (
        RuntimeError(
            f"{PROGRAM}Statically allocated circular buffers on core range [(x=0)] grow to 9 B which is beyond max L1 "
            f"size of 8 B{METAL_LIBS}\n>           return x.to(device)"
        ),
        "",
        METAL,
    ),
    "NOT_XLA_TENSOR": (
        RuntimeError(
            "Check failed: xtensor: Input tensor is not an XLA tensor: torch.LongTensor\n"
            "forge/test/operators/pytorch/indexing/test_index_copy.py:68"
        ),
        "",
        XLA,
    ),
    "UNSUPPORTED_DATA_FORMAT_REPEAT_INTERLEAVE": (
        RuntimeError(
            f"{FATAL}/data_movement/repeat/device/repeat_device_operation.cpp:27: "
            + " or ".join(
                f"input_tensor_a.dtype() == tt::tt_metal::DataType::{name}"
                for name in ("UINT16", "BFLOAT16", "UINT32", "INT32", "FLOAT32")
            )
            + TTNN_LIBS
        ),
        "",
        TTNN,
    ),
    "CAUSAL_LM_OUTPUT_WITH_PAST_NO_SHAPE": (
        AttributeError("'CausalLMOutputWithPast' object has no attribute 'shape'"),
        "",
        XLA,
    ),
    "NODE_ARITY_MISMATCH": (ValueError("Node arity mismatch; expected 2, but got 1."), "", TORCH),
}
"""By name: the raised error, the output, and the component."""
HIDDEN = {"BAD_STATUS0R_ACCESS": "OUT_OF_MEMORY"}
"""Names that are always hidden by an earlier rule, upstream as here."""


def raised(error: Exception) -> Exception:
    """With a traceback through a line that moves something to a device."""
    try:
        torch_like = type("Like", (), {"to": lambda _, device: device.give()})()
        device = type("Device", (), {"give": lambda _: (_ for _ in ()).throw(error)})()
        torch_like.to(device)
    except Exception as caught:  # noqa: BLE001 - it is the one that was given
        return caught
    raise AssertionError


@pytest.mark.parametrize("name", CASES)
def test_each_name(name: str) -> None:
    error, output, component = CASES[name]
    found = failing_reason(raised(error), output)
    assert (found.name, found.component) == (name, component)


def test_the_names_are_all_that_upstream_has() -> None:
    known = [*dict.fromkeys(rule.name for rule in RULES)]
    assert set(known) == set(CASES) | set(HIDDEN)
    assert len(known) + len(BY_US) + len(NEVER) == 53


def test_a_name_that_is_always_taken_by_another() -> None:
    error = RuntimeError("Bad StatusOr access: INTERNAL: Error code: 13")
    assert failing_reason(error, "").name == HIDDEN["BAD_STATUS0R_ACCESS"]


@pytest.mark.parametrize("name", [name for name, (_, _, component) in CASES.items() if component in (METAL, TTNN)])
def test_without_the_librarys_name_it_is_no_failure_of_the_device(name: str) -> None:
    error, output, _ = CASES[name]
    bare = type(error)(str(error).replace("lib", ""))
    assert failing_reason(bare, output).name != name
