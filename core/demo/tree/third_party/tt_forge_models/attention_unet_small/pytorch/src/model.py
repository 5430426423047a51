# SPDX-License-Identifier: Apache-2.0
"""One level down, one level up, and a gate on what is carried across."""

import torch
from torch import nn


class AttentionUNet(nn.Module):
    """[batch, 1, height, width] to a mask of the same shape. Height and width are even."""

    def __init__(self, width: int = 8):
        super().__init__()
        self.down = nn.Conv2d(1, width, 3, padding=1)
        self.middle = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.gate = nn.Conv2d(2 * width, 1, 1)
        self.out = nn.Conv2d(2 * width, 1, 3, padding=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        skip = torch.relu(self.down(image))
        middle = torch.relu(self.middle(nn.functional.max_pool2d(skip, 2)))
        up = torch.relu(self.up(middle))
        attention = torch.sigmoid(self.gate(torch.cat([skip, up], dim=1)))
        return self.out(torch.cat([skip * attention, up], dim=1))
