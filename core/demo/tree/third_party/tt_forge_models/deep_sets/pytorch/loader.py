# SPDX-License-Identifier: Apache-2.0
"""A network over unordered points that does not mind their order.

An ordinary passing model.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import DeepSets


class ModelVariant(StrEnum):
    """Available variants of the set network."""

    MEAN = "Mean"
    MAX = "Max"


class ModelLoader(ForgeModel):
    """Loads the set network."""

    _VARIANTS = {
        ModelVariant.MEAN: ModelConfig(pretrained_model_name="deep-sets-mean"),
        ModelVariant.MAX: ModelConfig(pretrained_model_name="deep-sets-max"),
    }
    DEFAULT_VARIANT = ModelVariant.MEAN

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="DeepSets",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_FE,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """DeepSets with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = DeepSets(pooling=str(self._variant).lower())
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A cloud of points: [batch, 64, 3]."""
        return random_normal(batch_size, 64, 3, dtype=dtype_override)
