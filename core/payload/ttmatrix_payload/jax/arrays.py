# SPDX-License-Identifier: Apache-2.0
"""Leaves of pytrees: by path, as data for people, and as tensors for comparison."""

from __future__ import annotations

from typing import Any

import torch

MAX_LEAVES = 500


def leaves(value: Any) -> list[tuple[str, Any]]:
    """Every leaf with its path: `logits`, `params/Dense_0/kernel`, `array` if there is only one."""
    import jax

    found, _ = jax.tree_util.tree_flatten_with_path(value)
    return [("/".join(map(_step, path)) or "array", leaf) for path, leaf in found]


def _step(key: Any) -> str:
    return str(next((getattr(key, name) for name in ("key", "name", "idx") if hasattr(key, name)), key))


def tensors(value: Any) -> dict[str, torch.Tensor]:
    """The arrays of `value` as CPU tensors; floating-point ones in float64, in which they are compared.

    Leaves without values, such as the gradients of integers, are left out.
    """
    import jax
    import numpy

    found = {}
    for name, leaf in leaves(value):
        if not isinstance(leaf, (jax.Array, numpy.ndarray, numpy.generic)) or leaf.dtype == jax.dtypes.float0:
            continue
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        array = numpy.asarray(leaf)
        if jax.dtypes.issubdtype(array.dtype, numpy.floating):
            array = array.astype(numpy.float64)
        # Types unknown to torch, such as unsigned ones, are compared as 64-bit values.
        elif jax.dtypes.issubdtype(array.dtype, numpy.integer):
            array = array.astype(numpy.int64)
        found[name] = torch.from_numpy(numpy.array(array))
    return found


def describe(value: Any) -> list[dict[str, Any]]:
    """The first leaves of `value` as data: name and type, for arrays dtype and shape."""
    described = []
    for name, leaf in leaves(value)[:MAX_LEAVES]:
        array = hasattr(leaf, "dtype") and hasattr(leaf, "shape")
        dtype, shape = (str(leaf.dtype), list(leaf.shape)) if array else (None, None)
        kind = "Array" if array else type(leaf).__name__
        described.append({"name": name, "type": kind, "dtype": dtype, "shape": shape})
    return described


def structure(value: Any) -> dict[str, Any]:
    """The class of `value`, and its leaves."""
    import jax

    kind = type(value)
    name, module = ("Array", "jax") if isinstance(value, jax.Array) else (kind.__name__, kind.__module__)
    return {"class": name, "module": module, "leaves": describe(value), "access": []}


def floats(value: Any) -> dict[str, torch.Tensor]:
    """The floating-point tensors among `tensors`."""
    return {name: tensor for name, tensor in tensors(value).items() if tensor.is_floating_point()}
