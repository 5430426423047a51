# SPDX-License-Identifier: Apache-2.0
"""Convolutions over word embeddings for sentence classification.

An ordinary passing model.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_tokens
from .src.model import TextCnn


class ModelVariant(StrEnum):
    """Available variants of the text classifier."""

    BASE = "Base"
    WIDE = "Wide"


class ModelLoader(ForgeModel):
    """Loads the text classifier."""

    _VARIANTS = {
        ModelVariant.BASE: ModelConfig(pretrained_model_name="text-cnn-base"),
        ModelVariant.WIDE: ModelConfig(pretrained_model_name="text-cnn-wide"),
    }
    DEFAULT_VARIANT = ModelVariant.BASE

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="TextCNN",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.NLP_TEXT_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """TextCnn with seeded weights, in eval mode."""
        torch.manual_seed(0)
        width = 64 if self._variant == ModelVariant.WIDE else 32
        return cast_model_to_type(TextCnn(width).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Token ids: [batch, 24]."""
        return {"input_ids": random_tokens(batch_size, 24, vocabulary=128)}
