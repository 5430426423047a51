# SPDX-License-Identifier: Apache-2.0
"""Manifests in the form that recorders write."""

import random

_OPS = (
    "torch.mul",
    "torch.add",
    "torch.nn.functional.linear",
    "torch.Tensor.view",
    "torch.matmul",
    "torch.getitem",
    "torch.neg",
)
_VALUES = (
    "value: 1",
    "value: -1",
    "value: 2.0",
    "value: null",
    "value: false",
    "value: cuda:0",
    "value: (1, 32, -1)",
    "py: (Ellipsis, slice(None, 64, None))",
)
_SIZES = (1, 3, 8, 12, 32, 41, 64, 128, 1024, 2880)


def generated(chance: random.Random, cases: int, sizes: tuple[int, ...] = _SIZES) -> str:
    """A manifest with `cases` cases. With many `sizes`, nearly all tensors differ."""
    lines = [
        "model: generated",
        "defaults:",
        "  dtype: fp16",
        "  seed: 123",
        "  atol: 0.005",
        "  rtol: 0.005",
        "cases:",
    ]
    for number in range(cases):
        op = chance.choice(_OPS)
        lines += [f"  - name: {op}.{number}", f"    op: {op}", "    inputs:"]
        for _ in range(chance.randint(1, 2)):
            lines += _tensor(chance, sizes)
        lines += [f"      - {chance.choice(_VALUES)}" for _ in range(chance.randint(0, 2))]
        if chance.random() < 0.15:
            lines += ["    kwmap:", f"      dim: {chance.randint(-2, 1)}", "      keepdim: true"]
        lines += _description(chance)
        lines += chance.choice(
            (["    marks: bf16operation"], ["    marks:", "      - bf16operation", "      - constant"])
        )
    return "\n".join(lines) + "\n"


def _tensor(chance: random.Random, sizes: tuple[int, ...]) -> list[str]:
    shape = [chance.choice(sizes) for _ in range(chance.randint(1, 3))]
    stride, step = [0] * len(shape), 1
    for dim in reversed(range(len(shape))):
        stride[dim], step = step, step * shape[dim]
    init = chance.choice(
        (["init: rand"], ["init: rand"], ["init: randint", "init_args:", "  high: 1000"], ["init: xavier"])
    )
    if init == ["init: xavier"] and len(shape) < 2:
        init = ["init: rand"]
    dtype = "torch.int64" if len(init) == 3 else chance.choice(("torch.bfloat16", "torch.float32"))
    keys = [
        f"shape: {shape}",
        f"stride: {stride}",
        f"storage_offset: {chance.choice((0, 0, 0, 64))}",
        f"dtype: {dtype}",
        "device: cuda:0",
        *init,
    ]
    return ["      - tensor:", *(f"          {key}" for key in keys)]


def _description(chance: random.Random) -> list[str]:
    line = chance.randint(100, 500)
    place = f"https://github.com/huggingface/transformers/blob/v5.2.0/src/transformers/models/granite/modeling_granite.py#L{line}"
    return [f"    description: '{place} in forward, code: hidden", f"      = self.layer(hidden, ''{line}'')'"]
