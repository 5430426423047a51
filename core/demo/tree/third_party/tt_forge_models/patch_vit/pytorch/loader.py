# SPDX-License-Identifier: Apache-2.0
"""A vision transformer at toy size.

Its variants are in a dictionary of the module, which the class names. Its output class is one that
`training_utils` knows.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import PatchViT

_SIZES = {"patch-vit-tiny-8": (8, 32), "patch-vit-tiny-4": (4, 32), "patch-vit-small-8": (8, 64)}


class ModelVariant(StrEnum):
    """Available variants of the vision transformer."""

    TINY_PATCH8 = "Tiny_Patch8"
    TINY_PATCH4 = "Tiny_Patch4"
    SMALL_PATCH8 = "Small_Patch8"


_VARIANTS = {
    ModelVariant.TINY_PATCH8: ModelConfig(pretrained_model_name="patch-vit-tiny-8"),
    ModelVariant.TINY_PATCH4: ModelConfig(pretrained_model_name="patch-vit-tiny-4"),
    ModelVariant.SMALL_PATCH8: ModelConfig(pretrained_model_name="patch-vit-small-8"),
}


class ModelLoader(ForgeModel):
    """Loads the vision transformer."""

    _VARIANTS = _VARIANTS
    DEFAULT_VARIANT = ModelVariant.TINY_PATCH8

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="PatchViT",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """PatchViT with seeded weights, in eval mode."""
        torch.manual_seed(0)
        patch, width = _SIZES[self._variant_config.pretrained_model_name]
        return cast_model_to_type(PatchViT(patch=patch, width=width).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return {"pixel_values": random_normal(batch_size, 3, 32, 32, dtype=dtype_override)}
