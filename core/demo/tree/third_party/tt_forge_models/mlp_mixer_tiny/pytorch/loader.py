# SPDX-License-Identifier: Apache-2.0
"""MLP-Mixer at toy size: token mixing and channel mixing.

An ordinary passing model.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import MlpMixer


class ModelVariant(StrEnum):
    """Available variants of the mixer."""

    S_8 = "S_8"
    S_4 = "S_4"
    B_8 = "B_8"


class ModelLoader(ForgeModel):
    """Loads the mixer."""

    _VARIANTS = {
        ModelVariant.S_8: ModelConfig(pretrained_model_name="mlp-mixer-tiny/s-8"),
        ModelVariant.S_4: ModelConfig(pretrained_model_name="mlp-mixer-tiny/s-4"),
        ModelVariant.B_8: ModelConfig(pretrained_model_name="mlp-mixer-tiny/b-8"),
    }
    DEFAULT_VARIANT = ModelVariant.S_8

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        if variant is None:
            variant = cls.DEFAULT_VARIANT
        group = ModelGroup.RED if variant in (ModelVariant.S_8, ModelVariant.S_4) else ModelGroup.GENERALITY
        return ModelInfo(
            model="MLP-Mixer Tiny",
            variant=variant,
            group=group,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """MlpMixer with seeded weights, in eval mode."""
        torch.manual_seed(0)
        patch = 4 if self._variant == ModelVariant.S_4 else 8
        width = 64 if self._variant == ModelVariant.B_8 else 32
        return cast_model_to_type(MlpMixer(patch=patch, width=width).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)
