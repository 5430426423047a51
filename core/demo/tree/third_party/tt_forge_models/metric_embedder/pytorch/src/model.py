# SPDX-License-Identifier: Apache-2.0
"""A convolution, global pooling, and an embedding that is normalised over the batch."""

import torch
from torch import nn


class MetricEmbedder(nn.Module):
    """[batch, 3, height, width] to [batch, dimensions]."""

    def __init__(self, dimensions: int, width: int = 16):
        super().__init__()
        self.convolution = nn.Conv2d(3, width, 3, padding=1)
        self.embed = nn.Linear(width, dimensions)
        self.norm = nn.BatchNorm1d(dimensions)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        pooled = torch.relu(self.convolution(image)).mean(dim=(2, 3))
        return self.norm(self.embed(pooled))
