# SPDX-License-Identifier: Apache-2.0
"""The tested side: where tensors go, how an op is compiled, and how to wait for its result."""

from __future__ import annotations

import importlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, cast

import torch

from ..backend import BackendMissing

PLAIN = ("eager", "none")
"""Call the op directly on the tested device, without a compiler."""


LAZY = ("xla", "tt")
"""Devices of torch-xla."""

_EXECUTION = "RUNTIME_EXECUTION_START"
"""The stage that follows compilation (docs/rules.md 4.5)."""


class Ran(NamedTuple):
    """The result of a call, and its costs."""

    output: Any
    compile_seconds: float | None
    run_seconds: float


class Backend(Protocol):
    """Runs ops on one device."""

    name: str
    device: torch.device

    def run(self, call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Ran:
        """Call an op on tensors of the device and wait for the result."""

    def reset(self) -> None:
        """Forget what was compiled for the last case."""


def choose_backend(name: str, device: str = "") -> Backend:
    """The backend called `name`, on `device` if it is not bound to one. Raises BackendMissing.

    Any backend name that `torch._dynamo` knows is allowed.
    """
    if name in LAZY:
        return Lazy(name)
    where = _device(device or "cpu")
    return Plain(where) if name in PLAIN else Compiled(name, where)


def load_ahead(name: str) -> None:
    """Import the modules of the backend called `name`, in a process that forks later: no runtime is started."""
    if name not in (*PLAIN, *LAZY):
        import torch._dynamo
        import torch._inductor.compile_fx
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def find_compiler(name: str) -> Callable[..., Any]:
    """The dynamo backend called `name`, or the function that `MODULE:FUNCTION` names. Raises BackendMissing."""
    import torch._dynamo

    module, colon, function = name.partition(":")
    if colon:
        try:
            found = getattr(importlib.import_module(module), function, None)
        except ImportError as error:
            raise BackendMissing(f"the module of the backend {name} cannot be imported: {error}") from error
        if not callable(found):
            raise BackendMissing(f"the module {module} has no function {function}")
        return cast(Callable[..., Any], found)
    if name not in torch._dynamo.list_backends(exclude_tags=()):
        known = ", ".join(sorted({*PLAIN, *LAZY, "aot_eager", *torch._dynamo.list_backends()}))
        raise BackendMissing(f"there is no backend {name}; there are {known}, and MODULE:FUNCTION")
    return cast(Callable[..., Any], torch._dynamo.lookup_backend(name))


class Plain:
    """The op itself, without a compiler."""

    name = "eager"

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def run(self, call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Ran:
        """Call the op; nothing is compiled."""
        start = time.perf_counter()
        output = call(*args, **kwargs)
        _synchronize(self.device)
        return Ran(output, None, time.perf_counter() - start)

    def reset(self) -> None:
        """Nothing to forget."""


class Compiled:
    """`torch.compile` with one of dynamo's backends, the op as one whole graph."""

    def __init__(self, name: str, device: torch.device) -> None:
        import torch._inductor.config

        compiler = find_compiler(name)
        if name == "inductor":
            compilers = [one for one in (os.environ.get("CXX"), "g++", "clang++") if one]
            if device.type == "cpu" and not any(map(shutil.which, compilers)):
                raise BackendMissing("inductor finds no C++ compiler on PATH; install g++, or name one in CXX")
            # Otherwise an op with random results would draw other numbers than the reference.
            torch._inductor.config.fallback_random = True
        self.name = name
        self.device = device
        self._compile = compiler

    def run(self, call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Ran:
        """The first call compiles; the time before the graph is entered counts as compilation."""
        entered: list[float] = []

        def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
            compiled = self._compile(graph, inputs)

            def run(*values: Any) -> Any:
                entered.append(time.perf_counter())
                return compiled(*values)

            return run

        def op(*args: Any, **kwargs: Any) -> Any:
            return call(*args, **kwargs)

        start = time.perf_counter()
        output = torch.compile(op, backend=backend, fullgraph=True)(*args, **kwargs)
        _synchronize(self.device)
        end = time.perf_counter()
        begun = entered[0] if entered else end
        return Ran(output, begun - start, end - begun)

    def reset(self) -> None:
        """Drop the guards of the last case, so that they are not checked for the next one."""
        torch._dynamo.reset()


def require(name: str) -> None:
    """Raise BackendMissing if a requested torch-xla device cannot work here. Opens no device."""
    if name in LAZY:
        _executing(name)


def _executing(name: str) -> Any:
    from ..execute.tt import Tenstorrent
    from ..execute.xla import Xla

    found = Tenstorrent() if name == "tt" else Xla()
    if reason := found.missing():
        raise BackendMissing(f"the backend {name} cannot work here: {reason}")
    return found


class Lazy:
    """Lazy tensors of torch-xla: calling an op records a program, which is compiled and run when it is asked for."""

    def __init__(self, name: str) -> None:
        from ..settings import Settings

        self.name = name
        self._settings = Settings()
        self._inner = _executing(name)
        self._inner.start(self._settings)
        self.device = self._inner.device()

    def run(self, call: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Ran:
        """Wait for everything that the op made or wrote to."""
        begun: dict[str, float] = {}

        def stage(name: str) -> None:
            begun[name] = time.perf_counter()

        def op(*args: Any, **kwargs: Any) -> Any:
            return call(*args, **kwargs)

        start = time.perf_counter()
        # On torch-xla's own devices run the op itself; tt-xla has its own compiler in between.
        output = self._inner.compile(op, self._settings, stage)(*args, **kwargs)
        self._inner.settle(list(tensors_in((output, args, kwargs))), stage)
        end = time.perf_counter()
        return Ran(output, begun[_EXECUTION] - start, end - begun[_EXECUTION])

    def reset(self) -> None:
        """Drop dynamo's guards. Programs stay: they are cached by what they compute, which speeds up the next case."""
        if self.name == "tt":
            torch._dynamo.reset()


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


def _synchronize(device: torch.device) -> None:
    if device.type not in ("cpu", "meta"):
        torch.accelerator.synchronize(device)
