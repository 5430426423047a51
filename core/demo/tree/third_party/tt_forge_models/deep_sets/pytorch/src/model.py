# SPDX-License-Identifier: Apache-2.0
"""Each point on its own, then all of them pooled."""

import torch
from torch import nn


class DeepSets(nn.Module):
    """[batch, points, 3] to [batch, 16]."""

    def __init__(self, pooling: str):
        super().__init__()
        self.pooling = pooling
        self.point = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.set = nn.Linear(32, 16)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        encoded = self.point(points)
        pooled = encoded.amax(dim=1) if self.pooling == "max" else encoded.mean(dim=1)
        return self.set(pooled)
