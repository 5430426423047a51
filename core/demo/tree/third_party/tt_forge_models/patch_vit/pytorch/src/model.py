# SPDX-License-Identifier: Apache-2.0
"""Patches, two encoder layers, a classifier on their mean."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ImageClassifierOutput:
    """[batch, classes] scores, and the [batch, tokens, width] states they come from."""

    logits: torch.Tensor
    last_hidden_state: torch.Tensor


class PatchViT(nn.Module):
    """[batch, 3, 32, 32] to ten scores."""

    def __init__(self, patch: int, width: int, depth: int = 2):
        super().__init__()
        self.embed = nn.Conv2d(3, width, patch, stride=patch)
        self.position = nn.Parameter(0.02 * torch.randn(1, (32 // patch) ** 2, width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True) for _ in range(depth)
        )
        self.head = nn.Linear(width, 10)

    def forward(self, pixel_values: torch.Tensor) -> ImageClassifierOutput:
        hidden = self.embed(pixel_values).flatten(2).transpose(1, 2) + self.position
        for layer in self.layers:
            hidden = layer(hidden)
        return ImageClassifierOutput(self.head(hidden.mean(dim=1)), hidden)
