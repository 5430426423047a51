# SPDX-License-Identifier: Apache-2.0
"""Runs of tiny scripts in place of models."""

import secrets
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from core.domain.model import Function
from core.runs import RUN_VARIABLE, RunSpec
from core.runs.spec import run_id
from core.runs.store import RunStore


class MakeSpec(Protocol):
    def __call__(
        self,
        code: str = "pass",
        *,
        timeout: float = 60,
        slot_count: int = 2,
        moment: int = 0,
        token: str = "",
        **more: Any,
    ) -> RunSpec: ...


class Until(Protocol):
    def __call__(self, condition: Callable[[], object], seconds: float = 60.0) -> None: ...


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


@pytest.fixture
def make_spec(tmp_path: Path) -> MakeSpec:
    """Plans a run of a Python script, in which `report(text)` prints a result line."""

    def make(
        code: str = "pass",
        *,
        timeout: float = 60,
        slot_count: int = 2,
        moment: int = 0,
        token: str = "",
        **more: Any,
    ) -> RunSpec:
        nonce = token or secrets.token_hex(16)
        report = f"""def report(more='"phases": []'):
    print('TTMATRIX-RESULT {{"version": 1, "nonce": "{nonce}", ' + more + '}}', flush=True)
"""
        now = datetime.fromtimestamp(1_800_000_000 + moment, UTC)
        spec = RunSpec(
            run_id=run_id(now, nonce),
            test_id="mnist/pytorch-single_device-training",
            function=Function.TORCH,
            kind="cpu",
            arch=None,
            argv=(sys.executable, "-c", report + code),
            env={"GIVEN": "a b", RUN_VARIABLE: run_id(now, nonce)},
            cwd=tmp_path,
            timeout=timeout,
            created=now.isoformat(),
            nonce=nonce,
            slots="cpu",
            slot_count=slot_count,
            graces=(2.0, 1.0, 5.0),
        )
        return replace(spec, **more)

    return make


@pytest.fixture
def until() -> Until:
    def wait(condition: Callable[[], object], seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        pause = threading.Event()
        while not condition():
            assert time.monotonic() < deadline, "it never came true"
            pause.wait(0.02)

    return wait
