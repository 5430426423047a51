# SPDX-License-Identifier: Apache-2.0
"""Depthwise and pointwise convolutions in turn."""

import torch
from torch import nn


class TinyNet(nn.Module):
    """[batch, 3, height, width] to [batch, 10]."""

    def __init__(self, depth: int, width: int = 16):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(
            *(
                nn.Sequential(
                    nn.Conv2d(width, width, 3, padding=1, groups=width), nn.Conv2d(width, width, 1), nn.ReLU6()
                )
                for _ in range(depth)
            )
        )
        self.head = nn.Linear(width, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        hidden = self.blocks(torch.relu(self.stem(image)))
        return self.head(hidden.mean(dim=(2, 3)))
