# SPDX-License-Identifier: Apache-2.0
"""Execute models in another interpreter, and in the one with torch-xla."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_SERVER = Path(__file__).with_name("model_server.py")

Ask = Callable[[dict[str, Any]], dict[str, Any]]

QUICK = {
    # Halves the time of a test: programs that run once are not worth optimising.
    "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
    # Several models run at once.
    "OMP_NUM_THREADS": "1",
}
"""The environment for models of the sample, whose compilation takes longer than running them."""


@contextmanager
def model_server(python: Path, environ: Mapping[str, str] | None = None) -> Iterator[Ask]:
    """`model_server.py` under `python`, with `environ` added to ours: a function that hands it a job and gives the outcomes by variant."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    surroundings = {**os.environ, **(environ or {})}
    with subprocess.Popen([python, _SERVER], text=True, env=surroundings, **pipes) as process:  # type: ignore[call-overload]

        def ask(job: dict[str, Any]) -> dict[str, Any]:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(process.stderr.read())
            answer: dict[str, Any] = json.loads(line)
            return answer

        yield ask
        process.stdin.close()


def xla_python() -> Path:
    """The interpreter for tests marked `xla`. Without it they fail, rather than pass by being skipped."""
    named = os.environ.get("TTMATRIX_XLA_PYTHON")
    if not named:
        pytest.fail("TTMATRIX_XLA_PYTHON names no interpreter with torch-xla; make test-xla sees to it")
    return Path(named)


def jax_python() -> Path:
    """The interpreter for tests marked `jax`. Without it they fail, rather than pass by being skipped."""
    named = os.environ.get("TTMATRIX_JAX_PYTHON")
    if not named:
        pytest.fail("TTMATRIX_JAX_PYTHON names no interpreter with jax; make test-jax sees to it")
    return Path(named)
