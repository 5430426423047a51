# SPDX-License-Identifier: Apache-2.0
"""Depth from one image.

Its forward returns a `DepthMapOutput`, a class that no handler is registered for, so training ends with "No handler
for class DepthMapOutput exists". The map, `predicted_depth`, is the part to use.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import DepthUNet


class ModelVariant(StrEnum):
    """Available variants of the depth model."""

    INDOOR = "Indoor"
    OUTDOOR = "Outdoor"


class ModelLoader(ForgeModel):
    """Loads the depth model."""

    _VARIANTS = {
        ModelVariant.INDOOR: ModelConfig(pretrained_model_name="depth-unet-indoor"),
        ModelVariant.OUTDOOR: ModelConfig(pretrained_model_name="depth-unet-outdoor"),
    }
    DEFAULT_VARIANT = ModelVariant.INDOOR

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="DepthUNet",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_DEPTH_EST,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """DepthUNet with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = DepthUNet(farthest=10.0 if self._variant == ModelVariant.INDOOR else 80.0)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)
