# SPDX-License-Identifier: Apache-2.0
"""One test: the model on CPU, the model through a backend, and the comparison of both (docs/rules.md 4.2).

For all frameworks: what each does in its own way is a `ModelTest`, which its backends make.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from ..backend import FRONTEND, AnyBackend, Stage
from ..models.compile_options import ignored
from ..settings import Comparison, Execution, Settings
from .compare import failure_text


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


def skip_reason(settings: Settings, backend: AnyBackend) -> str | None:
    """Why this backend lacks the devices for a parallel test; None if it has them.

    Starts the runtime for parallel tests, and only for them.
    """
    if settings.parallelism == "single_device":
        return None
    backend.start(settings)
    there, (wanted, exactly) = backend.device_count(), devices_wanted(settings)
    if there == wanted or (there > wanted and not exactly):
        return None
    more = "" if exactly else " or more"
    return f"{settings.parallelism} wants {wanted}{more} devices, the backend {backend.name} has {there}"


def devices_wanted(settings: Settings) -> tuple[int, bool]:
    """How many devices a parallel test needs, and whether it needs exactly this many."""
    return (prod(settings.mesh), True) if settings.mesh else (2, False)


def execute(
    loader: Any,
    settings: Settings,
    backend: AnyBackend,
    stage: Stage,
    begun: Callable[[Execution], None] = lambda _: None,
) -> Execution:
    """Run the loader's model on CPU and through `backend`, and compare.

    `stage` gets FE_COMPILATION_START and what follows, as each begins. `begun` gets the result once the model and
    its inputs are there; it is filled from then on. Raises whatever the loader or the model raises.
    """
    stage(FRONTEND)
    backend.start(settings)
    test = backend.model_test(loader, settings, stage)
    begun(test.execution)
    test.execution.comparisons += test.train() if test.training else test.infer()
    return test.execution


def check(execution: Execution, settings: Settings) -> None:
    """Raise AssertionError, with upstream's message, if a comparison or a pattern failed, or a pattern did not run."""
    text = failure_text(execution.comparisons)
    if text and not settings.asserts_nothing:
        raise AssertionError(text)
    for one in execution.filechecks:
        if not one.passed:
            what = "did not run" if one.passed is None else "failed"
            raise AssertionError(f"FileCheck {what} for pattern {one.pattern!r}: {one.message}")
