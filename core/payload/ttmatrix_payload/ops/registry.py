# SPDX-License-Identifier: Apache-2.0
"""Look up the function for an op's name: by a table and a short walk below torch, without evaluating anything.

A name comes from a file that anybody may have written. `names` decides which ones may be looked up at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

import torch

from .names import OpKind, kind_of, nearest, refusal, room_of


class Op(NamedTuple):
    """A callable op."""

    name: str
    call: Callable[..., Any]
    inplace: bool
    """Whether it writes to an argument."""


class UnknownOp(Exception):
    """There is no such op, or a test may not call it; the text suggests similar names."""


class NotAnOp(Exception):
    """The name is recorded by tracers but is not an op."""


_INPLACE = (
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "ilshift",
    "irshift",
    "iand",
    "ior",
    "ixor",
)

_OPERATORS = (
    *("lt", "le", "eq", "ne", "ge", "gt", "neg", "pos", "abs", "invert", "contains"),
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and_", "or_", "xor"),
    *_INPLACE,
)
"""Recorded as `torch.and_` for `a & b`. If torch has a function of that name, the function is used."""

_REFLECTED = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
)

_UNWRITTEN = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
"""Functions that return uninitialised memory."""

_DRAWING = (
    *("rand", "randn", "randint", "randperm", "bernoulli", "multinomial", "normal", "uniform", "random"),
    *("exponential", "geometric", "cauchy", "log_normal", "poisson", "gumbel_softmax"),
)

_CASTS = ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cfloat", "cdouble")
"""`torch.float` is a dtype; recorded as an op it means the method."""

_VARIADIC = ("permute", "reshape", "squeeze", "flip", "tile", "view", "expand", "repeat", "movedim")
"""Sizes and dimensions as separate integers: the method accepts these and a sequence; the function does not."""

_SYMBOLIC = ("sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt", "sym_sum")


@cache
def resolve(name: str) -> Op:
    """The function for `name`. Raises UnknownOp, or NotAnOp for a name that is not an op at all."""
    kind = kind_of(name)
    if kind is OpKind.NOT_AN_OP:
        raise NotAnOp(f"{name} is recorded beside ops and computes nothing")
    if kind is OpKind.REFUSED:
        raise UnknownOp(refusal(name))
    found = _table().get(name) or _walk(*room_of(name))
    if found is None:
        near = nearest(name, known_names())
        raise UnknownOp(f"torch {torch.__version__} has no op {name}" + (f"; did you mean {near}?" if near else ""))
    return Op(name, found, writes(name))


def writes(name: str) -> bool:
    """Whether the op of this name writes to its first argument, by torch's naming convention."""
    last = _last(name)
    if last.strip("_") in ("setitem", *_INPLACE):
        return True
    return last.endswith("_") and not last.startswith("__") and last not in _OPERATORS


def has_values(name: str, *, host: bool) -> bool:
    """Whether an op returns the same values each time, on the host or elsewhere.

    Elsewhere, random ops draw other numbers from the same seed.
    """
    last = _last(name)
    return last not in _UNWRITTEN and (host or last.removesuffix("_").removesuffix("_like") not in _DRAWING)


def _last(name: str) -> str:
    """The last part of a name; of an aten overload, the op's: `add_` in `torch.ops.aten.add_.Tensor`."""
    parts = name.split(".")
    return parts[3] if parts[:3] == ["torch", "ops", "aten"] and len(parts) > 3 else parts[-1]


@cache
def known_names() -> tuple[str, ...]:
    """Names that resolve, for hints: the table, and the public functions of torch and of torch.nn.functional."""
    public = [f"torch.{name}" for name in dir(torch._C._VariableFunctions) if not name.startswith("_")]
    functional = [
        f"torch.nn.functional.{name}"
        for name in dir(torch.nn.functional)
        if not name.startswith("_") and _function(torch.nn.functional, name) is not None
    ]
    return tuple(sorted({*_table(), *(name for name in (*public, *functional) if kind_of(name) is OpKind.OP)}))


