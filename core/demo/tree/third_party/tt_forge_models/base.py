# SPDX-License-Identifier: Apache-2.0
"""The interface every loader fills in: a model, its inputs, and what to call it."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Optional

import torch

from .config import ModelConfig, ModelInfo, StrEnum
from .training_utils import unpack_forward_output


class ForgeModel(ABC):
    """Loads one variant of one model. A subclass names its variants in `_VARIANTS`, or has none."""

    _VARIANTS: dict[StrEnum, ModelConfig] = {}
    DEFAULT_VARIANT: Optional[StrEnum] = None

    def __init__(self, variant: Optional[StrEnum] = None):
        self._variant = self._validate_variant(variant)
        self._variant_config = self.get_variant_config(variant)

    @classmethod
    def query_available_variants(cls) -> dict[StrEnum, ModelConfig]:
        """Every variant with its configuration; empty for a model without variants."""
        return cls._VARIANTS or {}

    @classmethod
    def _validate_variant(cls, variant: Optional[StrEnum] = None) -> Optional[StrEnum]:
        """The variant meant by `variant`; None where the model has none.

        Raises TypeError for a member of another enum and ValueError for one that is not offered.
        """
        if not cls._VARIANTS:
            return None
        chosen = cls.DEFAULT_VARIANT if variant is None else variant
        expected = type(cls.DEFAULT_VARIANT)
        if not isinstance(chosen, expected):
            raise TypeError(f"{cls.__name__} takes a {expected.__name__}, not {type(chosen).__name__}: {chosen!r}")
        if chosen not in cls._VARIANTS:
            offered = ", ".join(str(one) for one in cls._VARIANTS)
            raise ValueError(f"{cls.__name__} has no variant {chosen}; it has {offered}")
        return chosen

    @classmethod
    def get_variant_config(cls, variant: Optional[StrEnum] = None) -> Optional[ModelConfig]:
        """The configuration of `variant`; None where the model has no variants."""
        chosen = cls._validate_variant(variant)
        return None if chosen is None else cls._VARIANTS[chosen]

    @classmethod
    def get_model_info(cls, variant: Optional[StrEnum] = None) -> ModelInfo:
        """What reports say about `variant`, with the clean name taken from its configuration."""
        chosen = cls._validate_variant(variant)
        info = cls._get_model_info(chosen)
        config = cls.get_variant_config(chosen)
        if info.model_name_clean is None and config is not None:
            return replace(info, model_name_clean=config.model_name_clean)
        return info

    @classmethod
    @abstractmethod
    def _get_model_info(cls, variant: Optional[StrEnum] = None) -> ModelInfo:
        """What reports say about `variant`, which has been validated."""

    @abstractmethod
    def load_model(self, **kwargs):
        """The model, in the dtype asked for."""

    @abstractmethod
    def load_inputs(self, **kwargs):
        """Sample inputs: one tensor, a sequence of them, or a mapping by argument name."""

    def unpack_forward_output(self, fwd_output: Any) -> torch.Tensor:
        """The tensor that backward starts from. Override it where the class of the output does not tell."""
        return unpack_forward_output(fwd_output)

    @classmethod
    def decode_output(cls, **kwargs):
        """Outputs in a form people can read; the outputs themselves unless overridden."""
        return kwargs.get("outputs")

    def get_mesh_config(self, num_devices: int):
        """Shape and axis names of the mesh for `num_devices`; (None, ()) where the model does not care."""
        return None, ()

    def load_shard_spec(self, model):
        """Axis names per parameter; None where the model cannot be sharded."""
        return None

    def load_config(self, **kwargs):
        """The model's own configuration object, where it has one."""
        return None

    @property
    def requires_model_rewrites(self) -> bool:
        """Whether the model must be rewritten in place before it is compiled."""
        return False


class ForgePrefillModel(ForgeModel):
    """A language model that is tested over many meshes, strategies, batch sizes and sequence lengths."""

    @abstractmethod
    def load_inputs_prefill(self, dtype_override=None, batch_size=1, seq_len=128):
        """A prompt of exactly `seq_len` tokens in each of `batch_size` rows."""

    @abstractmethod
    def load_shard_spec(self, model, strategy, batch_axis):
        """Axis names per parameter under `strategy` (fsdp or megatron)."""
