# SPDX-License-Identifier: Apache-2.0
"""A texture classifier that computes the variance as the mean of squares minus the square of the mean.

With pixels far from zero, bfloat16 has no digits left for the difference: it runs, and its numbers have little to
do with float32.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_input_to_type, cast_model_to_type, random_normal
from .src.model import VariancePool


class ModelVariant(StrEnum):
    """Available variants of the texture classifier."""

    GRAY = "Gray"
    RGB = "Rgb"


class ModelLoader(ForgeModel):
    """Loads the texture classifier."""

    _VARIANTS = {
        ModelVariant.GRAY: ModelConfig(pretrained_model_name="variance-pool-gray"),
        ModelVariant.RGB: ModelConfig(pretrained_model_name="variance-pool-rgb"),
    }
    DEFAULT_VARIANT = ModelVariant.GRAY

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="VariancePool",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """VariancePool with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = VariancePool(channels=self._channels)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Images with pixels around 300: [batch, channels, 32, 32]."""
        image = 300 + random_normal(batch_size, self._channels, 32, 32)
        return cast_input_to_type(image, dtype_override)

    @property
    def _channels(self):
        return 3 if self._variant == ModelVariant.RGB else 1
