# SPDX-License-Identifier: Apache-2.0
"""A transformer with one layer on each side."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class Seq2SeqLMOutput:
    """Scores of the next token, [batch, target tokens, vocabulary]."""

    logits: torch.Tensor


class Seq2SeqMini(nn.Module):
    """[batch, source tokens] and what has been translated so far to scores."""

    def __init__(self, vocabulary: int = 64, width: int = 32):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.encoder = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(
        self,
        input_ids: torch.Tensor,
        decoder_input_ids: Optional[torch.Tensor] = None,
        decoder_inputs_embeds: Optional[torch.Tensor] = None,
    ) -> Seq2SeqLMOutput:
        if decoder_inputs_embeds is None:
            if decoder_input_ids is None:
                raise ValueError("You have to specify either decoder_input_ids or decoder_inputs_embeds")
            decoder_inputs_embeds = self.embedding(decoder_input_ids)
        source = self.encoder(self.embedding(input_ids))
        return Seq2SeqLMOutput(self.head(self.decoder(decoder_inputs_embeds, source)))
