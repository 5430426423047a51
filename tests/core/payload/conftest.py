# SPDX-License-Identifier: Apache-2.0
"""A tiny checkout of tiny models, and one process with torch loaded that forks for every case."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PAYLOAD = Path(__file__).parents[3] / "core/payload"
# The files of the payload find each other as they do in their own interpreter.
sys.path.append(str(PAYLOAD))

BASE = """
import torch

class ForgeModel:
    _VARIANTS = {}
    def __init__(self, variant=None):
        self.variant = variant
    @classmethod
    def query_available_variants(cls):
        return cls._VARIANTS
    def unpack_forward_output(self, output):
        if isinstance(output, torch.Tensor):
            return output
        raise ValueError(f"No handler for class {type(output).__name__} exists")

class ForgePrefillModel(ForgeModel):
    pass
"""

SERVER = """
import gc, json, os, sys, traceback
import torch
import torch._dynamo
import torch.fx.experimental.symbolic_shapes  # Else every fork imports them, in forward and backward.
import cpu_repro
gc.freeze()  # Else every fork copies the pages of all that its collector looks at.
for line in sys.stdin:
    argv, output = json.loads(line)
    pid = os.fork()
    if pid == 0:
        target = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(target, 1)
        os.dup2(target, 2)
        code = 99
        try:
            code = cpu_repro.main(argv)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Ran:
    code: int
    output: str
    result: dict[str, Any] | None

    @property
    def phases(self) -> list[dict[str, Any]]:
        assert self.result is not None, self.output
        phases: list[dict[str, Any]] = self.result["phases"]
        return phases


Payload = Callable[[list[str]], tuple[int, str]]
Repro = Callable[..., Ran]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The models root of an empty checkout at `tmp_path / "checkout"`."""
    root = tmp_path / "checkout/third_party/tt_forge_models"
    root.mkdir(parents=True)
    (root / "__init__.py").write_text("")
    (root / "base.py").write_text(BASE)
    return root


@pytest.fixture(scope="session")
def server() -> Iterator[subprocess.Popen[str]]:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVER],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture
def payload(tmp_path: Path, server: subprocess.Popen[str]) -> Payload:
    """Runs the payload with arguments: its exit code, or minus a signal's number, and its output."""

    def run(argv: list[str]) -> tuple[int, str]:
        output = tmp_path / "output"
        output.unlink(missing_ok=True)
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps([argv, str(output)]) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return code, output.read_text()

    return run


@pytest.fixture
def repro(models: Path, payload: Payload) -> Repro:
    """Writes a loader into the checkout and runs the payload on it."""

    def run(loader: str, *options: str, directory: str = "tiny/pytorch", mode: str = "training") -> Ran:
        place = models / directory
        place.mkdir(parents=True, exist_ok=True)
        (place / "loader.py").write_text(loader)
        argv = [f"--checkout={models.parents[1]}", f"--loader={directory}", f"--mode={mode}", "--nonce=cafe", *options]
        code, output = payload(argv)
        return Ran(code, output, last_result(output))

    return run


def last_result(text: str) -> dict[str, Any] | None:
    lines = [line for line in text.splitlines() if line.startswith("TTMATRIX-RESULT ")]
    if not lines:
        return None
    result: dict[str, Any] = json.loads(lines[-1].removeprefix("TTMATRIX-RESULT "))
    return result
