# SPDX-License-Identifier: Apache-2.0
"""The app on a real terminal, killed with no warning, and opened again."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.sample import sample_checkout
from tests.support.terminal import Terminal

pytestmark = pytest.mark.slow("the app runs on a real terminal")

ROOT = Path(__file__).parents[2]


def test_what_was_decided_and_marked_outlives_kill_9(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    command = [sys.executable, "-m", "tui", "--repo", str(checkout.root), "-q", "status:xfail patch_vit"]
    with Terminal(command, {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("1 of 2,285")
        terminal.press("E")
        terminal.until("bringup_status")
        terminal.press("left", "enter")
        terminal.until("1 pending")
        terminal.press("space")
        terminal.until("1 marked")
        terminal.press("5")
        terminal.until("? open")
        terminal.press("a")
        terminal.until("✓ accept")
        os.killpg(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait(60)
    with Terminal(command, {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("1 pending")
        terminal.until("1 marked")
        terminal.press("5")
        terminal.until("✓ accept")
        terminal.press("u")
        terminal.until("? open")
        terminal.press("q", "q")
        terminal.until("1 pending change saved for the next start.")
        assert terminal.process.wait(60) == 0
