# SPDX-License-Identifier: Apache-2.0
"""Local variance, computed in the way that loses the most digits."""

import torch
from torch import nn


class VariancePool(nn.Module):
    """[batch, channels, height, width] to [batch, 8]. Height and width are multiples of eight."""

    def __init__(self, channels: int):
        super().__init__()
        self.pool = nn.AvgPool2d(8)
        self.head = nn.Linear(16 * channels, 8)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        variance = self.pool(image.square()) - self.pool(image).square()
        return self.head(variance.flatten(1))
