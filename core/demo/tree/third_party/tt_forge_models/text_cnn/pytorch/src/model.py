# SPDX-License-Identifier: Apache-2.0
"""Windows of two and three words, the strongest answer of each filter, a linear head."""

import torch
from torch import nn


class TextCnn(nn.Module):
    """[batch, words] to [batch, 4]."""

    def __init__(self, width: int, vocabulary: int = 128):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.windows = nn.ModuleList(nn.Conv1d(width, width, size) for size in (2, 3))
        self.head = nn.Linear(2 * width, 4)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        words = self.embedding(input_ids).transpose(1, 2)
        strongest = [torch.relu(window(words)).amax(dim=2) for window in self.windows]
        return self.head(torch.cat(strongest, dim=1))
