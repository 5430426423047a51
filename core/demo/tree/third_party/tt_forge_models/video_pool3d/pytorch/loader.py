# SPDX-License-Identifier: Apache-2.0
"""A clip classifier with 3D average pooling, which has no bfloat16 kernel on CPU.

In bfloat16 it fails: "avg_pool3d_out_frame" not implemented for 'BFloat16'. In float32 forward and backward are fine.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import VideoPool3d


class ModelVariant(StrEnum):
    """Available variants of the clip classifier."""

    CLIP_4 = "Clip_4"
    CLIP_8 = "Clip_8"


class ModelLoader(ForgeModel):
    """Loads the clip classifier."""

    _VARIANTS = {
        ModelVariant.CLIP_4: ModelConfig(pretrained_model_name="video-pool3d-4"),
        ModelVariant.CLIP_8: ModelConfig(pretrained_model_name="video-pool3d-8"),
    }
    DEFAULT_VARIANT = ModelVariant.CLIP_4

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="VideoPool3D",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_VIDEO_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """VideoPool3d with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(VideoPool3d().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A clip: [batch, 3, frames, 16, 16]."""
        frames = 4 if self._variant == ModelVariant.CLIP_4 else 8
        return random_normal(batch_size, 3, frames, 16, 16, dtype=dtype_override)
