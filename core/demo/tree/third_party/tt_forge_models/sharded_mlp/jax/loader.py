# SPDX-License-Identifier: Apache-2.0
"""A perceptron that is spread over devices: its wide layer, or the batch. In flax.linen."""

from typing import Optional

import jax
import jax.numpy as jnp
from flax import linen as nn
from jax.sharding import PartitionSpec

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum

BATCH, WIDTH, HIDDEN, CLASSES = 8, 32, 64, 10


class ModelVariant(StrEnum):
    """What is split."""

    TENSOR = "Tensor_Split"
    BATCH = "Batch_Split"


class ShardedMLP(nn.Module):
    """From [batch, 32] to [batch, 10]. On several devices each has a part, and all have the whole result."""

    devices: int = 1
    axis: str = ""
    split_batch: bool = False

    @nn.compact
    def __call__(self, x, train: bool = False):
        split = self.devices > 1 and not self.split_batch
        dense = nn.Dense(HIDDEN)
        if split:
            kernel = nn.with_partitioning(nn.initializers.lecun_normal(), (None, self.axis))
            bias = nn.with_partitioning(nn.initializers.zeros_init(), (self.axis,))
            dense = nn.Dense(HIDDEN // self.devices, kernel_init=kernel, bias_init=bias)
        x = nn.relu(dense(x))
        if split:
            x = jax.lax.all_gather(x, self.axis, axis=1, tiled=True)
        x = nn.Dense(CLASSES)(x)
        if self.devices > 1 and self.split_batch:
            x = jax.lax.all_gather(x, self.axis, axis=0, tiled=True)
        return x


class ModelLoader(ForgeModel):
    """Loads the perceptron, for one device or for several."""

    _VARIANTS = {
        ModelVariant.TENSOR: ModelConfig(pretrained_model_name="sharded-mlp-tensor"),
        ModelVariant.BATCH: ModelConfig(pretrained_model_name="sharded-mlp-batch"),
    }
    DEFAULT_VARIANT = ModelVariant.TENSOR

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="ShardedMLP",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM,
            framework=Framework.JAX,
        )

    def load_model(self, **kwargs):
        """The whole of it, for one device."""
        return ShardedMLP()

    def load_multichip_model(self, axis_name="X", num_devices=2, train_mode=False):
        """The part of one of `num_devices`."""
        return ShardedMLP(num_devices, axis_name, self._variant == ModelVariant.BATCH)

    def load_inputs(self, mesh=None):
        """Features: [8, 32]."""
        return jax.random.normal(jax.random.PRNGKey(1), (BATCH, WIDTH), jnp.float32)

    def get_input_parameters(self, train=False):
        """Parameters from a seed, for one device."""
        return self.load_model().init(jax.random.PRNGKey(0), self.load_inputs())

    def get_input_activations_partition_spec(self, mesh, axis_name="X", parallelism=None):
        """Every device has all inputs, or its share of the batch."""
        return (PartitionSpec(axis_name) if self._variant == ModelVariant.BATCH else PartitionSpec(),)

    def load_parameters_partition_spec(
        self, model_for_multichip=None, cpu_mesh=None, input_activations_partition_specs=None, inputs=None, **kwargs
    ):
        """The wide layer is split by columns, as the model itself says."""
        from infra.utilities import make_flax_linen_parameters_partition_specs_on_cpu

        return make_flax_linen_parameters_partition_specs_on_cpu(
            model_for_multichip, cpu_mesh, input_activations_partition_specs, inputs
        )

    def load_parameters(
        self,
        train=False,
        inputs=None,
        model_for_multichip=None,
        cpu_mesh=None,
        input_activations_partition_specs=None,
        input_parameters_partition_specs=None,
    ):
        """Parameters from a seed, made on the mesh."""
        from infra.utilities import initialize_flax_linen_parameters_on_cpu

        return initialize_flax_linen_parameters_on_cpu(
            model_for_multichip,
            input_activations_partition_specs,
            inputs,
            input_parameters_partition_specs,
            cpu_mesh,
            0,
        )
