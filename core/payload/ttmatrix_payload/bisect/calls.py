# SPDX-License-Identifier: Apache-2.0
"""One call of a graph or a model: its name, whether it writes, and a graph with only this call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch.fx import Graph, GraphModule
from torch.fx.node import map_aggregate

from ..ops.called import manifest_name, unrepeatable
from ..ops.names import OpKind, kind_of
from ..ops.registry import has_values, writes

_INDEXING = ("argmax", "argmin", "max", "min", "topk", "sort", "argsort", "kthvalue", "mode", "median", "nanmedian")
"""Ops that return indices; with equal values, several indices are right."""


class Call(NamedTuple):
    """The called function and its arguments, with the values of the reference."""

    function: Callable[..., Any]
    method: str
    """The name of the method, if a graph calls one."""
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def __call__(self, *tensors: torch.Tensor) -> Any:
        """Call it with `tensors` in place of its own."""
        args, kwargs = self.replaced(iter(tensors).__next__)
        return self.function(*args, **kwargs)

    def replaced(self, instead: Callable[[], Any]) -> tuple[Any, Any]:
        """The arguments with each tensor replaced by the next result of `instead`, in order."""
        return self.mapped(lambda _: instead())

    def mapped(self, change: Callable[[torch.Tensor], Any]) -> tuple[Any, Any]:
        """The arguments with `change` applied to each tensor."""

        def one(value: Any) -> Any:
            return change(value) if isinstance(value, torch.Tensor) else value

        return map_aggregate(self.args, one), map_aggregate(dict(self.kwargs), one)

    def given(self, tensors: Iterable[torch.Tensor]) -> Call:
        """The same call with other tensors."""
        args, kwargs = self.replaced(iter(tensors).__next__)
        return self._replace(args=args, kwargs=kwargs)

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensors among the arguments, in the order in which `replaced` asks for them."""
        found: list[torch.Tensor] = []
        self.mapped(found.append)
        return found


def method_call(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    """A call of a method by name, on a tensor or whatever the first argument is."""
    return Call(getattr(type(args[0]) if args else torch.Tensor, name), name, args, kwargs)


def op_name(call: Call) -> str:
    """The op's name in manifests: `torch.ops.aten.relu.default`, `torch.relu`; else a readable description."""
    function = call.function
    if isinstance(function, torch._ops.OpOverload):
        return f"torch.ops.{function}"
    name, _ = manifest_name(function)
    if name:
        return name
    bare = getattr(function, "__name__", "") or type(function).__name__
    if getattr(operator, bare, None) is function and kind_of(f"torch.{bare}") in (OpKind.OP, OpKind.SPECIAL):
        return f"torch.{bare}"
    return f"{getattr(function, '__module__', '') or ''}.{bare}".strip(".")


def has_result(call: Call, name: str) -> bool:
    """Whether its result can be compared: nothing random, no uninitialised memory."""
    return not unrepeatable(name, call.function, call.args, call.kwargs) and has_values(name, host=False)


def may_write(call: Call, name: str) -> bool:
    """Whether the call may write to an argument."""
    if isinstance(call.function, torch._ops.OpOverload):
        return bool(call.function._schema.is_mutable)
    return "out" in call.kwargs or bool(call.kwargs.get("inplace")) or writes(name) or name.endswith("setitem")


def ties_of(call: Call, name: str) -> torch.Tensor | None:
    """The values that its resulting indices point to; None if it returns no indices."""
    parts = name.split(".")
    last = parts[3] if name.startswith("torch.ops.aten.") else parts[-1]
    return call.tensors[0] if last in _INDEXING and call.tensors else None


def adds_up(name: str) -> bool:
    """Whether each resulting element sums up many values, with rounding; else it uses one element of each input."""
    parts = name.split(".")
    packet = getattr(torch.ops.aten, parts[3] if name.startswith("torch.ops.aten.") else parts[-1], None)
    overloads = [getattr(packet, one) for one in packet.overloads()] if packet is not None else []
    return not any(torch.Tag.pointwise in one.tags for one in overloads)


def graph_of(call: Call) -> GraphModule:
    """A graph with only this call; its inputs are the tensors of the call. Raises if no graph can express it."""
    graph = Graph()
    placeholders = iter([graph.placeholder(f"input_{at}") for at in range(len(call.tensors))])
    args, kwargs = call.replaced(placeholders.__next__)
    if call.method or _is_method(call.function):
        node = graph.call_method(call.method or call.function.__name__, args, kwargs)
    else:
        node = graph.call_function(call.function, args, kwargs)
    # Like dynamo's graphs: the output is a tuple without nested structures.
    graph.output((node,))
    return GraphModule(torch.nn.Module(), graph)


def signature(call: Call) -> Any:
    """A key that is equal for calls that can share one compiled graph."""

    def shown(tensor: torch.Tensor) -> Any:
        return _Shown(
            f"{tensor.dtype}{list(tensor.shape)}{list(tensor.stride()) if tensor.device.type == 'cpu' else ''}"
        )

    return repr((op_name(call), call.method, *call.mapped(shown)))


class _Shown(str):
    """A tensor in a signature."""

    __slots__ = ()


def _is_method(function: Any) -> bool:
    name = getattr(function, "__name__", "")
    return bool(name) and getattr(torch.Tensor, name, None) is function
