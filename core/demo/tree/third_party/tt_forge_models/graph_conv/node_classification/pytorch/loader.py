# SPDX-License-Identifier: Apache-2.0
"""Two graph convolutions on a fixed ring of nodes.

An ordinary passing model in a nested directory.
"""

from typing import Optional

import torch

from ....base import ForgeModel
from ....config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ....tools.utils import cast_model_to_type, random_normal
from .src.model import GraphConv


class ModelVariant(StrEnum):
    """Available variants of the graph network."""

    RING_16 = "Ring_16"
    RING_64 = "Ring_64"


class ModelLoader(ForgeModel):
    """Loads the graph network."""

    _VARIANTS = {
        ModelVariant.RING_16: ModelConfig(pretrained_model_name="graph-conv-ring-16"),
        ModelVariant.RING_64: ModelConfig(pretrained_model_name="graph-conv-ring-64"),
    }
    DEFAULT_VARIANT = ModelVariant.RING_16

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="GraphConv",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.ATOMIC_ML,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """GraphConv with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = GraphConv(nodes=16 if self._variant == ModelVariant.RING_16 else 64)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """Features per node: [batch, nodes, 8]."""
        nodes = 16 if self._variant == ModelVariant.RING_16 else 64
        return random_normal(batch_size, nodes, 8, dtype=dtype_override)
