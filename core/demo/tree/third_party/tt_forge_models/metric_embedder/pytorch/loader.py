# SPDX-License-Identifier: Apache-2.0
"""An image embedder that ends in batch normalisation.

The loader takes no batch size and always gives one image, which batch normalisation cannot learn from: "Expected
more than 1 value per channel when training". Inference is fine.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import MetricEmbedder


class ModelVariant(StrEnum):
    """Available variants of the embedder."""

    DIM_32 = "Dim_32"
    DIM_64 = "Dim_64"


class ModelLoader(ForgeModel):
    """Loads the embedder."""

    _VARIANTS = {
        ModelVariant.DIM_32: ModelConfig(pretrained_model_name="metric-embedder-32"),
        ModelVariant.DIM_64: ModelConfig(pretrained_model_name="metric-embedder-64"),
    }
    DEFAULT_VARIANT = ModelVariant.DIM_32

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="MetricEmbedder",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_FE,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """MetricEmbedder with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = MetricEmbedder(dimensions=64 if self._variant == ModelVariant.DIM_64 else 32)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None):
        """One image: [1, 3, 16, 16]."""
        return random_normal(1, 3, 16, 16, dtype=dtype_override)
