# SPDX-License-Identifier: Apache-2.0
"""The app on a real terminal, killed with no warning, and opened again."""

import os
import signal
import sys
from pathlib import Path

import pytest

from core.base.settings import paths
from tests.support.sample import sample_checkout
from tests.support.terminal import Terminal
from tui.app.last_place import place_file, read_place

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


def test_screen_query_and_cursor_outlive_kill_9(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    command = [sys.executable, "-m", "tui", "--repo", str(checkout.root), "--screen", "matrix"]
    file = place_file(paths().places, checkout.root)

    def stored(screen: str, query: str) -> bool:
        place = read_place(file)
        return place is not None and (place.screen, str(place.view.query)) == (screen, query)

    with Terminal(command, {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("2,285")
        terminal.press("/", "status:xfail", "enter", "j", "j")
        terminal.until(lambda: stored("", "status:xfail"))
        terminal.press("6")
        terminal.until(lambda: stored("doctor", "status:xfail"))
        os.killpg(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait(60)
    place = read_place(file)
    assert place is not None
    assert place.spot.cursor
    with Terminal(command[:-2], {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("findings of")
        terminal.press("1")
        terminal.until("/ status:xfail")
        terminal.press("enter")
        terminal.until(place.spot.cursor)
        terminal.press("q", "q")
        assert terminal.process.wait(60) == 0
