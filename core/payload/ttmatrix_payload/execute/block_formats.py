# SPDX-License-Identifier: Apache-2.0
"""Emulate Tenstorrent's block formats for weights: 16 numbers share an exponent. Values keep their dtype."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

import torch

BLOCK = 16
"""Numbers along the last dimension that share an exponent."""
MANTISSAS = {"bfp_bf8": 7, "bfp_bf4": 3}
"""Bits of a number without its sign."""


def round_weights(model: torch.nn.Module, dtypes: Mapping[str, str]) -> dict[str, str]:
    """Round the weights of linear layers in place; returns the dtype of each rounded parameter by name.

    `dtypes` are by name patterns, and the last match counts; `bf16` leaves a weight unchanged. Upstream
    converts only weights of matmul and linear, too.
    """
    found = {}
    for name, module in model.named_modules():
        if not isinstance(module, torch.nn.Linear):
            continue
        parameter = f"{name}.weight" if name else "weight"
        fitting = [dtype for pattern, dtype in dtypes.items() if fnmatchcase(parameter, pattern)]
        if fitting and fitting[-1] in MANTISSAS:
            with torch.no_grad():
                module.weight.copy_(rounded(module.weight, MANTISSAS[fitting[-1]]))
            found[parameter] = fitting[-1]
    return found


def rounded(tensor: torch.Tensor, bits: int) -> torch.Tensor:
    """`tensor` with the nearest numbers that blocks of BLOCK along the last dimension can hold.

    The exponent of a block is that of its largest number, so that its numbers are multiples of 2 ** (e + 1 - bits).
    """
    wide = tensor.detach().to(torch.float32)
    length = wide.shape[-1]
    padded = torch.nn.functional.pad(wide, (0, -length % BLOCK))
    blocks = padded.reshape(*padded.shape[:-1], -1, BLOCK)
    exponent = torch.frexp(blocks.abs().amax(-1, keepdim=True)).exponent
    step = torch.ldexp(torch.ones_like(exponent, dtype=torch.float32), exponent - bits)
    most = 2**bits - 1
    held = (blocks / step).round().clamp(-most, most) * step
    return held.reshape(padded.shape)[..., :length].to(tensor.dtype)
