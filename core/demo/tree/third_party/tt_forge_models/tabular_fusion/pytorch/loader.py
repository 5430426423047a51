# SPDX-License-Identifier: Apache-2.0
"""An image joined with a row of a table.

`load_inputs` builds the row with `torch.zeros` and no dtype, so in bfloat16 the two halves do not fit: "mat1 and
mat2 must have the same dtype". In float32 everything is fine.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import TabularFusion


class ModelVariant(StrEnum):
    """Available variants of the fusion model."""

    SMALL = "Small"
    LARGE = "Large"


class ModelLoader(ForgeModel):
    """Loads the fusion model."""

    _VARIANTS = {
        ModelVariant.SMALL: ModelConfig(pretrained_model_name="tabular-fusion-small"),
        ModelVariant.LARGE: ModelConfig(pretrained_model_name="tabular-fusion-large"),
    }
    DEFAULT_VARIANT = ModelVariant.SMALL

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="Tabular Fusion",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """TabularFusion with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = TabularFusion(width=32 if self._variant == ModelVariant.LARGE else 16)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """An image [batch, 3, 16, 16] and a row [batch, 6] of the table."""
        image = random_normal(batch_size, 3, 16, 16, dtype=dtype_override)
        row = torch.zeros(batch_size, 6)
        return {"image": image, "row": row}
