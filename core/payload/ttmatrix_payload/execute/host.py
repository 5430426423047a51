# SPDX-License-Identifier: Apache-2.0
"""Backends without a runtime of their own: plain PyTorch, TorchInductor, and whatever else dynamo knows."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import torch

from ..backend import COMPILATION, EXECUTION, BackendMissing, Stage
from ..models.widen import host_knows_bfloat16, host_numerics, wide_decompositions
from ..settings import Settings
from .pytorch import PyTorchTest

PLAIN = ("eager", "none")
"""Names of plain PyTorch, without a compiler."""
LAZY = ("xla", "tt")
"""Names of the devices of torch-xla."""
NAMED = (*PLAIN, *LAZY)
"""Backends that are none of dynamo's."""

_CPU = torch.device("cpu")


class Eager:
    """No compiler at all: shows how much two runs of the same code differ, which should be not at all."""

    name = "eager"

    def __init__(self, device: torch.device = _CPU) -> None:
        self._device = device

    def missing(self) -> str | None:
        """Never missing: torch was needed to import this."""
        return None

    def start(self, settings: Settings) -> None:
        """Nothing to do."""

    def device_count(self) -> int:
        """One."""
        return 1

    def model_test(self, loader: Any, settings: Settings, stage: Stage) -> PyTorchTest:
        """A test of a PyTorch model."""
        return PyTorchTest(loader, settings, self, stage)

    def device_text(self) -> str:
        """The host, unless another device was asked for."""
        return str(self._device).upper()

    def device(self) -> torch.device:
        """The host, unless another device was asked for."""
        return self._device

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """None."""
        return {}

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """The model itself."""
        stage(EXECUTION)
        return model

    def numerics(self) -> AbstractContextManager[object]:
        """The same context as for the reference: two runs of the same code should not differ."""
        return host_numerics()

    def settle(self, tensors: Iterable[torch.Tensor], stage: Stage) -> None:
        """Wait for an accelerator; the CPU leaves no work outstanding."""
        if self._device.type not in ("cpu", "meta"):
            torch.accelerator.synchronize(self._device)

    def reset(self) -> None:
        """Nothing to forget."""

    def take_graphs(self) -> list[tuple[str, str]]:
        """None: nothing is traced."""
        return []

    def stablehlo(self, tensors: Iterable[torch.Tensor]) -> str | None:
        """None: nothing is lowered."""
        return None


