# SPDX-License-Identifier: Apache-2.0
"""One test: the model on CPU, the model through a backend, and the comparison of both (docs/rules.md 4.2).

The steps are the same for all frameworks. Each does them in its own way, in the `ModelTest` that its backends make.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ..backend import FRONTEND, AnyBackend, Stage
from ..settings import Execution, Settings
from .compare import failure_text


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
