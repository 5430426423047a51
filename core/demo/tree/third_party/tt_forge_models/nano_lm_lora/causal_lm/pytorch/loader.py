# SPDX-License-Identifier: Apache-2.0
"""NanoLM with low-rank adapters. Variants, inputs and phases are those of the base loader; nothing is repeated here."""

from ....nano_lm.causal_lm.pytorch.loader import ModelLoader as _NanoLMLoader
from ....nano_lm.causal_lm.pytorch.loader import ModelLoaderPrefill as _NanoLMLoaderPrefill
from ....nano_lm.causal_lm.pytorch.loader import ModelVariant
from ....tools.lora import LoraConfig, LoRAModelMixin

_LORA_CONFIGS = {
    ModelVariant.NANO_2L_INSTRUCT: LoraConfig(r=2, lora_alpha=4.0, target_modules=("q_proj", "v_proj")),
}


class ModelLoader(LoRAModelMixin, _NanoLMLoader):
    """Loads the language model with adapters."""

    _LORA_CONFIGS = _LORA_CONFIGS


class ModelLoaderPrefill(LoRAModelMixin, _NanoLMLoaderPrefill):
    """Loads it for prompts of a given length."""

    _LORA_CONFIGS = _LORA_CONFIGS
