# SPDX-License-Identifier: Apache-2.0
"""Views encoded one by one, averaged, and turned into a path."""

import torch
from torch import nn


class BevPlanner(nn.Module):
    """[batch, cameras, 3, height, width] and a speed to six waypoints [batch, 6, 2]."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.camera = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.speed = nn.Linear(1, width)
        self.path = nn.Linear(width, 12)

    def forward(self, views: torch.Tensor, speed: torch.Tensor) -> torch.Tensor:
        batch, cameras = views.shape[:2]
        seen = torch.relu(self.camera(views.flatten(0, 1))).mean(dim=(2, 3))
        scene = seen.view(batch, cameras, -1).mean(dim=1)
        return self.path(scene + self.speed(speed)).view(batch, 6, 2)
