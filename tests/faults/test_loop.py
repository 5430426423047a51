# SPDX-License-Identifier: Apache-2.0
"""A few rounds of the loop, the same each time; the long run is `python -m tests.faults.loop --count 1000`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.kinds import KINDS

ROOT = Path(__file__).parents[2]
_ROUNDS = 2


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost(kind: str) -> None:
    words = ["-m", "tests.faults.loop", "--count", str(_ROUNDS), "--seed", "suite", "--kind", kind]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = next(line for line in done.stdout.splitlines() if line.startswith(f"  {kind}  "))
    if "left out: " in counted:
        pytest.skip(counted.strip())
    assert counted.split()[-4:] == [str(_ROUNDS), "injected", str(_ROUNDS), "survived"]
    assert done.stdout.splitlines()[-1] == "lost work: 0, stray lock: 0, false message: 0, traceback: 0"
