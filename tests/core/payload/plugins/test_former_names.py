# SPDX-License-Identifier: Apache-2.0
"""Commands that name a plugin as it was called before still work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import payload


@pytest.mark.parametrize(
    ("plugin", "option"), [("ttmatrix_runner", "--models-root"), ("ttmatrix_ops.plugin", "--ops-dir")]
)
def test_a_former_name_brings_the_same_options(plugin: str, option: str, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(payload.__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", plugin, "--help"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert option in done.stdout
