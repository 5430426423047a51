# SPDX-License-Identifier: Apache-2.0
"""A two-stage detector in small.

In training its forward wants targets, and the loader passes none: "targets should not be none when in training
mode". With a list of boxes and labels per image it returns losses, which the loader adds up.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import AnchorRcnn


class ModelVariant(StrEnum):
    """Available variants of the two-stage detector."""

    R18 = "R18"
    R34 = "R34"


class ModelLoader(ForgeModel):
    """Loads the two-stage detector."""

    _VARIANTS = {
        ModelVariant.R18: ModelConfig(pretrained_model_name="anchor-rcnn-18"),
        ModelVariant.R34: ModelConfig(pretrained_model_name="anchor-rcnn-34"),
    }
    DEFAULT_VARIANT = ModelVariant.R18

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="AnchorRCNN",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.CV_OBJECT_DET,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """AnchorRcnn with seeded weights, in eval mode."""
        torch.manual_seed(0)
        model = AnchorRcnn(depth=2 if self._variant == ModelVariant.R34 else 1)
        return cast_model_to_type(model.eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A batch of images: [batch, 3, 32, 32]."""
        return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)

    def unpack_forward_output(self, fwd_output):
        """The sum of the losses."""
        return torch.stack(list(fwd_output.values())).sum()
