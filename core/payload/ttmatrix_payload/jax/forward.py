# SPDX-License-Identifier: Apache-2.0
"""Which function of a JAX model to call, and with which arguments, by the rules of upstream's JAX testers.

A loader may answer each question itself (`get_input_parameters`, `get_forward_method_args`, `_kwargs`, `_name`,
`get_static_argnames`, `wrapper_model`); everything else follows from the kind of its model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

PyTree = Any


@dataclass(frozen=True)
class Forward:
    """One call of the model."""

    function: Callable[..., PyTree]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    """Keyword arguments except static ones, which `function` has bound already."""
    wrapper: Callable[[Callable[..., PyTree]], Callable[[Any, Any], PyTree]]
    """From a function of arguments to one of `(args, kwargs)` that gives the output to differentiate."""
    parameters: PyTree = None


def is_linen(model: Any) -> bool:
    """Whether the model is one of flax.linen."""
    from flax import linen

    return isinstance(model, linen.Module)


def is_nnx(model: Any) -> bool:
    """Whether the model is one of flax.nnx."""
    from flax import nnx

    return isinstance(model, nnx.Module)


def checked(model: Any) -> Any:
    """Return `model` if upstream can run it. Raises AssertionError otherwise, as upstream does."""
    kind = type(model)
    assert is_linen(model) or is_nnx(model), (
        f"load_model gave {kind.__module__}.{kind.__name__}, which is no flax.linen.Module and no flax.nnx.Module"
    )
    return model


def set_mode(model: Any, *, training: bool) -> None:
    """Switch an nnx model to training or evaluation; linen models get the mode in each call."""
    if is_nnx(model):
        (model.train if training else model.eval)()


def asked(function: Callable[..., Any], **optional: Any) -> Any:
    """Call `function` with those of `optional` that it accepts by name."""
    named = inspect.signature(function).parameters
    return function(**{name: value for name, value in optional.items() if name in named and value is not None})


def forward_of(loader: Any, model: Any, inputs: Any, *, training: bool, dtype: Any = None) -> Forward:
    """The runner's call of `model`. Raises what the loader raises, and NotImplementedError without parameters."""
    parameters = input_parameters(loader, model, training=training, dtype=dtype)
    kwargs = _kwargs(loader, model, inputs, parameters, training)
    args = _args(loader, model, inputs, parameters)
    assert args or kwargs, "Neither positional nor keyword arguments for the forward method"
    static = {name: kwargs[name] for name in _static(loader, model) if name in kwargs}
    rest = {name: value for name, value in kwargs.items() if name not in static}
    function = partial(_function(loader, model), **static)
    return Forward(function, args, rest, getattr(loader, "wrapper_model", unwrapped), parameters)


def input_parameters(loader: Any, model: Any, *, training: bool, dtype: Any = None) -> PyTree:
    """The parameters that the model is called with. Raises NotImplementedError if neither loader nor model has any."""
    for name in ("get_input_parameters", "load_parameters"):
        if hasattr(loader, name):
            return asked(getattr(loader, name), train=training, dtype_override=dtype)
    if is_nnx(model):
        from flax import nnx

        return nnx.split(model)[1]
    raise NotImplementedError("The loader has neither get_input_parameters nor load_parameters")


def unwrapped(function: Callable[..., PyTree]) -> Callable[[Any, Any], PyTree]:
    """The function to differentiate if the loader does not wrap the model: it returns the output unchanged."""
    return lambda args, kwargs: function(*args, **kwargs)


def _args(loader: Any, model: Any, inputs: Any, parameters: PyTree) -> Sequence[Any]:
    if hasattr(loader, "get_forward_method_args"):
        return list(loader.get_forward_method_args())
    return [parameters, inputs] if is_linen(model) else []


def _kwargs(loader: Any, model: Any, inputs: Any, parameters: PyTree, training: bool) -> dict[str, Any]:
    if hasattr(loader, "get_forward_method_kwargs"):
        return dict(asked(loader.get_forward_method_kwargs, train=training))
    if not is_nnx(model):
        return {"train": training}
    modes = {"deterministic": not training, "train": training}
    named = inspect.signature(model.__call__).parameters
    return {"params": parameters, **inputs, **{name: value for name, value in modes.items() if name in named}}


def _static(loader: Any, model: Any) -> Sequence[str]:
    if hasattr(loader, "get_static_argnames"):
        return list(loader.get_static_argnames() or ())
    named = inspect.signature(model.__call__).parameters
    return [name for name in ("train", "deterministic") if name in named]


def _function(loader: Any, model: Any) -> Callable[..., PyTree]:
    if not is_nnx(model):
        default = "apply" if is_linen(model) else "__call__"
        name = loader.get_forward_method_name() if hasattr(loader, "get_forward_method_name") else default
        assert hasattr(model, name), f"The model has no method {name}"
        return getattr(model, name)  # type: ignore[no-any-return]
    return merged(model)


def merged(model: Any) -> Callable[..., PyTree]:
    """The call of an NNX model as a function of its parameters."""
    from flax import nnx

    graph = nnx.split(model)[0]

    def call(params: PyTree, **inputs: Any) -> PyTree:
        return nnx.merge(graph, params)(**inputs)

    return call
