# SPDX-License-Identifier: Apache-2.0
"""A plain multilayer perceptron over flattened digits in flax.linen. Needs jax and flax; most loaders do without."""

from typing import Any, Optional

import jax
import jax.numpy as jnp
from flax import linen as nn

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum


class ModelVariant(StrEnum):
    """Available variants of the perceptron."""

    HIDDEN_64 = "Hidden_64"
    HIDDEN_256 = "Hidden_256"


class MLPClassifier(nn.Module):
    """From images [batch, 784] to logits [batch, 10]."""

    hidden: int
    dtype: Any = jnp.float32

    @nn.compact
    def __call__(self, images, train: bool = False):
        features = nn.gelu(nn.Dense(self.hidden, dtype=self.dtype, param_dtype=self.dtype)(images))
        return nn.Dense(10, dtype=self.dtype, param_dtype=self.dtype)(features)


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
        """Two layers; their parameters come from `get_input_parameters`."""
        hidden = 256 if self._variant == ModelVariant.HIDDEN_256 else 64
        return MLPClassifier(hidden, jnp.float32 if dtype_override is None else dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Digits: [batch, 784]."""
        digits = jax.random.normal(jax.random.PRNGKey(1), (batch_size, 784), jnp.float32)
        return digits if dtype_override is None else digits.astype(dtype_override)

    def get_input_parameters(self, dtype_override=None, train=False):
        """Parameters from a seed: the same values in each dtype, as near as it comes to them."""
        parameters = self.load_model().init(jax.random.PRNGKey(0), self.load_inputs(), train=train)
        dtype = jnp.float32 if dtype_override is None else dtype_override
        return jax.tree.map(lambda leaf: leaf.astype(dtype), parameters)
