# SPDX-License-Identifier: Apache-2.0
"""A layer of flax.nnx whose logarithm of a negative number is no number: no two results are ever equal."""

import jax
import jax.numpy as jnp
from flax import nnx

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask


class LogRatio(nnx.Module):
    """From [batch, 16] to [batch, 4]."""

    def __init__(self, rngs: nnx.Rngs):
        self.layer = nnx.Linear(16, 4, rngs=rngs)

    def __call__(self, features):
        return jnp.log(self.layer(features))


class ModelLoader(ForgeModel):
    """Loads the layer."""

    @classmethod
    def _get_model_info(cls, variant=None) -> ModelInfo:
        return ModelInfo(
            model="LogRatio",
            variant="Base",
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.JAX,
        )

    def load_model(self, **kwargs):
        """A seeded layer."""
        return LogRatio(nnx.Rngs(0))

    def load_inputs(self, **kwargs):
        """Features by name: [2, 16]."""
        return {"features": jax.random.normal(jax.random.PRNGKey(1), (2, 16), jnp.float32)}
