# SPDX-License-Identifier: Apache-2.0
"""A decoder-only transformer of one or two layers."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class CausalLMOutput:
    """Scores of the next token, [batch, tokens, vocabulary]."""

    logits: torch.Tensor


class Attention(nn.Module):
    """Causal attention over the tokens at hand and the keys and values of those before."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        # A bias on the keys moves all scores of a query alike, so it would have no gradient but rounding errors.
        self.q_proj, self.k_proj = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.v_proj, self.o_proj = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, hidden: torch.Tensor, past: Optional[torch.Tensor]) -> torch.Tensor:
        query, key, value = (self._split(layer(hidden)) for layer in (self.q_proj, self.k_proj, self.v_proj))
        if past is not None:
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        # A single new token may look at everything, several may not look ahead.
        causal = hidden.shape[1] > 1
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return self.o_proj(mixed.transpose(1, 2).flatten(2))

    def _split(self, projected: torch.Tensor) -> torch.Tensor:
        return projected.unflatten(2, (self.heads, -1)).transpose(1, 2)


class Block(nn.Module):
    """Attention and a feed-forward network, each around a residual connection."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up_proj, self.down_proj = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, hidden: torch.Tensor, past: Optional[torch.Tensor]) -> torch.Tensor:
        hidden = hidden + self.attention(self.attention_norm(hidden), past)
        return hidden + self.down_proj(nn.functional.gelu(self.up_proj(self.mlp_norm(hidden))))


class NanoLM(nn.Module):
    """[batch, tokens] to scores; `past` is [layers, 2, batch, heads, tokens before, width per head]."""

    def __init__(self, layers: int, width: int = 32, heads: int = 2, vocabulary: int = 256):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary)

    def forward(self, input_ids: torch.Tensor, past: Optional[torch.Tensor] = None) -> CausalLMOutput:
        hidden = self.embedding(input_ids)
        for index, layer in enumerate(self.layers):
            hidden = layer(hidden, None if past is None else past[index])
        return CausalLMOutput(self.lm_head(self.norm(hidden)))
