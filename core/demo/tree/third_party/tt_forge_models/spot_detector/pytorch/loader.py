# SPDX-License-Identifier: Apache-2.0
"""A point detector that cannot be imported: `spot_postprocess` is gone from `tools/utils.py`.

A run does not fail because of it; its tests are simply not there.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal, spot_postprocess


class ModelVariant(StrEnum):
    """Available variants of the point detector."""

    N = "N"
    L = "L"


class ModelLoader(ForgeModel):
    """Loads the point detector."""

    _VARIANTS = {
        ModelVariant.N: ModelConfig(pretrained_model_name="spot-detector-n"),
        ModelVariant.L: ModelConfig(pretrained_model_name="spot-detector-l"),
    }
    DEFAULT_VARIANT = ModelVariant.N

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="SpotDetector",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_OBJECT_DET,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """One convolution with seeded weights, in eval mode."""
        torch.manual_seed(0)
        width = 16 if self._variant == ModelVariant.L else 8
        return cast_model_to_type(torch.nn.Conv2d(3, width, 3).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)

    @classmethod
    def decode_output(cls, **kwargs):
        """The points with the strongest answer."""
        return spot_postprocess(kwargs["outputs"])
