# SPDX-License-Identifier: Apache-2.0
"""A 3D convolution, 3D pooling and a linear head."""

import torch
from torch import nn


class VideoPool3d(nn.Module):
    """[batch, 3, frames, height, width] to [batch, 6]. Frames, height and width are even."""

    def __init__(self, width: int = 8):
        super().__init__()
        self.convolution = nn.Conv3d(3, width, 3, padding=1)
        self.pool = nn.AvgPool3d(2)
        self.head = nn.Linear(width, 6)

    def forward(self, clip: torch.Tensor) -> torch.Tensor:
        pooled = self.pool(torch.relu(self.convolution(clip)))
        return self.head(pooled.mean(dim=(2, 3, 4)))
