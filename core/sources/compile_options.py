# SPDX-License-Identifier: Apache-2.0
"""The options of upstream's compiler, with a line of help each, read from the checkout's own files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core.base.files import read_loosely
from core.sources.checkout import Checkout

HEADER = Path("pjrt_implementation/inc/api/compile_options.h")
PARSER = Path("pjrt_implementation/src/api/compile_options.cc")
BACKEND = Path("python_package/tt_torch/backend/backend.py")


class OptionType(StrEnum):
    """The type of an option's values."""

    FLAG = "flag"
    NUMBER = "number"
    TEXT = "text"


class Layer(StrEnum):
    """The interface that accepts an option."""

    COMPILER = "compiler"
    """The PJRT plugin: `torch_xla.set_custom_compile_options`, and `compiler_options` of `jax.jit`."""
    TORCH = "torch"
    """The `tt` backend of `torch.compile`: its dictionary of options."""


@dataclass(frozen=True, slots=True)
class CompileOption:
    """One option."""

    name: str
    type: OptionType
    layer: Layer
    help: str
    """One line."""
    values: tuple[str, ...] = ()
    """The allowed values; empty: any of its type."""
    wire: str = ""
    """The name in upstream's parser if it is not `name`: some have dashes."""

    @property
    def sent(self) -> str:
        """The name that is sent to the compiler."""
        return self.wire or self.name


def _flag(name: str, help: str, wire: str = "") -> CompileOption:
    return CompileOption(name, OptionType.FLAG, Layer.COMPILER, help, wire=wire)


def _text(name: str, help: str, *values: str, wire: str = "") -> CompileOption:
    return CompileOption(name, OptionType.TEXT, Layer.COMPILER, help, values, wire)


def _torch(name: str, help: str) -> CompileOption:
    return CompileOption(name, OptionType.FLAG, Layer.TORCH, help)


BUILT_IN = (
    CompileOption(
        "optimization_level",
        OptionType.NUMBER,
        Layer.COMPILER,
        "Optimization level (0, 1, or 2) that controls multiple optimization passes.",
        ("0", "1", "2"),
    ),
    _text(
        "experimental_weight_dtype",
        "Target dtype for weight conversion in matmul and linear operations.",
        "bfp_bf8",
        "bfp_bf4",
    ),
    _text(
        "experimental_kv_cache_dtype",
        "Enables experimental KV cache dtype override.",
        wire="experimental-kv-cache-dtype",
    ),
    _flag("enable_activation_dtype_lowering", "Enable activation dtype lowering around CCL ops."),
    _text(
        "math_fidelity",
        "Override math fidelity for all ttnn operations exposing compute kernel config.",
        "lofi",
        "hifi2",
        "hifi3",
        "hifi4",
        "ttnn_default",
    ),
    _flag(
        "fp32_dest_acc_en",
        "Override fp32 destination accumulation for all ttnn operations exposing compute kernel config.",
    ),
    _flag(
        "experimental_enable_fusing_conv2d_with_multiply_pattern",
        "Enables Conv2d fusion with multiply pattern in the TTNN fusing pass.",
    ),
    _text(
        "backend",
        "Backend runtime which should be targeted for compilation and execution.",
        "default",
        "ttnn_flatbuffer",
        "codegen_cpp",
        "codegen_py",
        "codegen_load_py",
    ),
    _flag("enable_trace", "Enables trace hoisting for TTNN pipeline."),
    _flag("export_tensors", "Enables saving graph inputs to disk whenever Execute() is called."),
    _flag("enable_const_eval", "Enables generation of consteval graphs."),
    _flag("enable_const_eval_on_cpu", "Enables hoisting const-eval subgraphs to CPU module."),
    _flag(
        "enable_const_eval_inputs_to_system_memory",
        "Forces const-eval function inputs to be annotated as system memory in the executable's expected layout.",
    ),
    _flag("experimental_enable_permute_matmul_fusion", "Enables transpose + matmul and transpose + linear ops fusion."),
    _flag(
        "experimental_enable_dram_space_saving_optimization",
        "Enable DRAM space saving optimization pass (TTNNMemoryManagement).",
        "experimental-enable-dram-space-saving-optimization",
    ),
    _flag("enable_create_d2m_subgraphs", "Enable D2M subgraph creation pass for d2m elementwise fusion."),
    _flag("ttnn_perf_metrics_enabled", "Enable collection of TTNN performance metrics during execution."),
    _flag("codegen_try_recover_structure", 'Enables "try to recover structure" option for TTNN IR.'),
    _flag("codegen_split_files", "Enables splitting codegen output into separate files."),
    _text("ttnn_perf_metrics_output_file", "Output file path for TTNN performance metrics."),
    _flag("dry_run", "Perform everything as if the graph was executed, but don't actually execute it."),
    _flag("target_module", 'Whether Python codegen emits a runnable "target module".'),
    _text("export_path", "Path that will contain any exported artifacts."),
    _text("export_model_name", "Model name/identifier for exported file names (e.g., blk_phi1_bs32_a7f3)."),
    _torch("tt_enable_torch_fx_fusion_pass", "Fuse patterns of several ops in the FX graph."),
    _torch("tt_enable_composite_ops", "Wrap ops of the FX graph as StableHLO composites."),
    _torch("tt_use_aot_autograd", "Trace through AOTAutograd before the compiler gets the graph."),
    _torch("tt_legacy_compile", "Compile by torch.export and lazy tensors, the older way."),
    _torch("tt_experimental_compile", "The opposite of tt_legacy_compile, by its older name."),
    _torch("tt_lazy_execution", "Leave the execution of the graph to the next step that needs its results."),
)
"""The options of the pinned snapshot, for checkouts without these files."""


