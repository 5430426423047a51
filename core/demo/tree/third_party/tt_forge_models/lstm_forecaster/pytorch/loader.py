# SPDX-License-Identifier: Apache-2.0
"""A recurrent network that continues a time series.

An ordinary passing model; `unpack_forward_output` is its own, because a recurrent network returns its state
besides.
"""

from typing import Optional

import torch

from ...base import ForgeModel
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...tools.utils import cast_model_to_type, random_normal
from .src.model import LstmForecaster


class ModelVariant(StrEnum):
    """Available variants of the forecaster."""

    HOURLY = "Hourly"
    DAILY = "Daily"


class ModelLoader(ForgeModel):
    """Loads the forecaster."""

    _VARIANTS = {
        ModelVariant.HOURLY: ModelConfig(pretrained_model_name="lstm-forecaster-hourly"),
        ModelVariant.DAILY: ModelConfig(pretrained_model_name="lstm-forecaster-daily"),
    }
    DEFAULT_VARIANT = ModelVariant.HOURLY

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="LSTM Forecaster",
            variant=variant,
            group=ModelGroup.GENERALITY,
            task=ModelTask.ATOMIC_ML,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        """LstmForecaster with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(LstmForecaster().eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A window of observations: [batch, steps, 4], one step per hour or day."""
        steps = 24 if self._variant == ModelVariant.HOURLY else 7
        return random_normal(batch_size, steps, 4, dtype=dtype_override)

    def unpack_forward_output(self, fwd_output):
        """The forecast; the final state is not trained on."""
        forecast, _state = fwd_output
        return forecast
