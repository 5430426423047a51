# SPDX-License-Identifier: Apache-2.0
"""Both halves encoded on their own, then added."""

import torch
from torch import nn


class TabularFusion(nn.Module):
    """[batch, 3, height, width] and [batch, 6] to [batch, 5]."""

    def __init__(self, width: int):
        super().__init__()
        self.image = nn.Conv2d(3, width, 3, stride=2)
        self.row = nn.Linear(6, width)
        self.head = nn.Linear(width, 5)

    def forward(self, image: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        seen = torch.relu(self.image(image)).mean(dim=(2, 3))
        return self.head(seen + torch.relu(self.row(row)))
