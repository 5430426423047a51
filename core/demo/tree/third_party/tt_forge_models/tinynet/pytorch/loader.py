# SPDX-License-Identifier: Apache-2.0
"""A mobile-style classifier whose variant names hold a dash, a dot, a plus and a slash, as names from model hubs do.

It passes everywhere.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import TinyNet


class ModelVariant(StrEnum):
    """Available variants of TinyNet."""

    V1_5 = "tiny/net-v1.5"
    V1_5_AUG = "tiny/net-v1.5+aug"
    V2 = "net.v2"
    V2_EMA = "net-v2+ema"


class ModelLoader(ForgeModel):
    """Loads TinyNet."""

    _VARIANTS = {
        ModelVariant.V1_5: ModelConfig(pretrained_model_name="tiny/net-v1.5"),
        ModelVariant.V1_5_AUG: ModelConfig(pretrained_model_name="tiny/net-v1.5-aug"),
        ModelVariant.V2: ModelConfig(pretrained_model_name="tiny/net-v2"),
        ModelVariant.V2_EMA: ModelConfig(pretrained_model_name="tiny/net-v2-ema"),
    }
    DEFAULT_VARIANT = ModelVariant.V1_5

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="TinyNet",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """TinyNet with seeded weights, in eval mode. The variants differ in their weights and in their depth."""
        torch.manual_seed(list(self._VARIANTS).index(self._variant))
        depth = 2 if self._variant in (ModelVariant.V2, ModelVariant.V2_EMA) else 1
        return cast_model_to_type(TinyNet(depth).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)
