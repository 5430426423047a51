# SPDX-License-Identifier: Apache-2.0
"""An encoder and decoder for translation.

The loader passes the source only, and the decoder has nothing to start from: "You have to specify either
decoder_input_ids or decoder_inputs_embeds". Both modes fail.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_tokens
from .src.model import Seq2SeqMini


class ModelVariant(StrEnum):
    """Available variants of the translator."""

    EN_DE = "En_De"
    EN_SR = "En_Sr"


class ModelLoader(ForgeModel):
    """Loads the translator."""

    _VARIANTS = {
        ModelVariant.EN_DE: ModelConfig(pretrained_model_name="seq2seq-mini-en-de"),
        ModelVariant.EN_SR: ModelConfig(pretrained_model_name="seq2seq-mini-en-sr"),
    }
    DEFAULT_VARIANT = ModelVariant.EN_DE

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="Seq2Seq Mini",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.NLP_TRANSLATION,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """Seq2SeqMini with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(Seq2SeqMini().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Source tokens: [batch, 16]."""
        return {"input_ids": random_tokens(batch_size, 16, vocabulary=64)}
