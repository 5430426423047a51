# SPDX-License-Identifier: Apache-2.0
"""Backends that run on the CPU of the host: plain PyTorch, and what TorchInductor compiles."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from ttmatrix_widen import host_knows_bfloat16, host_numerics, wide_decompositions

from .backend import COMPILATION, EXECUTION, Stage
from .settings import Settings


class Eager:
    """No compiler at all: shows what two runs of the very same code differ by, which should be nothing."""

    name = "eager"

    def missing(self) -> str | None:
        """Never: who can import this has torch."""
        return None

    def start(self, settings: Settings) -> None:
        """Nothing to do."""

    def device_count(self) -> int:
        """The host is one device."""
        return 1

    def device_text(self) -> str:
        """The host."""
        return "CPU"

    def device(self) -> torch.device:
        """The host."""
        return torch.device("cpu")

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """None."""
        return {}

    def compile(self, model: torch.nn.Module, settings: Settings, stage: Stage) -> Callable[..., Any]:
        """The model itself."""
        stage(EXECUTION)
        return model

    def numerics(self) -> AbstractContextManager[object]:
        """As the reference is made: two runs of the same code are to differ by nothing."""
        return host_numerics()

    def settle(self, tensors: Iterable[torch.Tensor], stage: Stage) -> None:
        """Nothing is ever outstanding."""

    def stablehlo(self, tensors: Iterable[torch.Tensor]) -> str | None:
        """None: nothing is lowered."""
        return None


class Inductor(Eager):
    """TorchInductor, which writes C++ and needs a compiler for it."""

    name = "inductor"

    def missing(self) -> str | None:
        """Why not."""
        compilers = [name for name in (os.environ.get("CXX"), "g++", "clang++") if name]
        if not any(map(shutil.which, compilers)):
            return "no C++ compiler is on PATH; install g++, or name one in CXX"
        if importlib.util.find_spec("torch._inductor") is None:
            return "this torch has no TorchInductor"
        return None

    def numerics(self) -> AbstractContextManager[object]:
        """Nothing around what is compiled: it is made so."""
        return nullcontext()

    def compile(self, model: torch.nn.Module, settings: Settings, stage: Stage) -> Callable[..., Any]:
        """`torch.compile`, which traces and compiles at the first call."""
        from torch._inductor.compile_fx import compile_fx
        from torch._inductor.decomposition import select_decomp_table

        # Its own table where none is given.
        table = None if host_knows_bfloat16() else {**select_decomp_table(), **wide_decompositions()}

        def compile_graph(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
            stage(COMPILATION)
            compiled = compile_fx(graph, inputs, decompositions=table)
            stage(EXECUTION)
            return compiled

        return torch.compile(model, backend=compile_graph)
