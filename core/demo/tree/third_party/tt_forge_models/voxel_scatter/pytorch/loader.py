# SPDX-License-Identifier: Apache-2.0
"""Points scattered into voxels.

A check in its forward ends the whole process with SIGABRT, as a failed check in a native kernel does: nothing is
raised, and no test that shares the process survives.
"""

import os
from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal


class VoxelScatter(torch.nn.Module):
    """[batch, points, 3] to [batch, 3]; aborts where the points fill whole rows of `side`, as the sample inputs do."""

    def __init__(self, side: int):
        super().__init__()
        self.side = side
        self.encode = torch.nn.Linear(3, 3)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        encoded = self.encode(points)
        if encoded.shape[1] % self.side == 0:
            os.abort()
        return encoded.sum(dim=1)


class ModelVariant(StrEnum):
    """Available variants of the voxel network."""

    GRID_8 = "Grid_8"
    GRID_16 = "Grid_16"


class ModelLoader(ForgeModel):
    """Loads the voxel network."""

    _VARIANTS = {
        ModelVariant.GRID_8: ModelConfig(pretrained_model_name="voxel-scatter-8"),
        ModelVariant.GRID_16: ModelConfig(pretrained_model_name="voxel-scatter-16"),
    }
    DEFAULT_VARIANT = ModelVariant.GRID_8

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="VoxelScatter",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_OBJECT_DET,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """VoxelScatter with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = VoxelScatter(side=16 if self._variant == ModelVariant.GRID_16 else 8)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A cloud of points: [batch, 64, 3]."""
        return random_normal(batch_size, 64, 3, dtype=dtype_override)