class Dynamo(Eager):
    """`torch.compile` with a backend that dynamo knows, or with a function that serves as one."""

    def __init__(self, name: str, device: torch.device = _CPU, *, whole: bool = False) -> None:
        """With `whole`, what is compiled must be one graph. Raises BackendMissing."""
        super().__init__(device)
        self._compiler = find_compiler(name)
        self.name = name
        self._whole = whole
        if name == Inductor.name:
            import torch._inductor.config

            if device.type == "cpu" and (reason := _no_cpp_compiler()):
                raise BackendMissing(f"inductor cannot work here: {reason}")
            # Otherwise an op with random results would draw other numbers than the reference.
            torch._inductor.config.fallback_random = True

    def numerics(self) -> AbstractContextManager[object]:
        """No context: dynamo does not compile inside a mode."""
        return nullcontext()

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """Compiled at its first call: everything before the graph is entered is compilation."""
        stage(COMPILATION)

        def compile_graph(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
            compiled = self._compiler(graph, inputs)

            def run(*values: Any) -> Any:
                stage(EXECUTION)
                return compiled(*values)

            return run

        return torch.compile(model, backend=compile_graph, fullgraph=self._whole)

    def reset(self) -> None:
        """Drop dynamo's guards."""
        torch._dynamo.reset()


class Inductor(Eager):
    """TorchInductor, which writes C++ and needs a compiler for it."""

    name = "inductor"

    def __init__(self) -> None:
        super().__init__()
        self._graphs: list[tuple[str, str]] = []

    def missing(self) -> str | None:
        """Why TorchInductor cannot work here."""
        if reason := _no_cpp_compiler():
            return reason
        if importlib.util.find_spec("torch._inductor") is None:
            return "this torch has no TorchInductor"
        return None

    def numerics(self) -> AbstractContextManager[object]:
        """No context: the compiled code itself has these numerics."""
        return nullcontext()

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """`torch.compile`, which traces and compiles at the first call; the options of a profile are honoured."""
        from torch._inductor.compile_fx import compile_fx
        from torch._inductor.decomposition import select_decomp_table

        # TorchInductor's default table, if the profile gives none.
        table = None if host_knows_bfloat16() else {**select_decomp_table(), **wide_decompositions()}

        patches = self._patches(settings)
        more: dict[str, Any] = {"config_patches": patches} if patches else {}

        def compile_graph(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
            stage(COMPILATION)
            if settings.serialize_to is not None:
                self._keep_graph("fx", graph)
            compiled: Any = compile_fx(graph, inputs, decompositions=table, **more)
            stage(EXECUTION)
            return cast("Callable[..., Any]", compiled)

        compiled = torch.compile(model, backend=compile_graph)
        return _tracing_with(compiled, {"freezing": True}) if "freezing" in patches else compiled

    def reset(self) -> None:
        """Drop dynamo's guards."""
        torch._dynamo.reset()

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """The options of TorchInductor that a profile changes."""
        hidden = {_LAST_PASS}
        return {name: str(value) for name, value in self._patches(settings).items() if name not in hidden}

    def take_graphs(self) -> list[tuple[str, str]]:
        """FX graphs as traced by dynamo, and after TorchInductor's passes."""
        found, self._graphs = self._graphs, []
        return found

    def _patches(self, settings: Settings) -> dict[str, Any]:
        """Changes to TorchInductor's configuration."""
        asked = settings.compile_options
        found: dict[str, Any] = {}
        if asked.level == 0:
            found |= {"epilogue_fusion": False, "pattern_matcher": False, "max_fusion_size": 1}
        elif asked.level is not None and asked.level > 1 and not settings.training:
            found["freezing"] = True
        if not asked.flag("tt_enable_torch_fx_fusion_pass", True):
            found["pattern_matcher"] = False
        if settings.serialize_to is not None:
            found[_LAST_PASS] = lambda graph: self._keep_graph("fx-passes", graph.owning_module)
        # A cached graph is not compiled, and goes through no passes.
        return {**found, "fx_graph_cache": False} if found else found

    def _keep_graph(self, stage: str, graph: torch.fx.GraphModule) -> None:
        number = sum(name.startswith(f"{stage}.") for name, _ in self._graphs)
        self._graphs.append((f"{stage}.{number}.py", graph.print_readable(print_output=False)))


def _tracing_with(call: Callable[..., Any], patches: dict[str, Any]) -> Callable[..., Any]:
    """`call` with TorchInductor configured this way: dynamo asks while tracing whether weights become constants."""
    from torch._inductor import config

    def run(*args: Any, **kwargs: Any) -> Any:
        with config.patch(patches):
            return call(*args, **kwargs)

    return run


_LAST_PASS = "post_grad_custom_post_pass"


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
        return cast("Callable[..., Any]", found)
    if name not in torch._dynamo.list_backends(exclude_tags=()):
        known = ", ".join(sorted({*NAMED, "aot_eager", *torch._dynamo.list_backends()}))
        raise BackendMissing(f"there is no backend {name}; there are {known}, and MODULE:FUNCTION")
    return cast("Callable[..., Any]", torch._dynamo.lookup_backend(name))


def _no_cpp_compiler() -> str | None:
    compilers = [name for name in (os.environ.get("CXX"), "g++", "clang++") if name]
    if any(map(shutil.which, compilers)):
        return None
    return "no C++ compiler is on PATH; install g++, or name one in CXX"
