# SPDX-License-Identifier: Apache-2.0
"""Whatever step fails: files are old or new, the journal is readable, and nothing is lost."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.base.processes import run_command
from tests.faults import scenes
from tests.faults.injected import SMALL_FILES, Fault
from tests.faults.scenes import Place

pytestmark = pytest.mark.slow("steps of a write and of a commit are hit, each in a process of its own")

ROOT = Path(__file__).parents[2]
_PATIENCE_SECONDS = 60
_EVERY = 3
"""A third of the steps is hit, another third in each run; `tests.faults.run` by itself hits all."""
_KILLED_OR_FULL = (Fault.KILL_AFTER, Fault.FULL)
"""The state before a step is what the previous one left: kill only after each step, not before as well."""
_FAULTS = {
    "decide": (*_KILLED_OR_FULL, Fault.TORN, SMALL_FILES),
    "write": (*_KILLED_OR_FULL, Fault.TORN, Fault.READ_ONLY, SMALL_FILES),
    "commit": _KILLED_OR_FULL,
}


@pytest.mark.parametrize(("scene", "faults"), _FAULTS.items(), ids=_FAULTS)
def test_at_a_third_of_the_steps(tmp_path: Path, scene: str, faults: tuple[str, ...]) -> None:
    steps_hit = ["--first", str(random.randint(1, _EVERY)), "--every", str(_EVERY)]
    command = [sys.executable, "-m", "tests.faults.run", scene, str(tmp_path), *faults, *steps_hit]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for fault in faults:
        steps = [line for line in done.stdout.splitlines() if line.startswith(f"{scene}: {fault} step ")]
        assert len(steps) > (2 if fault is Fault.TORN else 15) // _EVERY


def test_killed_while_git_commits(tmp_path: Path) -> None:
    place = Place(tmp_path)
    scenes.lay_out(place)
    scenes.accept_and_write(place)
    hook = place.checkout.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $TTMATRIX_PID\n")
    hook.chmod(0o755)
    script = (
        "import os, sys; from pathlib import Path; from tests.faults import scenes\n"
        "os.environ['TTMATRIX_PID'] = str(os.getpid()); scenes.commit(scenes.Place(Path(sys.argv[1])))"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=environ, check=False)
    assert done.returncode == -9
    # git was not killed: it finishes by itself.
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not run_command(["git", "log", "--format=%s"], cwd=place.checkout.root).stdout.startswith("second"):
        assert time.monotonic() < deadline, "git never committed"
        time.sleep(0.02)
    hook.unlink()
    scenes.committed_or_not(place, Fault.KILL_AFTER)
