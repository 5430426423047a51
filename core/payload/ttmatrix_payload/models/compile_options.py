# SPDX-License-Identifier: Apache-2.0
"""Compile options of a profile: as words of a command line, and which of them a backend of ttmatrix's runner honours.

Standard library only: planning and execution of a run share the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

WEIGHT_DTYPES = ("bfp_bf8", "bfp_bf4")
"""Block formats to which weights can be rounded without a device."""

_EVERYWHERE = {
    "experimental_weight_dtype": "weights of linear layers are rounded to the block format and stay bfloat16",
    "export_path": "graphs and programs go there",
}
HONOURED: Mapping[str, Mapping[str, str]] = {
    "xla": {
        **_EVERYWHERE,
        "optimization_level": "XLA_FLAGS has --xla_backend_optimization_level",
        "fp32_dest_acc_en": "false: sums and convolutions are accumulated as XLA's CPU compiler does it",
    },
    "inductor": {
        **_EVERYWHERE,
        "optimization_level": "0: no fusion; 1: as ever; 2: weights are folded into the program, in inference",
        "tt_enable_torch_fx_fusion_pass": "false: TorchInductor's pattern matcher is off",
    },
    "eager": _EVERYWHERE,
}
"""The effect of each option, by backend; `tt` honours all options, other backends none."""
ALL_HONOURED = "tt"
TRACE_REGION = "TT_RUNTIME_TRACE_REGION_SIZE"
"""The variable that gives the runtime memory for traces, in bytes."""
TRACE_ADVICE = (
    f'environment = {{ {TRACE_REGION} = "10000000" }} in the profile gives traces 10 MB; '
    "more if the error stays, or enable_trace = false"
)
LEVELS: Mapping[int, str] = {
    0: "no optimizer passes, tensors in DRAM: compiles fastest, runs slowest; the plugin's default",
    1: "weights are prepared ahead (const-eval) and patterns are fused, tensors in DRAM: a good balance",
    2: "as 1, and as many tensors as possible in SRAM: compiles slowest, runs fastest",
}
"""What Tenstorrent's compiler does at each optimization level."""


@dataclass(frozen=True)
class CompileOptions:
    """The compile options of a profile."""

    values: Mapping[str, str] = field(default_factory=dict)
    """By upstream's names; flags are `true` and `false`."""
    torch: Mapping[str, bool] = field(default_factory=dict)
    """Options of `torch.compile`."""
    weights: Mapping[str, str] = field(default_factory=dict)
    """Dtypes of weights, by patterns of the names of parameters."""
    profile: str = ""
    batch_size: int | None = None
    """Replaces the batch size of the entry; None: that of the entry."""

    @property
    def level(self) -> int | None:
        """The optimization level; None: the entry's."""
        text = self.values.get("optimization_level")
        return None if text is None else int(text)

    def flag(self, name: str, default: bool) -> bool:
        """A flag of the compiler, or of `torch.compile`."""
        if name in self.torch:
            return self.torch[name]
        return is_true(self.values[name]) if name in self.values else default

    def weight_dtypes(self) -> Mapping[str, str]:
        """The dtypes of weights, the one for all of them first."""
        everywhere = self.values.get("experimental_weight_dtype")
        return {**({"*": everywhere} if everywhere else {}), **self.weights}


NO_OPTIONS = CompileOptions()


def is_true(text: str) -> bool:
    """A flag, parsed as the compiler does."""
    return text.lower() in ("true", "1", "yes", "on")


def ignored(options: CompileOptions, backend: str) -> list[str]:
    """The options among these that `backend` ignores."""
    names = (*options.values, *options.torch)
    return [] if backend == ALL_HONOURED else [one for one in names if one not in HONOURED.get(backend, {})]


def words(options: CompileOptions) -> list[str]:
    """Command-line options for the runner that express these options."""
    found = [f"--profile-name={options.profile}"] if options.profile else []
    if options.batch_size is not None:
        found.append(f"--batch-size={options.batch_size}")
    found += [f"--compile-option={name}={value}" for name, value in options.values.items()]
    found += [f"--torch-option={name}={str(value).lower()}" for name, value in options.torch.items()]
    return found + [f"--weight-dtype={pattern}={dtype}" for pattern, dtype in options.weights.items()]


def add_options(add: Callable[..., object]) -> None:
    """Declare the options of `words`; `add` takes what `argparse` does."""
    add("--profile-name", default="", metavar="NAME", help="the profile that the results belong to")
    add("--batch-size", type=int, metavar="N", help="what loaders are asked for, where the id does not say")
    add("--compile-option", action="append", default=[], metavar="NAME=VALUE", help="an option of the compiler")
    add("--torch-option", action="append", default=[], metavar="NAME=VALUE", help="an option of torch.compile")
    add("--weight-dtype", action="append", default=[], metavar="PATTERN=DTYPE", help="the dtype of weights")


def read(get: Callable[[str], Any]) -> CompileOptions:
    """The inverse of `words`; `get` returns the values of an option by name. Raises ValueError for one without `=`."""
    flags = {name: is_true(value) for name, value in map(_pair, get("--torch-option"))}
    values, weights = (dict(map(_pair, get(name))) for name in ("--compile-option", "--weight-dtype"))
    size = get("--batch-size")
    return CompileOptions(values, flags, weights, get("--profile-name"), None if size is None else int(size))


def read_words(argv: Sequence[str]) -> CompileOptions:
    """The inverse of `words`, from a whole command line."""
    found: dict[str, list[str]] = {}
    for word in argv:
        name, equals, value = word.partition("=")
        if equals:
            found.setdefault(name, []).append(value)
    last = {"--profile-name": "", "--batch-size": None}
    return read(lambda name: found.get(name, [last[name]])[-1] if name in last else found.get(name, []))


def _pair(text: str) -> tuple[str, str]:
    # A pattern of names may contain dots, stars and brackets, but no equals sign.
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"NAME=VALUE is wanted, not {text!r}")
    return name, value
