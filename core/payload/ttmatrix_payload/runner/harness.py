# SPDX-License-Identifier: Apache-2.0
"""State shared by all tests of a session: options, backend, and the output so far."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..jax.devices import Pjrt
from .options import Options
from .parameters import JAX, Case

_IMPORTS = {
    "tt": ("torch._dynamo", "torch_xla"),
    "xla": ("torch._dynamo", "torch_xla"),
    "inductor": ("torch._inductor.compile_fx",),
    "eager": ("torch._dynamo",),
}
"""Modules that take seconds to import, by backend."""


@dataclass
class Harness:
    """The environment of a test."""

    options: Options
    config: pytest.Config
    backend: Any = None
    """The `backend.Backend`; None until a test of a PyTorch model is about to start."""
    jax: Any = None
    """The `jax.devices.Pjrt`; None until a test of a JAX model is about to start."""

    def choose_backends(self, cases: Iterable[Case]) -> None:
        """Find the backends for `cases`. Raises UsageError if one is not installed."""
        frameworks = {case.function == JAX for case in cases}
        if True in frameworks:
            self.jax = Pjrt()
        if False in frameworks:
            self._choose_torch()

    def backend_of(self, case: Case) -> Any:
        """The backend that runs the model of `case`."""
        return self.jax if case.function == JAX else self.backend

    def ignored(self) -> list[str]:
        """A line for each backend that ignores compile options."""
        from ..models.compile_options import ignored

        names = {one.name for one in (self.backend, self.jax) if one is not None}
        found = {name: ignored(self.options.compile_options, name) for name in sorted(names)}
        return [f"ignored by the backend {name}: {', '.join(options)}" for name, options in found.items() if options]

    def _choose_torch(self) -> None:
        from ..execute import BackendMissing, choose_backend

        try:
            self.backend = choose_backend(self.options.backend)
        except BackendMissing as error:
            raise pytest.UsageError(str(error)) from error
        if self.options.forked:
            # Import once for all children; importing starts no runtime, which would not survive a fork.
            for name in _IMPORTS.get(self.backend.name, ()):
                importlib.import_module(name)

    def take_output(self) -> str:
        """The output of the running test, including its file descriptors; empty if pytest captures nothing.

        The output also stays in the report of the test.
        """
        manager = self.config.pluginmanager.getplugin("capturemanager")
        out, err = manager.read_global_capture() if manager else ("", "")

        ours = self.config.pluginmanager.getplugin("ttmatrix_payload.plugins.output")
        with ours.unseen() if ours else nullcontext():
            print(out, end="", flush=True)
            print(err, end="", flush=True, file=sys.stderr)
        return f"{out}\n{err}"

    def filecheck(self, name: str) -> Path:
        """The pattern file that an entry calls `name`."""
        return self.options.test_config.parents[1] / "filecheck" / name


HARNESS: pytest.StashKey[Harness] = pytest.StashKey()
