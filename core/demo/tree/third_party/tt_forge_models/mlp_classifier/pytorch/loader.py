# SPDX-License-Identifier: Apache-2.0
"""A plain multilayer perceptron over flattened digits; the PyTorch twin of the JAX loader beside it."""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal


class ModelVariant(StrEnum):
    """Available variants of the perceptron."""

    HIDDEN_64 = "Hidden_64"
    HIDDEN_256 = "Hidden_256"


class ModelLoader(ForgeModel):
    """Loads the perceptron."""

    _VARIANTS = {
        ModelVariant.HIDDEN_64: ModelConfig(pretrained_model_name="mlp-classifier-64"),
        ModelVariant.HIDDEN_256: ModelConfig(pretrained_model_name="mlp-classifier-256"),
    }
    DEFAULT_VARIANT = ModelVariant.HIDDEN_64

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="MLPClassifier",
            variant=variant,
            group=ModelGroup.RED,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """Two linear layers with seeded weights, in eval mode."""
        torch.manual_seed(0)
        hidden = 256 if self._variant == ModelVariant.HIDDEN_256 else 64
        model = torch.nn.Sequential(
            torch.nn.Flatten(),
            torch.nn.Linear(784, hidden),
            torch.nn.GELU(),
            torch.nn.Linear(hidden, 10),
        )
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 1, 28, 28]."""
        return random_normal(batch_size, 1, 28, 28, dtype=dtype_override)
