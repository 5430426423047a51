# SPDX-License-Identifier: Apache-2.0
"""The nearer a prototype, the higher its score."""

import torch
from torch import nn


class PrototypeNet(nn.Module):
    """[batch, 32] to [batch, ways]."""

    def __init__(self, ways: int):
        super().__init__()
        self.encode = nn.Linear(32, 16)
        self.prototypes = nn.Parameter(torch.randn(ways, 16))

    def forward(self, query: torch.Tensor) -> torch.Tensor:
        return -torch.cdist(self.encode(query), self.prototypes)
