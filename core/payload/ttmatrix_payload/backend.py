# SPDX-License-Identifier: Apache-2.0
"""The interfaces of a backend: what every framework has, and what PyTorch's have besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

import torch

if TYPE_CHECKING:
    from .settings import Settings
    from .skeleton import ModelTest

Stage = Callable[[str], None]
"""Called with each stage as it begins; the runner writes it to upstream's stage file (docs/rules.md 4.5)."""

FRONTEND = "FE_COMPILATION_START"
COMPILATION = "TTMLIR_COMPILATION_START"
EXECUTION = "RUNTIME_EXECUTION_START"


class BackendMissing(Exception):
    """The requested backend cannot work here; the text gives the remedy."""


class AnyBackend(Protocol):
    """Runs the models of one framework."""

    name: str

    def missing(self) -> str | None:
        """Why this backend cannot work here, with the remedy. Starts no runtime, so that a fork is still safe."""

    def start(self, settings: Settings) -> None:
        """Prepare for a test; call it before placing the test's first tensor. May be called repeatedly."""

    def device_count(self) -> int:
        """How many devices one model can be spread over. Starts the runtime."""

    def model_test(self, loader: Any, settings: Settings, stage: Stage) -> ModelTest:
        """The test of a loader's model on this backend; loads the model and its inputs."""


class Backend(AnyBackend, Protocol):
    """Compiles and runs models, and single ops, of PyTorch."""

    def device_text(self) -> str:
        """The hardware that really runs the models, for people. Starts the runtime."""

    def device(self) -> torch.device:
        """The device on which tensors are placed."""

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """The options of the compiler."""

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """A function that calls the placed `model`, a module or a function, compiled now or at its first call."""

    def numerics(self) -> AbstractContextManager[object]:
        """A context for everything that runs on the device; makes the compiler as accurate as PyTorch promises."""

    def settle(self, tensors: Iterable[torch.Tensor], stage: Stage) -> None:
        """Compile and run all outstanding work for `tensors`, and wait for it."""

    def reset(self) -> None:
        """Forget what was compiled for the last test, so that it is not checked for the next one."""

    def take_graphs(self) -> list[tuple[str, str]]:
        """The compiler's inputs and outputs since the last call, each with the ending of its file name."""

    def stablehlo(self, tensors: Iterable[torch.Tensor]) -> str | None:
        """The program that computes `tensors`, which must not be settled yet; None if there is none."""
