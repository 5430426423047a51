# SPDX-License-Identifier: Apache-2.0
"""Export of a PyTorch model: FX graphs and StableHLO on the CPU, or the code that `tt_torch` generates."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..execute.compare import tensors
from ..execute.placing import copied, place_model
from ..models.compile_options import CompileOptions
from ..models.widen import host_numerics, narrow_dtype, widened
from ..models.workload import call_arguments, load_inputs, load_model
from .files import TENSORS

_HOST = torch.device("cpu")
_XLA = "torch_xla"
_ON_DEVICE: list[torch.nn.Module] = []
"""Keeps models alive until the process ends: torch-xla hangs at exit if models on Tenstorrent devices are freed."""


class Model:
    """A loader's model with its inputs, as the runner makes them (docs/rules.md 4.2)."""

    def __init__(self, loader: Any, args: Any) -> None:
        random.seed(0)
        torch.manual_seed(0)
        self.training = args.mode == "training"
        self.module = load_model(loader, torch.bfloat16)
        if not isinstance(self.module, torch.nn.Module):
            raise TypeError(f"load_model gave {type(self.module).__name__}, which is no torch.nn.Module")
        self.module.train(self.training)
        sizes = {"batch_size": args.batch_size, "seq_len": args.seq_len}
        inputs = load_inputs(loader, torch.bfloat16, phase=args.phase, training=self.training, **sizes)
        self.args, self.kwargs = call_arguments(inputs)

    def recording(self) -> Any:
        """A context for a call: gradients are recorded only in training."""
        return nullcontext() if self.training else torch.no_grad()


def parts(directory: Path, *, tensors: bool) -> Mapping[str, Callable[[Model], None]]:
    """Functions that export graphs, by the name of what they export; each writes below `directory`.

    They raise what the model raises. Without torch-xla there is no StableHLO.
    """
    found: dict[str, Callable[[Model], None]] = {"FX": lambda model: _fx(model, directory, tensors)}
    if importlib.util.find_spec(_XLA) is not None:
        found["StableHLO"] = lambda model: _stablehlo(model, directory)
    return found


def _fx(model: Model, directory: Path, with_tensors: bool) -> None:
    """Write a file for each graph that dynamo traces: a graph break starts another one."""
    graphs: list[str] = []

    def keep(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        number = len(graphs)
        name = f"forward.fx.{number}.py"
        graphs.append(name)
        (directory / name).write_text(graph.print_readable(print_output=False), encoding="utf-8")
        if with_tensors:
            _keep_tensors(directory / f"graph_{number}" / TENSORS, inputs)

        def run(*values: Any) -> Any:
            # Another graph, if there is one, is traced from the results of this one.
            with host_numerics(), _AnyDtype():
                return graph.forward(*values)

        return run

    torch._dynamo.reset()
    args, kwargs = copied((model.args, model.kwargs), _HOST)
    # Otherwise a module with an LSTM or a GRU is skipped.
    traced = torch._dynamo.config.patch(allow_rnn=True) if hasattr(torch._dynamo.config, "allow_rnn") else nullcontext()
    with model.recording(), traced:
        torch.compile(model.module, backend=keep)(*args, **kwargs)
    torch._dynamo.reset()
    if not graphs:
        raise RuntimeError("torch.compile has traced no graph of this model")


class _AnyDtype(TorchDispatchMode):
    """While active, ops that the CPU does not support in bfloat16 or float16 run in float32."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        try:
            return func(*args, **(kwargs or {}))
        except NotImplementedError:
            if (dtype := narrow_dtype(args)) is None:
                raise
            return widened(func, args, kwargs or {}, dtype)


def _keep_tensors(directory: Path, inputs: Sequence[Any]) -> None:
    """Save the inputs of a graph, including weights, by position, numbered as the plugin does."""
    directory.mkdir(parents=True)
    for position, value in enumerate(inputs):
        if isinstance(value, torch.Tensor):
            torch.save(value.detach().clone(), directory / f"arg{position}.pt")


def _stablehlo(model: Model, directory: Path) -> None:
    """Write the program of one call, recorded but not executed."""
    import torch_xla
    import torch_xla.core.xla_model

    device = torch_xla.device()
    module = place_model(model.module, device)
    args, kwargs = copied((model.args, model.kwargs), device)
    with model.recording():
        results = [tensor for _, tensor in tensors(module(*args, **kwargs)) if tensor.device.type == "xla"]
    text = str(torch_xla.core.xla_model.get_stablehlo(results))
    (directory / "forward.stablehlo.mlir").write_text(text, encoding="utf-8")


def generate(model: Model, target: str, directory: Path, *, tensors: bool, options: CompileOptions) -> None:
    """Have `tt_torch` generate code into `directory`. Raises what the compiler raises."""
    write = getattr(importlib.import_module("tt_torch"), target)
    if options.weights:
        overrides = importlib.import_module("tt_torch.weight_dtype")
        overrides.apply_weight_dtype_overrides(model.module, dict(options.weights))
    module, values = tensors_only(model)
    # Like tests/torch/codegen/codegen_emit_load_helper.py of tt-xla.
    _ON_DEVICE.append(module)
    with model.recording():
        write(
            module,
            *values,
            export_path=str(directory),
            export_tensors=tensors,
            compiler_options={name: value for name, value in options.values.items() if not name.startswith("export_")},
        )


def tensors_only(model: Model) -> tuple[torch.nn.Module, list[torch.Tensor]]:
    """The model wrapped to take only positional tensors: `codegen_py` drops all other arguments."""
    if not model.kwargs and all(isinstance(one, torch.Tensor) for one in model.args):
        return model.module, list(model.args)
    leaves, structure = pytree.tree_flatten((model.args, model.kwargs))
    return _Bound(model.module, leaves, structure), [one for one in leaves if isinstance(one, torch.Tensor)]


class _Bound(torch.nn.Module):
    """A model with all non-tensor arguments filled in."""

    def __init__(self, model: torch.nn.Module, leaves: Sequence[Any], structure: Any) -> None:
        super().__init__()
        self.model = model
        self._leaves = [None if isinstance(one, torch.Tensor) else one for one in leaves]
        self._places = [number for number, one in enumerate(leaves) if isinstance(one, torch.Tensor)]
        self._structure = structure

    def forward(self, *values: torch.Tensor) -> Any:
        leaves = list(self._leaves)
        for place, value in zip(self._places, values, strict=True):
            leaves[place] = value
        args, kwargs = pytree.tree_unflatten(leaves, self._structure)
        return self.model(*args, **kwargs)
