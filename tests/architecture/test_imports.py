# SPDX-License-Identifier: Apache-2.0
"""The direction of imports, and what a headless command may load."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module", ["core.cli.main", "core.cli.context", "core.cli.command_list", "core.cli.command_edit"]
)
def test_headless_loads_no_screen_and_no_runtime(module: str) -> None:
    heavy = ("textual", "rich", "torch", "torch_xla", "pytest", "tui")
    script = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_entry_point_alone_loads_no_screen() -> None:
    script = "import sys, tui.__main__; print([name for name in ('textual', 'rich') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
