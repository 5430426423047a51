# SPDX-License-Identifier: Apache-2.0
"""Get model and inputs from a loader, and call the model, by the rules of upstream's dynamic testers.

See docs/rules.md 2.2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

TRAINING_BATCH_SIZE = 2
"""Batch size that upstream's `DynamicTorchModelTester` requests if the test has none."""


def load_model(loader: Any, dtype: torch.dtype | None) -> Any:
    """The loader's model, in `dtype` if its `load_model` accepts one; None: in its own."""
    return loader.load_model(**accepted(loader.load_model, dtype))


def load_inputs(
    loader: Any, dtype: torch.dtype | None, *, phase: str, training: bool, batch_size: int | None, seq_len: int | None
) -> Any:
    """The inputs for `phase`, in `dtype` (None: the default) and of `batch_size` if the loader accepts these."""
    if batch_size is None and training:
        batch_size = TRAINING_BATCH_SIZE
    if phase == "llm_prefill":
        override = {} if dtype is None else {"dtype_override": dtype}
        return loader.load_inputs_prefill(**override, batch_size=batch_size, seq_len=seq_len)
    load = loader.load_inputs_decode if phase == "llm_decode" else loader.load_inputs
    return load(**accepted(load, dtype, batch_size=batch_size))


def accepted(function: Callable[..., Any], dtype: torch.dtype | None, **optional: Any) -> dict[str, Any]:
    """`dtype_override` and the `optional` values, if they are given and `function` accepts them by name."""
    offered = {"dtype_override": dtype, **optional}
    named = inspect.signature(function).parameters
    return {name: value for name, value in offered.items() if name in named and value is not None}


def call_arguments(inputs: Any) -> tuple[list[Any], dict[str, Any]]:
    """How the runner passes `inputs`: one tensor, a sequence as positional arguments, or a mapping as keywords."""
    if isinstance(inputs, torch.Tensor):
        return [inputs], {}
    if isinstance(inputs, Sequence) and not isinstance(inputs, str):
        return list(inputs), {}
    if isinstance(inputs, Mapping):
        return [], dict(inputs)
    kind = type(inputs).__name__
    raise TypeError(f"load_inputs gave {kind}, but the runner passes tensors, sequences and mappings only")


def call(model: Callable[..., Any], inputs: Any) -> Any:
    """Call `model` with `inputs` as the runner does."""
    args, kwargs = call_arguments(inputs)
    return model(*args, **kwargs)
