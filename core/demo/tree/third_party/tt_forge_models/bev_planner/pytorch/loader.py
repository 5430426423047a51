# SPDX-License-Identifier: Apache-2.0
"""A driving planner over camera views.

It has an enum and a default variant but no `_VARIANTS`, so it is tested once, without a variant in the id, and its
model name says None where the variant would be. It passes.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import BevPlanner


class ModelVariant(StrEnum):
    """Available variants of the planner."""

    BASE = "Base"


class ModelLoader(ForgeModel):
    """Loads the planner."""

    DEFAULT_VARIANT = ModelVariant.BASE

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="BEVPlanner",
            variant=variant,
            group=ModelGroup.RED,
            task=ModelTask.MM_ACTION_PREDICTION,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """BevPlanner with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(BevPlanner().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Six camera views, [batch, 6, 3, 16, 16], and the speed, [batch, 1]."""
        views = random_normal(batch_size, 6, 3, 16, 16, dtype=dtype_override)
        speed = random_normal(batch_size, 1, dtype=dtype_override, seed=1)
        return {"views": views, "speed": speed}
