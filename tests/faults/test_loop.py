# SPDX-License-Identifier: Apache-2.0
"""One round of the loop; the long run is `python -m tests.faults.loop --count 1000`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.many_runs import RUNS_VARIABLE
from tests.faults.table import KINDS

pytestmark = pytest.mark.slow("commits are hit by every kind of fault")

ROOT = Path(__file__).parents[2]


def test_nothing_is_lost() -> None:
    words = ["-m", "tests.faults.loop", "--count", str(len(KINDS)), "--seed", "suite"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), RUNS_VARIABLE: "500"}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lost work: 0, stray lock: 0, false message: 0, traceback: 0, hang: 0" in done.stdout
    for kind in KINDS:
        line = next(line for line in done.stdout.splitlines() if line.startswith(f"  {kind}  "))
        assert "left out: " in line or int(line.split()[-2]) > 0, line