def read_compile_options(checkout: Checkout) -> Mapping[str, CompileOption]:
    """Every option that `checkout` knows, by name, in upstream's order.

    The plugin's options are the fields of `struct CompileOptions`, whose comments are the help; the parser beside it
    has the names under which they are sent. The options of `torch.compile` are the keys that the backend looks up. A
    layer keeps the built-in list if its file is missing or has no options.
    """
    built_in = {layer: [one for one in BUILT_IN if one.layer is layer] for layer in Layer}
    compiler = parse_header(_text_of(checkout, HEADER), _text_of(checkout, PARSER))
    torch = parse_backend(_text_of(checkout, BACKEND))
    found = [*(compiler or built_in[Layer.COMPILER]), *(torch or built_in[Layer.TORCH])]
    return {one.name: one for one in found}


def parse_header(header: str, parser: str) -> list[CompileOption]:
    """The fields of `struct CompileOptions` in the C++ `header`, under the names that `parser` reads them by."""
    start = header.find("struct CompileOptions {")
    body = header[start : header.find("\n};", start)] if start >= 0 else ""
    dashed = _dashed(parser)
    return [replace(one, wire=dashed.get(one.name, "")) for one in _fields(body, parser)]


def parse_backend(text: str) -> list[CompileOption]:
    """The keys that the Python of the `tt` backend looks up in its dictionary of options, sorted."""
    names = set(_ASKED.findall(text))
    known = {one.name: one.help for one in BUILT_IN}
    return [_torch(name, known.get(name, name.removeprefix("tt_").replace("_", " "))) for name in sorted(names)]


_FIELD = re.compile(r"^\s*(?:std::optional<)?(bool|int|std::string|BackendRuntime)>?\s+(\w+)\s*=\s*[^;]*;", re.M)
_TYPES = {"bool": OptionType.FLAG, "int": OptionType.NUMBER}
_QUOTED = re.compile(r'"([^"]+)"')
_VALID = re.compile(r"Valid values: ((?:\"[^\"]+\"(?:, | or )?)+)")
_LEVELS = re.compile(r"\(((?:\d+, )+(?:or )?\d+)\)")
_RUNTIME = re.compile(r'option_value == "(\w+)"')
_ASKED = re.compile(r"""\b(?:_?options)(?:\.get\(\s*|\[\s*)["'](tt_\w+)["']""")


def _fields(body: str, parser: str) -> Iterator[CompileOption]:
    comment: list[str] = []
    for line in body.splitlines():
        stripped = line.strip()
        if stripped.startswith("//"):
            comment.append(stripped.removeprefix("//").strip())
        elif match := _FIELD.match(line):
            text, type = " ".join(comment), _TYPES.get(match[1], OptionType.TEXT)
            values = _runtimes(parser) if match[1] == "BackendRuntime" else _values(text)
            yield CompileOption(match[2], type, Layer.COMPILER, _first_sentence(text), values)
        elif not stripped:
            comment = []


def _first_sentence(text: str) -> str:
    """The first sentence; a full stop within brackets does not end it."""
    sentence = re.match(r"(?:[^.(]|\([^)]*\)|\.(?=\w))*", text)
    found = (sentence[0] if sentence else text).strip()
    found = found.partition(" -- ")[0].rstrip()
    found = re.sub(r"\s+\([^)]*->[^)]*\)", "", found)
    return f"{found}." if found else ""


def _values(text: str) -> tuple[str, ...]:
    if match := _VALID.search(text):
        return tuple(_QUOTED.findall(match[1]))
    if match := _LEVELS.search(text):
        return tuple(re.findall(r"\d+", match[1]))
    return ()


def _runtimes(parser: str) -> tuple[str, ...]:
    _, _, body = parser.partition("parseBackendOption(\n    const")
    return tuple(dict.fromkeys(_RUNTIME.findall(body)))


def _dashed(parser: str) -> Mapping[str, str]:
    """The names with dashes that the parser reads, by the name of the field."""
    return {text.replace("-", "_"): text for text in _QUOTED.findall(parser) if "-" in text}


def _text_of(checkout: Checkout, path: Path) -> str:
    try:
        return read_loosely(checkout.root / path)
    except OSError:
        return ""
