# SPDX-License-Identifier: Apache-2.0
"""One recurrent layer and a linear forecast of the next step."""

import torch
from torch import nn


class LstmForecaster(nn.Module):
    """[batch, steps, 4] to the next step [batch, 4] and the final state."""

    def __init__(self, hidden: int = 32):
        super().__init__()
        self.recurrent = nn.LSTM(4, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 4)

    def forward(self, window: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        outputs, state = self.recurrent(window)
        return self.head(outputs[:, -1]), state
