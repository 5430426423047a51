# SPDX-License-Identifier: Apache-2.0
"""Low-rank adapters around the linear layers of a loader's model."""

from dataclasses import dataclass, replace

import torch
from torch import nn


@dataclass(frozen=True)
class LoraConfig:
    """Rank and scale of the adapters, and the names of the layers that get one."""

    r: int = 4
    lora_alpha: float = 8.0
    target_modules: tuple[str, ...] = ("q_proj", "v_proj")


class LoraLinear(nn.Module):
    """A frozen linear layer plus a trainable product of two thin matrices, which starts at zero."""

    def __init__(self, base: nn.Linear, config: LoraConfig):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = config.lora_alpha / config.r
        self.lora_A = nn.Parameter(0.02 * torch.randn(config.r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, config.r))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.base(inputs) + self.scale * (inputs @ self.lora_A.T @ self.lora_B.T)


class LoRAModelMixin:
    """Puts adapters into the model of the loader it is mixed into; it comes first among the bases."""

    _LORA_CONFIGS: dict = {}
    _DEFAULT_LORA_CONFIG = LoraConfig()

    def load_model(self, *, dtype_override=None, **kwargs):
        model = super().load_model(dtype_override=dtype_override, **kwargs)
        config = self._LORA_CONFIGS.get(self._variant, self._DEFAULT_LORA_CONFIG)
        model.requires_grad_(False)
        for parent in list(model.modules()):
            for name, child in list(parent.named_children()):
                if name in config.target_modules:
                    setattr(parent, name, LoraLinear(child, config))
        return model if dtype_override is None else model.to(dtype_override)

    @classmethod
    def _get_model_info(cls, variant=None):
        info = super()._get_model_info(variant)
        return replace(info, model=f"{info.model} LoRA")
