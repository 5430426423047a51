# SPDX-License-Identifier: Apache-2.0
"""Which parameters of a model a backward pass reaches from each part of its output, without running one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from .structures import MAX_LEAVES, leaves

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
