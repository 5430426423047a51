# SPDX-License-Identifier: Apache-2.0
"""A gate of flax.linen that asks for a value while it is traced, which no compiler can answer."""

import jax
import jax.numpy as jnp
from flax import linen as nn

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask


class TopkGate(nn.Module):
    """From [batch, 16] to [batch, 4]."""

    @nn.compact
    def __call__(self, features, train: bool = False):
        scores = nn.Dense(4)(features)
        if scores.max() > 0:
            return scores / scores.max()
        return scores


class ModelLoader(ForgeModel):
    """Loads the gate."""

    @classmethod
    def _get_model_info(cls, variant=None) -> ModelInfo:
        return ModelInfo(
            model="TopkGate",
            variant="Base",
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.JAX,
        )

    def load_model(self, **kwargs):
        """One layer and the question."""
        return TopkGate()

    def load_inputs(self, **kwargs):
        """Features: [2, 16]."""
        return jax.random.normal(jax.random.PRNGKey(1), (2, 16), jnp.float32)

    def get_input_parameters(self, train=False):
        """Parameters from a seed."""
        return self.load_model().init(jax.random.PRNGKey(0), self.load_inputs())
