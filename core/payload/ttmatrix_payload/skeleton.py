# SPDX-License-Identifier: Apache-2.0
"""The test of a model of any framework; `execute.run` takes it through its steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from .models.compile_options import ignored
from .settings import Comparison, Execution, Settings


class ModelTest(ABC):
    """A model with its inputs, and the steps of its test."""

    def __init__(self, settings: Settings, backend: str, device: str) -> None:
        self.settings = settings
        self.training = settings.training
        self.execution = Execution(backend, device)
        self.execution.ignored_options = ignored(settings.compile_options, backend)
        self.execution.weights_dtype = "bfp_bf8" if settings.weight_bfp8 and backend == "tt" else None

    @abstractmethod
    def infer(self) -> list[Comparison]:
        """Forward on both sides; the comparison of the outputs."""

    @abstractmethod
    def train(self) -> list[Comparison]:
        """Forward and backward, from the same random gradient on both sides; first the comparison of the gradients."""

    def say_parameters(self, sizes: Iterable[tuple[int, int]]) -> None:
        """Report the size of the model; `sizes` has the elements and bytes of each parameter."""
        found = list(sizes)
        self.execution.parameters = sum(count for count, _ in found)
        self.execution.parameter_bytes = sum(size for _, size in found)

    def say_inputs(self, shapes: Iterable[Iterable[int]]) -> None:
        """Report the shape of the first input; a batch is its first dimension."""
        first = tuple(next(iter(shapes), ()))
        if first:
            self.execution.input_shape = first
            self.execution.batch_size = first[0]
