# SPDX-License-Identifier: Apache-2.0
"""A small language model with all there is to test of one: training, decode steps and prompts of many lengths.

It passes everywhere. One variant is of group priority.
"""

from typing import Optional

import torch

from ....base import ForgeModel, ForgePrefillModel
from ....config import Framework, LLMModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ....tools.utils import cast_model_to_type, random_normal, random_tokens
from .src.model import NanoLM

_VOCABULARY = 256
_PAST_SHAPE = (2, 32, 16)


class ModelVariant(StrEnum):
    """Available variants of the language model."""

    NANO_1L = "Nano_1L"
    NANO_2L = "Nano_2L"
    NANO_2L_INSTRUCT = "Nano_2L_Instruct"


class ModelLoader(ForgeModel):
    """Loads the language model, for training and for decode steps."""

    _VARIANTS = {
        ModelVariant.NANO_1L: LLMModelConfig(pretrained_model_name="nano-lm/nano-1l", max_length=64),
        ModelVariant.NANO_2L: LLMModelConfig(pretrained_model_name="nano-lm/nano-2l", max_length=64),
        ModelVariant.NANO_2L_INSTRUCT: LLMModelConfig(pretrained_model_name="nano-lm/nano-2l-instruct", max_length=64),
    }
    DEFAULT_VARIANT = ModelVariant.NANO_1L

    @classmethod
    def _get_model_info(cls, variant: Optional[ModelVariant] = None) -> ModelInfo:
        return ModelInfo(
            model="NanoLM",
            variant=variant,
            group=ModelGroup.PRIORITY if variant == ModelVariant.NANO_2L_INSTRUCT else ModelGroup.RED,
            task=ModelTask.NLP_CAUSAL_LM,
            source=ModelSource.CUSTOM,
            framework=Framework.TORCH,
        )

    @property
    def _layers(self) -> int:
        return 1 if self._variant == ModelVariant.NANO_1L else 2

    def load_model(self, *, dtype_override=None, **kwargs):
        """NanoLM with seeded weights, in eval mode."""
        torch.manual_seed(0)
        return cast_model_to_type(NanoLM(self._layers, vocabulary=_VOCABULARY).eval(), dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=1):
        """A prompt: [batch, max_length]."""
        return {"input_ids": random_tokens(batch_size, self._variant_config.max_length, vocabulary=_VOCABULARY)}

    def load_inputs_decode(self, dtype_override=None, batch_size=1):
        """One new token, [batch, 1], and the keys and values of the tokens before it."""
        heads, tokens, width = _PAST_SHAPE
        past = random_normal(self._layers, 2, batch_size, heads, tokens, width, dtype=dtype_override)
        return {"input_ids": random_tokens(batch_size, 1, vocabulary=_VOCABULARY), "past": past}

    def get_mesh_config(self, num_devices: int):
        """All devices along the axis that weights are split over."""
        return (1, num_devices), ("batch", "model")

    def load_shard_spec(self, model):
        """Projections into the blocks split by output, projections out of them by input."""
        return _shard_spec(model, None)


class ModelLoaderPrefill(ModelLoader, ForgePrefillModel):
    """Loads prompts of a given length for the variants that are tested over meshes and strategies."""

    _VARIANTS = {
        ModelVariant.NANO_2L: ModelLoader._VARIANTS[ModelVariant.NANO_2L],
    }
    DEFAULT_VARIANT = ModelVariant.NANO_2L

    def load_inputs_prefill(self, dtype_override=None, batch_size=1, seq_len=128):
        """A prompt of `seq_len` tokens: [batch, seq_len]."""
        return {"input_ids": random_tokens(batch_size, seq_len, vocabulary=_VOCABULARY)}

    def load_shard_spec(self, model, strategy="fsdp", batch_axis="batch"):
        """As above; fsdp splits the other dimension as well, over `batch_axis`."""
        return _shard_spec(model, batch_axis if strategy == "fsdp" else None)


def _shard_spec(model: torch.nn.Module, other_axis: Optional[str]) -> dict:
    into, out_of = ("q_proj", "k_proj", "v_proj", "up_proj"), ("o_proj", "down_proj")
    spec = {}
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        if parts[-1] != "weight":
            continue
        if any(part in into for part in parts):
            spec[parameter] = ("model", other_axis)
        elif any(part in out_of for part in parts):
            spec[parameter] = (other_axis, "model")
    return spec
