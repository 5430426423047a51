# SPDX-License-Identifier: Apache-2.0
"""The script that bisects: the command line as a run calls it."""

import json
import os
import re
import subprocess
from pathlib import Path

from core.runs.planning.kinds import BISECT_PAYLOAD
from tests.core.payload.models.test_phase import HEAD


def test_auto_is_the_first_backend_that_works(models: Path, tmp_path: Path, warm_torch: Path) -> None:
    (models / "tiny/pytorch").mkdir(parents=True)
    (models / "tiny/pytorch/loader.py").write_text(HEAD)
    report = tmp_path / "bisect.json"
    argv = [str(warm_torch), str(BISECT_PAYLOAD), f"--checkout={models.parents[1]}", "--loader=tiny/pytorch"]
    argv += ["--backend=auto", f"--case={tmp_path / 'case.yaml'}", f"--report={report}"]
    # Without a C++ compiler the host has only `eager`, which compiles nothing.
    environment = {name: value for name, value in os.environ.items() if name != "CXX"} | {"PATH": str(tmp_path)}
    done = subprocess.run(argv, env=environment, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(report.read_text())["verdict"] == "none"
    assert re.search(r", backend (tt|xla|eager)$", done.stderr, re.MULTILINE)
