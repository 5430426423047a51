# SPDX-License-Identifier: Apache-2.0
"""Few-shot classification by distance to prototypes.

`torch.cdist` has no bfloat16 kernel on CPU, so bfloat16 fails: "cdist" not implemented for 'BFloat16'. In float32
forward and backward are fine.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import PrototypeNet


class ModelVariant(StrEnum):
    """Available variants of the prototype network."""

    WAY_5 = "Way_5"
    WAY_20 = "Way_20"


class ModelLoader(ForgeModel):
    """Loads the prototype network."""

    _VARIANTS = {
        ModelVariant.WAY_5: ModelConfig(pretrained_model_name="prototype-net-5"),
        ModelVariant.WAY_20: ModelConfig(pretrained_model_name="prototype-net-20"),
    }
    DEFAULT_VARIANT = ModelVariant.WAY_5

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="PrototypeNet",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """PrototypeNet with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = PrototypeNet(ways=20 if self._variant == ModelVariant.WAY_20 else 5)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Queries: [batch, 32]."""
        return random_normal(batch_size, 32, dtype=dtype_override)
