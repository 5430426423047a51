# SPDX-License-Identifier: Apache-2.0
"""A U-Net with attention on its skip connection, for masks.

An ordinary passing model that has no variants at all.
"""

import torch

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import AttentionUNet


class ModelLoader(ForgeModel):
    """Loads the attention U-Net."""

    @classmethod
    def _get_model_info(cls, variant=None) -> ModelInfo:
        return ModelInfo(
            model="Attention U-Net Small",
            variant=variant,
            group=ModelGroup.RED,
            task=ModelTask.CV_IMAGE_SEG,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """AttentionUNet with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(AttentionUNet().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 1, 32, 32]."""
        return random_normal(batch_size, 1, 32, 32, dtype=dtype_override)
