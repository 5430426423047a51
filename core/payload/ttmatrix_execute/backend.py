# SPDX-License-Identifier: Apache-2.0
"""What a backend has to offer: a device, a way to compile for it, and the truth about both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import torch

from .settings import Settings

Stage = Callable[[str], None]
"""Gets each stage as it begins; the runner writes it to upstream's stage file (docs/rules.md 4.5)."""

FRONTEND = "FE_COMPILATION_START"
COMPILATION = "TTMLIR_COMPILATION_START"
EXECUTION = "RUNTIME_EXECUTION_START"


class BackendMissing(Exception):
    """The backend asked for cannot work here; the text says what to do about it."""


class Backend(Protocol):
    """Compiles and runs models."""

    name: str

    def missing(self) -> str | None:
        """Why this backend cannot work here, and what helps. Starts no runtime, so that a fork is still safe."""

    def start(self, settings: Settings) -> None:
        """Get ready for a test; to be called before the first tensor of it is placed, and any number of times."""

    def device_count(self) -> int:
        """How many devices one model can be spread over. Starts the runtime."""

    def device_text(self) -> str:
        """What really runs the models, for people. Starts the runtime."""

    def device(self) -> torch.device:
        """Where tensors go."""

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """The options of the compiler."""

    def compile(self, model: torch.nn.Module, settings: Settings, stage: Stage) -> Callable[..., Any]:
        """A function that calls `model`, which has been placed, compiled now or when first called."""

    def numerics(self) -> AbstractContextManager[object]:
        """Surrounds all that runs on the device; fixes what the compiler does worse than PyTorch promises."""

    def settle(self, tensors: Iterable[torch.Tensor], stage: Stage) -> None:
        """Compile and run all that is outstanding for `tensors`, and wait for it."""

    def take_graphs(self) -> list[tuple[str, str]]:
        """What the compiler was given and has made since this was asked last, each with the end of a file's name."""

    def stablehlo(self, tensors: Iterable[torch.Tensor]) -> str | None:
        """The program that `tensors`, not settled yet, are the results of; None where there is no such thing."""
