# SPDX-License-Identifier: Apache-2.0
"""The direction of imports, and what a headless command may load."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tree import sample

ROOT = Path(__file__).parents[2]


def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module", ["core.cli.dispatch", "core.cli.context", "core.cli.command_list", "core.cli.command_edit"]
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


_LATER = ("core.edits", "core.runs", "core.evidence", "core.workflows", "psutil", "filelock", "watchfiles")
"""What the first frame does not show."""

_AT_FIRST_FRAME = f"""
import os, sys
from pathlib import Path
from textual.app import App
from core.cli.parser import AppRequest
from tui.app.start import open_app

def look(app):
    if getattr(app.screen, "table", None) and app.screen.table.size:
        os.write(1, repr([name for name in {_LATER!r} if name in sys.modules]).encode())
        os._exit(0)

App.post_display_hook, run = look, App.run
App.run = lambda self: run(self, headless=True)
open_app(AppRequest(Path(sys.argv[1])))
"""


def test_nothing_that_the_first_frame_does_not_show_is_imported_before_it(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", _AT_FIRST_FRAME, str(sample(tmp_path).root)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]"


def test_a_kept_index_is_taken_up_without_what_reads_a_checkout() -> None:
    script = (
        "import sys, tui.app.start; print([name for name in ('ruamel', 'core.sources.loaders') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
