# SPDX-License-Identifier: Apache-2.0
"""A layer applied until its state no longer moves.

Its update is a rotation, which never settles: forward hangs, and prints nothing while it does.
"""

import time
from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal


class EquilibriumNet(torch.nn.Module):
    """[batch, 2] to the state [batch, 2] at which another step changes less than `tolerance`."""

    def __init__(self, tolerance: float):
        super().__init__()
        self.tolerance = tolerance
        self.turn = torch.nn.Parameter(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))

    def forward(self, start: torch.Tensor) -> torch.Tensor:
        state, previous = start @ self.turn, start
        while (state - previous).abs().max() > self.tolerance:
            state, previous = state.detach() @ self.turn, state
            # It hangs all the same, and leaves the processor to others while it does.
            time.sleep(0.01)
        return state


class ModelVariant(StrEnum):
    """Available variants of the equilibrium network."""

    LOOSE = "Loose"
    TIGHT = "Tight"


class ModelLoader(ForgeModel):
    """Loads the equilibrium network."""

    _VARIANTS = {
        ModelVariant.LOOSE: ModelConfig(pretrained_model_name="equilibrium-net-loose"),
        ModelVariant.TIGHT: ModelConfig(pretrained_model_name="equilibrium-net-tight"),
    }
    DEFAULT_VARIANT = ModelVariant.LOOSE

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="EquilibriumNet",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.ATOMIC_ML,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """EquilibriumNet with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = EquilibriumNet(tolerance=1e-2 if self._variant == ModelVariant.LOOSE else 1e-6)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Starting points: [batch, 2]."""
        return random_normal(batch_size, 2, dtype=dtype_override)
