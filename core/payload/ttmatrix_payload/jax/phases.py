# SPDX-License-Identifier: Apache-2.0
"""Run the steps of one test of a JAX model on the CPU: in the runner's dtype, then in others."""

from __future__ import annotations

import argparse
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..models.steps import AnyPhase, MakeLoader, run_all
from ..models.structures import show
from .arrays import describe, floats, leaves, structure
from .forward import asked, checked, forward_of, set_mode
from .programs import keep

DTYPES = ("bfloat16", "float32")
_METHODS = ("load_model", "load_inputs", "load_parameters", "get_input_parameters")
OWN = "own dtype"
"""The name of a phase until its weights have shown their dtype."""


def run_phases(args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Run the model as the runner does, then in the remaining `DTYPES` if the loader accepts a dtype.

    Each run uses a fresh model and adds to `result`. Raises Problem if the environment cannot run the model.
    """
    run_all(args, result, _phases)


def _phases(args: argparse.Namespace, make_loader: MakeLoader | None) -> Iterator[Phase]:
    own = Phase(None, args)
    yield own
    for dtype in DTYPES if make_loader is not None else ():
        if dtype != own.report["dtype"] and make_loader is not None and knows_dtypes(make_loader()):
            yield Phase(dtype, args)


def knows_dtypes(loader: Any) -> bool:
    """Whether a method of `loader` takes `dtype_override`."""
    methods = [getattr(loader, name) for name in _METHODS if hasattr(loader, name)]
    return any("dtype_override" in inspect.signature(method).parameters for method in methods)


class Phase(AnyPhase):
    """A JAX model in one dtype; None: the loader's default."""

    def __init__(self, dtype: str | None, args: argparse.Namespace) -> None:
        super().__init__(dtype or OWN, args)
        self.dtype = dtype

    @property
    def title(self) -> str:
        """The dtype."""
        return self.steps.name if self.dtype else "AS THE RUNNER DOES"

    def take_steps(self, make_loader: MakeLoader) -> None:
        """Load, forward, and in training backward."""
        import jax

        loader = make_loader()
        training = self.args.mode == "training"
        override = jax.numpy.dtype(self.dtype) if self.dtype else None
        self.steps.step = "load_model"
        model = checked(asked(loader.load_model, dtype_override=override))
        set_mode(model, training=training)
        self.steps.step = "load_inputs"
        inputs = asked(loader.load_inputs, dtype_override=override)
        self.report.update(container=type(inputs).__name__, inputs=describe(inputs))
        show("inputs", self.report["inputs"])
        self.steps.step = "load_parameters"
        forward = forward_of(loader, model, inputs, training=training, dtype=override)
        self._tell_weights(forward.parameters)
        self.steps.step = "forward"
        function = jax.jit(forward.function)
        keep(self._directory(), "forward", function, forward.args, forward.kwargs)
        if training:
            output, pull_back = jax.vjp(forward.wrapper(function), list(forward.args), dict(forward.kwargs))
        else:
            output = function(*forward.args, **forward.kwargs)
        jax.block_until_ready(output)
        self.report["output"] = structure(output)
        show(f"output {self.report['output']['class']}", self.report["output"]["leaves"])
        if training:
            self._backward(output, pull_back)
        self.outputs = floats(output)

    def _backward(self, output: Any, pull_back: Callable[[Any], Any]) -> None:
        """Run backward from a random gradient, the same in each dtype; the loss is the one with this gradient."""
        import jax

        self.steps.step = "backward"
        start = jax.random.uniform(jax.random.PRNGKey(0), output.shape, jax.numpy.float32).astype(output.dtype)
        print(f"loss (sum of output * start): {float((output * start).sum()):.6g}", flush=True)
        gradients = jax.block_until_ready(pull_back(start))
        self.gradients = floats(gradients)
        print(f"gradients: {len(self.gradients)} arrays", flush=True)
        if not self.gradients:
            raise AssertionError("No gradients: no parameter takes part in the output")

    def _tell_weights(self, parameters: Any) -> None:
        import jax

        dtypes = [leaf.dtype for _, leaf in leaves(parameters) if hasattr(leaf, "dtype")]
        found = Counter(str(one) for one in dtypes if jax.numpy.issubdtype(one, jax.numpy.floating))
        self.report["weights"] = dict(found)
        print("parameters:", ", ".join(f"{count} of {name}" for name, count in found.items()) or "none", flush=True)
        if self.dtype is None and found:
            self.report["dtype"] = found.most_common(1)[0][0]

    def _directory(self) -> Path | None:
        place: Path | None = self.args.programs
        return place and place / self.report["dtype"]
