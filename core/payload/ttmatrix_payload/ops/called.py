# SPDX-License-Identifier: Apache-2.0
"""Names of torch functions in manifests, and the names of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import torch
from torch.overrides import get_testing_overrides, resolve_name

from .names import SPECIAL, OpKind, kind_of

REQUIRED = object()
"""The default of a parameter that has none."""

_DUNDERS = frozenset({"getitem", "setitem", "invert", "floordiv", "truediv", "neg", "lshift", "rshift", "mod", "xor"})
_PROPERTIES: Mapping[str, tuple[str, tuple[object, ...]]] = {
    "T": ("torch.t", ()),
    "mT": ("torch.transpose", (-2, -1)),
    "H": ("torch.adjoint", ()),
    "mH": ("torch.adjoint", ()),
    "real": ("torch.real", ()),
    "imag": ("torch.imag", ()),
}
"""Properties that count as ops, each with an equivalent function and its arguments."""
_AS_METHOD = frozenset({"where", "stft", "istft", "unflatten"})
"""Methods whose function of the same name has another order of arguments."""
_NOTHING = frozenset(
    [
        "requires_grad_",
        "detach_",
        "retain_grad",
        "share_memory_",
        "pin_memory",
        "is_shared",
        "__deepcopy__",
        "_make_subclass",
        "refine_names",
        "rename",
        "rename_",
        "align_to",
        "register_hook",
        "numpy",
        "__reduce_ex__",
        "__array__",
        "__array_wrap__",
    ]
)
"""Methods that return or change a tensor but compute nothing."""
_RANDOM = frozenset(
    [
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "normal",
        "bernoulli",
        "multinomial",
        "poisson",
        "binomial",
        "uniform_",
        "normal_",
        "random_",
        "exponential_",
        "bernoulli_",
        "geometric_",
        "cauchy_",
        "log_normal_",
        "empty",
        "empty_like",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
        "empty_permuted",
        "resize_",
        "new",
        "gumbel_softmax",
        "fractional_max_pool2d",
        "fractional_max_pool3d",
        "pca_lowrank",
        "svd_lowrank",
        "_ctc_loss",
        "_sample_dirichlet",
        "_standard_gamma",
    ]
)
_WHEN_TRAINING = frozenset(
    [
        "dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "feature_alpha_dropout",
        "feature_dropout",
        "rrelu",
        "native_dropout",
    ]
)


@cache
def manifest_name(function: Any) -> tuple[str, tuple[object, ...]]:
    """The manifest name of a function, with arguments that this name implies; empty if it is not an op."""
    name = resolve_name(function) or ""
    if name.startswith("aten."):
        return f"torch.ops.{name}", ()
    method = name.removeprefix("torch.Tensor.")
    if method == name:
        # C functions have a module of their own, which `torch` re-exports.
        return ("", ()) if kind_of(name) is OpKind.NOT_AN_OP else (name, ())
    if method.endswith(".__get__"):
        return _PROPERTIES.get(method.removesuffix(".__get__"), ("", ()))
    if method.endswith((".__set__", ".__delete__")) or method in _NOTHING:
        return "", ()
    bare = method.strip("_") if method.startswith("__") else method
    for candidate in (f"torch.{bare}" if bare in _DUNDERS else "", f"torch.{method}"):
        if candidate in SPECIAL:
            return candidate, ()
    if callable(getattr(torch, method, None)) and method not in _AS_METHOD and not method.startswith("_"):
        return f"torch.{method}", ()
    return name, ()


@cache
def last_part(name: str) -> str:
    """The bare op: `add` of `torch.ops.aten.add.Tensor`."""
    parts = name.split(".")
    return parts[3] if name.startswith("torch.ops.aten.") else parts[-1]


def unrepeatable(name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Why a call returns something else each time; empty if it does not."""
    last = last_part(name)
    if last in _RANDOM:
        return "random or uninitialised values"
    if not _may_drop(function) and last not in _WHEN_TRAINING:
        return ""
    named = {**{name: value for (name, _), value in zip(parameters(function), args, strict=False)}, **kwargs}
    training = named.get("training", named.get("train"))
    if last in _WHEN_TRAINING and training is not False:
        return "random values in training"
    # Attention with its own parameters applies dropout in training only.
    return "random values: dropout_p" if named.get("dropout_p") and training is not False else ""


@cache
def _may_drop(function: Any) -> bool:
    return any(name in ("dropout_p", "training", "train") for name, _ in parameters(function))


@cache
def parameters(function: Any) -> tuple[tuple[str, object], ...]:
    """The names of a function's parameters with their defaults (`REQUIRED`: none); empty if unknown."""
    if isinstance(function, torch._ops.OpOverload):
        return _of_schema(function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        known = _known_signatures().get(function)
        if known is None:
            return ()
        signature = inspect.signature(known)
    empty = inspect.Parameter.empty
    variadic = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    named = [one for one in signature.parameters.values() if one.kind not in variadic]
    return tuple((one.name, REQUIRED if one.default is empty else one.default) for one in named)


@lru_cache(maxsize=1)
def _known_signatures() -> Mapping[Any, Any]:
    """Signatures by function; asking torch each time costs as much as many ops."""
    return get_testing_overrides()


def of_names(name: str, wanted: frozenset[str]) -> tuple[tuple[str, object], ...]:
    """The parameters of the aten overload that has the parameters `wanted`; empty if there is none.

    Their names are those of torch's functions: torch itself reports wrong names for some functions.
    """
    packet: Any = getattr(torch.ops.aten, last_part(name), None)
    for overload in packet.overloads() if hasattr(packet, "overloads") else ():
        found = _of_schema(getattr(packet, overload))
        if wanted <= {parameter for parameter, _ in found}:
            return found
    return ()


def _of_schema(overload: Any) -> tuple[tuple[str, object], ...]:
    return tuple(
        ("input" if one.name == "self" else one.name, one.default_value if one.has_default_value() else REQUIRED)
        for one in overload._schema.arguments
    )
