# SPDX-License-Identifier: Apache-2.0
"""A backbone of three steps, with predictions on the grid after each."""

import torch
from torch import nn


class GridDetector(nn.Module):
    """[batch, 3, height, width] to three grids [batch, 7, h, w] of box, objectness and two classes."""

    def __init__(self, width: int):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.steps = nn.ModuleList(nn.Conv2d(width, width, 3, stride=2, padding=1) for _ in range(3))
        self.heads = nn.ModuleList(nn.Conv2d(width, 7, 1) for _ in range(3))

    def forward(self, image: torch.Tensor) -> list[torch.Tensor]:
        hidden = torch.relu(self.stem(image))
        grids = []
        for step, head in zip(self.steps, self.heads):
            hidden = torch.relu(step(hidden))
            grids.append(head(hidden))
        return grids
