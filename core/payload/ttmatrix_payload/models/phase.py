# SPDX-License-Identifier: Apache-2.0
"""Run the steps of one test of a loader's model in one dtype, and report where it fails and why."""

from __future__ import annotations

import argparse
import inspect
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

from .steps import AnyPhase, MakeLoader, run_all
from .structures import MAX_LEAVES, describe, float_tensors, leaves, show, structure
from .widen import host_numerics
from .workload import call, load_inputs, load_model

MAX_COMPARED_ELEMENTS = 500_000_000
"""Gradients beyond this number are not stored for comparison: they would double the memory needed."""


def run_phases(args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Run bfloat16 and float32 on fresh models into `result`.

    Raises Problem where the environment cannot run the model.
    """
    run_all(args, result, lambda args, _: [Phase(dtype, args) for dtype in (torch.bfloat16, torch.float32)])


class Phase(AnyPhase):
    """A PyTorch model in one dtype."""

    def __init__(self, dtype: torch.dtype, args: argparse.Namespace) -> None:
        self.name = str(dtype).removeprefix("torch.")
        super().__init__(self.name, args)
        self.override = None if dtype is torch.float32 else dtype
        """The dtype passed to the loader; None: its own default, which is float32 by upstream's convention."""

    @property
    def title(self) -> str:
        """The dtype, and whether the loader is given it."""
        return f"{self.steps.name}{'' if self.override else ' (dtype_override left out)'}"

    def take_steps(self, make_loader: MakeLoader) -> None:
        """Load, forward, and in training backward."""
        training = self.args.mode == "training"
        random.seed(0)
        torch.manual_seed(0)
        self.steps.step = "load_model"
        loader = make_loader()
        model = load_model(loader, self.override)
        model.train(training)
        self.report["parameters"] = parameters_of(model)
        self.report["weights"] = weights_of(model)
        self._tell_other_weights()
        self.report["decoder_start"] = decoder_start_of(model)
        self.steps.step = "load_inputs"
        inputs = self._load_inputs(loader)
        self.report["container"] = type(inputs).__name__
        self.report["inputs"] = describe(inputs)
        show("inputs", self.report["inputs"])
        self.steps.step = "forward"
        with torch.set_grad_enabled(training), host_numerics():
            output = call(model, inputs)
        self.report["output"] = structure(output)
        if training:
            self.report["output"]["reach"] = reach(model, output)
        show(f"output {type(output).__name__}", self.report["output"]["leaves"])
        if training:
            self._backward(model, loader, output)
        self.outputs = {name: tensor.detach() for name, tensor in float_tensors(output).items()}

    def _tell_other_weights(self) -> None:
        """Note if weights have another dtype, which a person must know when reading this phase's result."""
        others = ", ".join(
            f"{count} of {dtype}" for dtype, count in self.report["weights"].items() if dtype != self.name
        )
        if others:
            print(f"weights that are not {self.name}: {others}", flush=True)

    def _load_inputs(self, loader: Any) -> Any:
        args = self.args
        asked = {"phase": args.phase, "batch_size": args.batch_size, "seq_len": args.seq_len}
        return load_inputs(loader, self.override, training=args.mode == "training", **asked)

    def _backward(self, model: torch.nn.Module, loader: Any, output: Any) -> None:
        self.steps.step = "unpack"
        unpacked = loader.unpack_forward_output(output)
        self.report["unpacked"] = structure(unpacked)
        show("unpacked", self.report["unpacked"]["leaves"])
        self.steps.step = "backward"
        start, gradient = backward_start(unpacked)
        with host_numerics():
            start.backward(gradient=gradient)
        gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
        if not gradients:
            raise AssertionError("No gradients: no trainable parameter takes part in the output")
        if sum(tensor.numel() for tensor in gradients.values()) <= MAX_COMPARED_ELEMENTS:
            self.gradients = gradients


def parameters_of(model: Any) -> list[str]:
    """Names of the parameters of the model's forward, in order; empty if unknown."""
    try:
        named = inspect.signature(getattr(model, "forward", model)).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in named if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def weights_of(model: torch.nn.Module) -> dict[str, int]:
    """The floating-point dtypes of the model's parameters and buffers, each with its count."""
    tensors = [tensor for tensor in (*model.parameters(), *model.buffers()) if tensor.is_floating_point()]
    return dict(Counter(str(tensor.dtype).removeprefix("torch.") for tensor in tensors))


def decoder_start_of(model: Any) -> dict[str, Any] | None:
    """The start token of decoders in the model's configuration, and the name of that configuration."""
    for holder in ("config", "generation_config"):
        token = getattr(getattr(model, holder, None), "decoder_start_token_id", None)
        if isinstance(token, int):
            return {"holder": holder, "token": token}
    return None


def backward_start(unpacked: Any) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The tensor where the backward pass starts, and its gradient: random, and the same in both dtypes."""
    if isinstance(unpacked, torch.Tensor):
        generator = torch.Generator().manual_seed(0)
        return unpacked, torch.randn(unpacked.shape, generator=generator).to(unpacked.dtype)
    print("unpack_forward_output gave no single tensor, which the runner needs.", flush=True)
    tensors = [tensor for tensor in float_tensors(unpacked).values() if tensor.requires_grad]
    if not tensors:
        raise TypeError(f"unpack_forward_output gave {type(unpacked).__name__} without a tensor to start from")
    print(f"Backward starts from the sum of its {len(tensors)} floating-point tensors.", flush=True)
    return torch.stack([tensor.sum().float() for tensor in tensors]).sum(), None


_NAMED = 6
"""Most modules of a group that are named."""


def reach(model: torch.nn.Module, output: Any) -> dict[str, Any]:
    """By autograd's graph: groups of parameters that the same leaves of `output` reach, and which leaves feed which.

    `groups` has for each the count, the modules that have nothing but these, and the numbers of the leaves; `feeds` by
    the number of a leaf those that are computed from it. Only parameters that are trained count.
    """
    tensors = [
        (number, leaf)
        for number, (_, leaf) in zip(range(MAX_LEAVES), leaves(output), strict=False)
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad
    ]
    names = {id(one): name for name, one in model.named_parameters() if one.requires_grad}
    reached: dict[str, int] = dict.fromkeys(names.values(), 0)
    feeds: dict[int, list[int]] = {}
    ends: dict[Any, list[int]] = {}
    for number, leaf in tensors:
        if id(leaf) in names:
            reached[names[id(leaf)]] |= 1 << number
        elif leaf.grad_fn is not None:
            ends.setdefault(leaf.grad_fn, []).append(number)  # The parts of a split have one node.
    # Each wrapper of a node must stay alive: nodes are distinguished by its identity.
    masks = dict.fromkeys(_ordered(list(ends)), 0)
    for node in masks:
        mask = masks[node]
        for number in ends.get(node, ()):
            if masks[node]:
                feeds[number] = list(_numbers(masks[node]))
            mask |= 1 << number
        name = names.get(id(getattr(node, "variable", None)))
        if name is not None:
            reached[name] |= mask
        for following in _following(node):
            masks[following] |= mask
    return {"groups": _groups(reached), "feeds": feeds}


def _ordered(ends: list[Any]) -> list[Any]:
    """All nodes below `ends`, each before those that it leads to."""
    done: dict[Any, None] = {}
    for end in ends:
        way = [(end, iter(_following(end)))]
        seen = {end}
        while way:
            node, rest = way[-1]
            following = next((one for one in rest if one not in done and one not in seen), None)
            if following is None:
                done.setdefault(node)
                way.pop()
            else:
                seen.add(following)
                way.append((following, iter(_following(following))))
    return list(reversed(done))


def _following(node: Any) -> list[Any]:
    return [one for one, _ in node.next_functions if one is not None]


def _numbers(mask: int) -> Iterator[int]:
    return (number for number in range(mask.bit_length()) if mask >> number & 1)


def _groups(reached: dict[str, int]) -> list[dict[str, Any]]:
    by_mask: dict[int, list[str]] = {}
    for name, mask in reached.items():
        by_mask.setdefault(mask, []).append(name)
    inside: dict[str, set[int]] = {}
    for name, mask in reached.items():
        for part in _parts(name):
            inside.setdefault(part, set()).add(mask)
    found = []
    for mask, names in by_mask.items():
        alone = (next(part for part in _parts(name) if inside[part] == {mask}) for name in names)
        modules = list(dict.fromkeys(alone))
        told = {"count": len(names), "modules": modules[:_NAMED], "more": len(modules) > _NAMED}
        found.append({**told, "leaves": list(_numbers(mask))})
    return found


def _parts(name: str) -> Iterator[str]:
    """`head`, `head.box`, `head.box.weight`."""
    steps = name.split(".")
    return (".".join(steps[:length]) for length in range(1, len(steps) + 1))
