# SPDX-License-Identifier: Apache-2.0
"""A plain multilayer perceptron over flattened digits in JAX. It needs jax, which the other loaders do without."""

from typing import Optional

import jax
import jax.numpy as jnp

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum


class ModelVariant(StrEnum):
    """Available variants of the perceptron."""

    HIDDEN_64 = "Hidden_64"
    HIDDEN_256 = "Hidden_256"


class MLPClassifier:
    """Calls like a function of parameters and images: [batch, 784] to [batch, 10]."""

    def __init__(self, hidden: int, dtype):
        first, second = jax.random.split(jax.random.PRNGKey(0))
        self.params = {
            "first": jax.random.normal(first, (784, hidden), dtype) / 28,
            "second": jax.random.normal(second, (hidden, 10), dtype) / hidden**0.5,
        }

    def __call__(self, images, *, params=None, train=False):
        params = self.params if params is None else params
        return jax.nn.gelu(images @ params["first"]) @ params["second"]


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
            framework=Framework.JAX,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """Two seeded layers, without biases."""
        hidden = 256 if self._variant == ModelVariant.HIDDEN_256 else 64
        return MLPClassifier(hidden, jnp.float32 if dtype_override is None else dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Digits: [batch, 784]."""
        dtype = jnp.float32 if dtype_override is None else dtype_override
        return jax.random.normal(jax.random.PRNGKey(1), (batch_size, 784), dtype)
