# SPDX-License-Identifier: Apache-2.0
"""Patches mixed first over positions, then over channels."""

import torch
from torch import nn


class MixerBlock(nn.Module):
    """[batch, tokens, width] to the same."""

    def __init__(self, tokens: int, width: int):
        super().__init__()
        self.token_norm, self.channel_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        # A second bias would add the same to all channels, which the next norm takes away: no gradient.
        self.token_mixing = nn.Sequential(
            nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens, bias=False)
        )
        self.channel_mixing = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        hidden = hidden + self.token_mixing(self.token_norm(hidden).transpose(1, 2)).transpose(1, 2)
        return hidden + self.channel_mixing(self.channel_norm(hidden))


class MlpMixer(nn.Module):
    """[batch, 3, 32, 32] to [batch, 10]."""

    def __init__(self, patch: int, width: int, depth: int = 2):
        super().__init__()
        self.embed = nn.Conv2d(3, width, patch, stride=patch)
        self.blocks = nn.Sequential(*(MixerBlock((32 // patch) ** 2, width) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        tokens = self.embed(image).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(tokens)).mean(dim=1))
