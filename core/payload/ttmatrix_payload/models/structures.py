# SPDX-License-Identifier: Apache-2.0
"""Inspect nested values: their leaves, their types, and how close two sets of tensors are."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from ..tensors import pearson

MAX_LEAVES = 500


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Every leaf of nested mappings, sequences and dataclasses with its path: `targets[0].boxes`."""
    return ((name or "tensor", leaf) for name, _, leaf in _walk(value, "", ""))


def accesses(value: Any) -> list[str]:
    """The Python access path to each leaf that `describe` lists: `.logits`, `[0]["boxes"]`; empty: `value` itself.

    None for a leaf under a key that has no literal.
    """
    return [access for _, access, _ in itertools.islice(_walk(value, "", ""), MAX_LEAVES)]


def _walk(value: Any, name: str, access: Any) -> Iterator[tuple[str, Any, Any]]:
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else ()
    named = {field.name for field in fields}
    if isinstance(value, Mapping):
        # Outputs of transformers are mappings whose keys are also attributes.
        parts = [(str(key), f".{key}" if key in named else _subscript(key), item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"[{index}]", f"[{index}]", item) for index, item in enumerate(value)]
    elif fields:
        parts = [(field.name, f".{field.name}", getattr(value, field.name)) for field in fields]
    else:
        yield name, access, value
        return
    for part, step, item in parts:
        dot = "." if name and not part.startswith("[") else ""
        yield from _walk(item, f"{name}{dot}{part}", None if access is None or step is None else access + step)


def _subscript(key: Any) -> Any:
    """A key as Python writes it; None for an object that has no literal."""
    return f"[{json.dumps(key)}]" if isinstance(key, (str, int)) and not isinstance(key, bool) else None


def describe(value: Any) -> list[dict[str, Any]]:
    """The first leaves of `value` as data: name and type, for tensors dtype, shape and whether autograd tracks them."""
    described: list[dict[str, Any]] = []
    for name, leaf in leaves(value):
        tensor = isinstance(leaf, torch.Tensor)
        dtype = str(leaf.dtype).removeprefix("torch.") if tensor else None
        shape = list(leaf.shape) if tensor else None
        described.append({"name": name, "type": type(leaf).__name__, "dtype": dtype, "shape": shape})
        if tensor and leaf.requires_grad:
            described[-1]["requires_grad"] = True
        if len(described) == MAX_LEAVES:
            break
    return described


def structure(value: Any) -> dict[str, Any]:
    """The class of `value`, by which upstream's registry finds output handlers, and its leaves."""
    kind = type(value)
    told = {"class": kind.__name__, "module": kind.__module__}
    return {**told, "leaves": describe(value), "access": accesses(value)}


def show(title: str, described: list[dict[str, Any]]) -> None:
    """Print what `describe` found, one leaf per line."""
    print(f"{title}:", flush=True)
    for leaf in described:
        what = leaf["type"] if leaf["dtype"] is None else f"{leaf['dtype']} {leaf['shape']}"
        print(f"  {leaf['name']}: {what}", flush=True)


def float_tensors(value: Any) -> dict[str, torch.Tensor]:
    """The floating-point tensors among the leaves, by path."""
    found = leaves(value)
    return {name: leaf for name, leaf in found if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()}


def lowest_pcc(
    title: str, ones: Mapping[str, torch.Tensor], others: Mapping[str, torch.Tensor]
) -> dict[str, Any] | None:
    """Print and return the lowest PCC over the tensors that both sides have; information, not a verdict."""
    values = {name: pearson(ones[name].detach(), others[name].detach()) for name in ones if name in others}
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return None
    worst = min(known, key=lambda name: known[name])
    text = f"{known[worst]:.6f}, the lowest of {len(known)}, at {worst}"
    print(f"PCC of {title}, bfloat16 against float32: {text}", flush=True)
    return {"value": known[worst], "name": worst, "compared": len(known), "undefined": len(values) - len(known)}
