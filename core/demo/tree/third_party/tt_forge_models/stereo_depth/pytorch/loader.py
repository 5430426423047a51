# SPDX-License-Identifier: Apache-2.0
"""Depth from two images.

It returns the `DepthMapOutput` of `depth_unet`: a handler registered for one serves both.
"""

import torch

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask
from ...depth_unet.pytorch.src.model import DepthMapOutput
from ...tools.utils import cast_model_to_type, random_normal


class StereoDepth(torch.nn.Module):
    """Two images [batch, 3, height, width] to distances up to ten metres."""

    def __init__(self):
        super().__init__()
        self.encode = torch.nn.Conv2d(6, 8, 3, padding=1)
        self.decode = torch.nn.Conv2d(8, 1, 1)

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> DepthMapOutput:
        features = torch.relu(self.encode(torch.cat([left, right], dim=1)))
        return DepthMapOutput(10 * torch.sigmoid(self.decode(features)).squeeze(1), features)


class ModelLoader(ForgeModel):
    """Loads the stereo model."""

    @classmethod
    def _get_model_info(cls, variant=None) -> ModelInfo:
        return ModelInfo(
            model="StereoDepth",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_DEPTH_EST,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """StereoDepth with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(StereoDepth().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """The left and the right image: [batch, 3, 24, 32] each."""
        return [random_normal(batch_size, 3, 24, 32, dtype=dtype_override, seed=seed) for seed in (0, 1)]
