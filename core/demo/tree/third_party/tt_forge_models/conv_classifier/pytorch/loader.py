# SPDX-License-Identifier: Apache-2.0
"""A small convolutional classifier.

It passes in every mode and dtype, in all of its variants.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import ConvClassifier

_WIDTHS = {"conv-classifier-8": 8, "conv-classifier-16": 16, "conv-classifier-32": 32, "conv-classifier-64": 64}


class ModelVariant(StrEnum):
    """Available variants of the convolutional classifier."""

    WIDTH_8 = "Width_8"
    WIDTH_16 = "Width_16"
    WIDTH_32 = "Width_32"
    WIDTH_64 = "Width_64"


class ModelLoader(ForgeModel):
    """Loads the convolutional classifier."""

    _VARIANTS = {
        ModelVariant.WIDTH_8: ModelConfig(pretrained_model_name="conv-classifier-8"),
        ModelVariant.WIDTH_16: ModelConfig(pretrained_model_name="conv-classifier-16"),
        ModelVariant.WIDTH_32: ModelConfig(pretrained_model_name="conv-classifier-32"),
        ModelVariant.WIDTH_64: ModelConfig(pretrained_model_name="conv-classifier-64"),
    }
    DEFAULT_VARIANT = ModelVariant.WIDTH_8

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="ConvClassifier",
            variant=variant,
            group=ModelGroup.RED,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """ConvClassifier with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = ConvClassifier(_WIDTHS[self._variant_config.pretrained_model_name])
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)
