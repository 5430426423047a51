# SPDX-License-Identifier: Apache-2.0
"""A tiny checkout of tiny models, and a runner for the payload on it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PAYLOAD = Path(__file__).parents[3] / "core/payload"
# Modules of the payload import each other as they do in their own interpreter.
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


@pytest.fixture
def payload(tmp_path: Path, warm_torch: Path) -> Payload:
    """Runs the payload with arguments: its exit code, or minus a signal's number, and its output."""

    def run(argv: list[str]) -> tuple[int, str]:
        command = [str(warm_torch), str(PAYLOAD / "cpu_repro.py"), *argv]
        output = tmp_path / "output"
        with output.open("wb") as file:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
        return done.returncode, output.read_text()

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


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only packages available: pip gets no others."""
    place = tmp_path / "wheels"
    place.mkdir()
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(place))
    for name in ("TT_XLA_DISABLE_MODEL_REQS", "TT_XLA_REQS_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return place
