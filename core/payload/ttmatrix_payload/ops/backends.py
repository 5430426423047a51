# SPDX-License-Identifier: Apache-2.0
"""Ops on the backends of `execute`: which one a name means, how one call is run and timed, where new tensors go."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from ..backend import COMPILATION, EXECUTION, Backend, BackendMissing
from ..execute import Settings, choose_backend as choose_for_models
from ..execute.host import LAZY, NAMED, PLAIN, Dynamo, Eager

_SETTINGS = Settings()
"""An op has no settings of its own."""


class Ran(NamedTuple):
    """The result of a call, and its costs."""

    output: Any
    compile_seconds: float | None
    run_seconds: float


def choose_backend(name: str, device: str = "") -> Backend:
    """The backend called `name`, on `device` if it is not bound to one, started. Raises BackendMissing.

    Any backend name that `torch._dynamo` knows is allowed.
    """
    if name in LAZY:
        found: Backend = choose_for_models(name)
        found.start(_SETTINGS)
        return found
    where = _device(device or "cpu")
    return Eager(where) if name in PLAIN else Dynamo(name, where, whole=True)


def load_ahead(name: str) -> None:
    """Import the modules of the backend called `name`, in a process that forks later: no runtime is started."""
    if name not in NAMED:
        import torch._dynamo
        import torch._inductor.compile_fx
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def require(name: str) -> None:
    """Raise BackendMissing if a requested torch-xla device cannot work here. Opens no device."""
    if name in LAZY:
        choose_for_models(name)


def run(backend: Backend, call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Ran:
    """Call an op on tensors of the device, and wait for everything that it made or wrote to."""
    begun: dict[str, float] = {}

    def stage(name: str) -> None:
        begun.setdefault(name, time.perf_counter())

    def op(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    start = time.perf_counter()
    output = backend.compile(op, _SETTINGS, stage)(*args, **kwargs)
    backend.settle(tensors_in((output, args, kwargs)), stage)
    end = time.perf_counter()
    # What is compiled and never entered did nothing but compile.
    execution = begun.get(EXECUTION, end)
    return Ran(output, execution - start if COMPILATION in begun else None, end - execution)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a nested value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from tensors_in(one)
    elif isinstance(value, dict):
        yield from tensors_in([*value.values()])


@contextmanager
def made_on(device: torch.device) -> Iterator[None]:
    """While active, ops that create tensors from nothing create them on `device`."""
    if device.type == "cpu":
        # The mode costs a function call per op, and the CPU is the default anyway.
        yield
    else:
        with device:
            yield


def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BackendMissing(f"there is no device {name}: {text}") from error
    return device
