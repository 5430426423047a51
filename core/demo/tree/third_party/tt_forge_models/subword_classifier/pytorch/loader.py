# SPDX-License-Identifier: Apache-2.0
"""A bag of subwords with readable label names.

It brings a `requirements.txt`: with the package the labels are written in small letters with hyphens, without it they
stay as they are, and the model runs either way. pytest needs the package too, so that nothing has to be installed.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_tokens
from .src.labels import LABELS, readable

_VOCABULARY = {"subword-classifier-en": 256, "subword-classifier-multi": 1024}


class ModelVariant(StrEnum):
    """Available variants of the subword classifier."""

    EN = "En"
    MULTI = "Multi"


class ModelLoader(ForgeModel):
    """Loads the subword classifier."""

    _VARIANTS = {
        ModelVariant.EN: ModelConfig(pretrained_model_name="subword-classifier-en"),
        ModelVariant.MULTI: ModelConfig(pretrained_model_name="subword-classifier-multi"),
    }
    DEFAULT_VARIANT = ModelVariant.EN

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="Subword Classifier",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.NLP_TEXT_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """An embedding bag and a linear head with seeded weights, in eval mode."""
        torch.manual_seed(0)
        vocabulary = _VOCABULARY[self._variant_config.pretrained_model_name]
        model = torch.nn.Sequential(torch.nn.EmbeddingBag(vocabulary, 32), torch.nn.Linear(32, len(LABELS)))
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Subword ids: [batch, 32]."""
        vocabulary = _VOCABULARY[self._variant_config.pretrained_model_name]
        return random_tokens(batch_size, 32, vocabulary=vocabulary)

    @classmethod
    def decode_output(cls, **kwargs):
        """The name of the best label in each row."""
        return [readable(LABELS[index]) for index in kwargs["outputs"].argmax(dim=1).tolist()]