@cache
def _table() -> Mapping[str, Callable[..., Any]]:
    """Names that are not simply functions of that name."""
    table: dict[str, Callable[..., Any]] = {}
    for name in _OPERATORS:
        function = getattr(operator, name)
        if not hasattr(torch, name):
            table[f"torch.{name}"] = function
        for where in ("torch", "torch.Tensor"):
            table[f"{where}.__{name.rstrip('_')}__"] = function
    for name in _REFLECTED:
        table[f"torch.Tensor.__r{name}__"] = table[f"torch.__r{name}__"] = _reflected(table[f"torch.__{name}__"])
    for where in ("torch.{}", "torch.__{}__", "torch.Tensor.__{}__"):
        table[where.format("getitem")] = _getitem
        table[where.format("setitem")] = _setitem
    table.update({f"torch.{name}": getattr(torch.Tensor, name) for name in _CASTS})
    table.update({f"torch.{name}": _variadic(name) for name in _VARIADIC})
    table.update({f"torch.{name}": getattr(torch, name) for name in _SYMBOLIC if hasattr(torch, name)})
    return table


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def reflected(first: Any, second: Any) -> Any:
        return function(second, first)

    return reflected


def _getitem(value: Any, index: Any) -> Any:
    return value[_index(index)]


def _setitem(value: Any, index: Any, new: Any) -> None:
    value[_index(index)] = new


def _index(index: Any) -> Any:
    """Turn a list of tensors back into the tuple that was recorded: `x[rows, columns]`."""
    if isinstance(index, list) and any(isinstance(one, torch.Tensor) for one in index):
        return tuple(index)
    return index


def _variadic(name: str) -> Callable[..., Any]:
    method = getattr(torch.Tensor, name)
    function = getattr(torch, name, method)

    def variadic(*args: Any, **kwargs: Any) -> Any:
        return (method if args else function)(*args, **kwargs)

    return variadic


def _walk(room: str, name: str) -> Callable[..., Any] | None:
    """The function called `name` in a room; None if it is not there."""
    if room == "torch":
        return _of_torch(name)
    if room == "torch.Tensor":
        return _method(name)
    if room == "torch.ops.aten":
        return _aten(*name.split("."))
    found: Any = torch
    for part in room.split(".")[1:]:
        found = getattr(found, part, None)
    return _function(found, name)


def _of_torch(name: str) -> Callable[..., Any] | None:
    """A function of torch itself; for a name that only tensors have, the method."""
    native = hasattr(torch._C._VariableFunctions, name) or name in torch.functional.__all__
    found: Any = getattr(torch, name, None)
    if native and callable(found):
        return cast(Callable[..., Any], found)
    return _method(name)


def _method(name: str) -> Callable[..., Any] | None:
    found = getattr(torch.Tensor, name, None)
    return found if callable(found) and not isinstance(found, type) else None


def _function(module: Any, name: str) -> Callable[..., Any] | None:
    """A function defined by torch: a namespace also contains its imports."""
    found = getattr(module, name, None)
    if not callable(found) or isinstance(found, type):
        return None
    owner = getattr(found, "__module__", None) or "torch"
    return found if owner.partition(".")[0] == "torch" else None


def _aten(name: str, overload: str = "") -> Callable[..., Any] | None:
    """An aten op or one of its overloads, if it takes or returns a tensor and takes no file name."""
    packet = getattr(torch.ops.aten, name, None)
    found = getattr(packet, overload, None) if overload else packet
    overloads = [found] if overload else _overloads(packet)
    schemas = [one._schema for one in overloads if one is not None and hasattr(one, "_schema")]
    return found if callable(found) and any(map(_computes, schemas)) else None


def _overloads(packet: Any) -> Iterable[Any]:
    return [getattr(packet, name) for name in packet.overloads()] if hasattr(packet, "overloads") else []


def _computes(schema: Any) -> bool:
    arguments = [*schema.arguments, *schema.returns]
    return any("Tensor" in str(one.type) for one in arguments) and not any("file" in one.name for one in arguments)
