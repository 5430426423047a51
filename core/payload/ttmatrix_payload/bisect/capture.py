# SPDX-License-Identifier: Apache-2.0
"""Obtain the calls of a model: from an exported graph, from the graphs that dynamo makes, or as the model runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch._higher_order_ops.wrap import wrap_with_autocast, wrap_with_set_grad_enabled
from torch.fx import GraphModule, Interpreter, Node
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..execute.compare import tensors
from ..ops.called import manifest_name
from .calls import Call, method_call
from .engine import Engine
from .places import Following, place_of

Inputs = tuple[list[Any], dict[str, Any]]
"""Positional and keyword arguments of a model."""


def output_tensors(output: Any) -> list[torch.Tensor]:
    """The tensors in a model's output, whatever objects contain them."""
    return [one for _, one in tensors(output)]


def exported(model: Any, inputs: Inputs) -> tuple[GraphModule, list[torch.Tensor]]:
    """The model as one graph from tensors to a list of tensors, and its inputs. Raises what `torch.export` raises."""
    leaves, spec = tree_flatten(inputs)
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    flat = _Flat(model, lambda given: tree_unflatten(_filled(leaves, places, given), spec))
    values = [leaves[at] for at in places]
    program = torch.export.export(flat, tuple(values), strict=False)
    return program.module(), values


class _Flat(torch.nn.Module):
    def __init__(self, model: Any, inputs: Callable[[Iterable[torch.Tensor]], Inputs]) -> None:
        super().__init__()
        self._bisected = model
        self._inputs = inputs

    def forward(self, *given: torch.Tensor) -> list[torch.Tensor]:
        args, kwargs = self._inputs(given)
        return output_tensors(self._bisected(*args, **kwargs))


def _filled(leaves: list[Any], places: list[int], values: Iterable[Any]) -> list[Any]:
    filled = list(leaves)
    for at, value in zip(places, values, strict=True):
        filled[at] = value
    return filled


class Walk(Interpreter):
    """Executes each call of a graph on both sides."""

    def __init__(self, graph: GraphModule, engine: Engine) -> None:
        super().__init__(graph)
        self._engine = engine

    def run_node(self, n: Node) -> Any:
        """Return the value of the reference."""
        if n.op not in ("call_function", "call_method"):
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        if n.op == "call_method":
            return self._engine.step(method_call(str(n.target), args, kwargs), place_of(n))
        if n.target in (wrap_with_set_grad_enabled, wrap_with_autocast):
            return self._inner(args, kwargs)
        if isinstance(n.target, torch._ops.HigherOrderOperator):
            return super().run_node(n)
        return self._engine.step(Call(n.target, "", args, kwargs), place_of(n))  # type: ignore[arg-type]

    def _inner(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Execute a subgraph that changes a global setting; forward without gradients has that setting already."""
        at = next(at for at, one in enumerate(args) if isinstance(one, GraphModule))
        return Walk(args[at], self._engine).run(*args[at + 1 :], **kwargs)


def walk_exported(graph: GraphModule, inputs: list[torch.Tensor], engine: Engine) -> tuple[list[Any], list[Any]]:
    """The outputs of the reference, and those of the tested side, made call by call."""
    outputs = output_tensors(Walk(graph, engine).run(*inputs))
    return outputs, output_tensors(engine.shadow(outputs))


def walk_compiled(model: Any, inputs: Inputs, engine: Engine) -> tuple[list[Any], list[Any], int]:
    """Like `walk_exported`, over the graphs that dynamo makes while the model runs; also returns their number."""
    graphs: list[GraphModule] = []

    def backend(graph: GraphModule, _: Any) -> Callable[..., Any]:
        graphs.append(graph)
        return Walk(graph, engine).run

    torch._dynamo.reset()
    args, kwargs = inputs
    outputs = output_tensors(torch.compile(model, backend=backend)(*args, **kwargs))
    if not graphs:
        raise RuntimeError("dynamo made no graph of it")
    return outputs, output_tensors(engine.shadow(outputs)), len(graphs)


def walk_eager(model: Any, inputs: Inputs, engine: Engine) -> tuple[list[Any], list[Any]]:
    """Like `walk_exported`, over the torch calls that the model makes, if it has no graph."""
    args, kwargs = inputs
    with Following(model) as following, _Calls(engine, following):
        outputs = output_tensors(model(*args, **kwargs))
    return outputs, output_tensors(engine.shadow(outputs))


class _Calls(TorchFunctionMode):
    def __init__(self, engine: Engine, following: Following) -> None:
        super().__init__()
        self._engine = engine
        self._following = following

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not manifest_name(func)[0]:
            return func(*args, **(kwargs or {}))
        return self._engine.step(Call(func, "", tuple(args), kwargs or {}), self._following.place())


def wide_outputs(graph: GraphModule, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of a graph in a wider dtype: double for float32, float32 for narrower ones."""
    floats = {one.dtype for one in (*inputs, *graph.parameters(), *graph.buffers()) if one.dtype.is_floating_point}
    dtype = torch.float64 if floats <= {torch.float32, torch.float64} else torch.float32
    return output_tensors(_Wide(graph, dtype).run(*(one.clone() for one in inputs)))


class _Wide(Interpreter):
    def __init__(self, graph: GraphModule, dtype: torch.dtype) -> None:
        super().__init__(graph)
        self._dtype = dtype

    def run_node(self, n: Node) -> Any:
        if n.op == "call_module":
            # Guards of an exported graph check for the dtypes it was exported with.
            return None
        result = super().run_node(n)
        if n.op in ("placeholder", "get_attr") and isinstance(result, torch.Tensor):
            return result.to(self._dtype) if result.dtype.is_floating_point else result
        return result

    def fetch_args_kwargs_from_env(self, n: Node) -> Any:
        args, kwargs = super().fetch_args_kwargs_from_env(n)
        return tuple(map(self._wide, args)), {key: self._wide(value) for key, value in kwargs.items()}

    def _wide(self, value: Any) -> Any:
        return self._dtype if isinstance(value, torch.dtype) and value.is_floating_point else value
