# SPDX-License-Identifier: Apache-2.0
"""Runs of JAX models in their own interpreter: a session of the runner, and a CPU repro."""

import json
import os
import subprocess
from collections.abc import Iterable
from typing import Any

from core.domain.model import Function, node_id
from core.runs import Testcase as Case, read_testcases
from core.runs.planning import CPU_PAYLOAD
from core.runs.planning.kinds import PAYLOAD
from core.sources import Checkout
from tests.support.models import jax_python


def session(sample: Checkout, devices: int, *ids: str) -> dict[str, Case]:
    """The testcases by id, of one session with so many CPU devices."""
    junit = sample.root / f"junit-{devices}.xml"
    done = _pytest(sample, devices, f"--junitxml={junit}", f"--serialize={sample.root / f'ir-{devices}'}", *_nodes(ids))
    assert junit.is_file(), done.stdout + done.stderr
    return {case.name.partition("[")[2].removesuffix("]"): case for case in read_testcases(junit)}


def output(sample: Checkout, id: str) -> str:
    """What a session on one device prints for a test."""
    done = _pytest(sample, 1, "-s", *_nodes([id]))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _nodes(ids: Iterable[str]) -> list[str]:
    return [node_id(Function.JAX, id) for id in ids]


def _pytest(sample: Checkout, devices: int, *words: str) -> subprocess.CompletedProcess[str]:
    own = {"PYTHONPATH": str(PAYLOAD), "ENABLE_BRINGUP_STAGE_LOGGING": "1", "CPU_NUM_DEVICES": str(devices)}
    return subprocess.run(
        [str(jax_python()), "-m", "pytest", "-p", "ttmatrix_payload.runner", "--forked", "-q", *words],
        cwd=sample.root,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def repro(sample: Checkout, loader: str, mode: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, result and output of the CPU repro."""
    words = [f"--checkout={sample.root}", f"--loader={loader}", f"--mode={mode}", "--nonce=cafe", *options]
    command = [str(jax_python()), str(CPU_PAYLOAD), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=sample.root)
    line = next(one for one in reversed(done.stdout.splitlines()) if one.startswith("TTMATRIX-RESULT "))
    return done.returncode, json.loads(line.removeprefix("TTMATRIX-RESULT ")), done.stdout
