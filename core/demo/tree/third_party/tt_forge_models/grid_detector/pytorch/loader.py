# SPDX-License-Identifier: Apache-2.0
"""A detector with one head per scale.

Its forward returns a plain list and the loader does not say which tensor to use, so training ends with "No
handler for class list exists in `unpack_forward_output`."
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import GridDetector


class ModelVariant(StrEnum):
    """Available variants of the detector."""

    N = "N"
    S = "S"
    M = "M"


class ModelLoader(ForgeModel):
    """Loads the detector."""

    _VARIANTS = {
        ModelVariant.N: ModelConfig(pretrained_model_name="grid-detector-n"),
        ModelVariant.S: ModelConfig(pretrained_model_name="grid-detector-s"),
        ModelVariant.M: ModelConfig(pretrained_model_name="grid-detector-m"),
    }
    DEFAULT_VARIANT = ModelVariant.N

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="GridDetector",
            variant=variant,
            group=ModelGroup.RED,
            task=ModelTask.CV_OBJECT_DET,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """GridDetector with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = GridDetector(width={"N": 8, "S": 16, "M": 24}[str(self._variant)])
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 64, 64]."""
        return random_normal(batch_size, 3, 64, 64, dtype=dtype_override)
