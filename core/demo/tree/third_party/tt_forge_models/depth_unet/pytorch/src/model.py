# SPDX-License-Identifier: Apache-2.0
"""An encoder, a decoder, and a map of distances."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class DepthMapOutput:
    """Distances in metres, [batch, height, width]; and the features they come from."""

    predicted_depth: torch.Tensor
    features: torch.Tensor


class DepthUNet(nn.Module):
    """[batch, 3, height, width] to distances up to `farthest` metres. Height and width are even."""

    def __init__(self, farthest: float, width: int = 8):
        super().__init__()
        self.farthest = farthest
        self.encode = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.decode = nn.ConvTranspose2d(width, 1, 2, stride=2)

    def forward(self, image: torch.Tensor) -> DepthMapOutput:
        features = torch.relu(self.encode(image))
        return DepthMapOutput(self.farthest * torch.sigmoid(self.decode(features)).squeeze(1), features)
