# SPDX-License-Identifier: Apache-2.0
"""The app as a process on a real terminal of 80 x 24 cells."""

import os
import signal
import sys
from pathlib import Path

import pytest

from core.base.processes import run_command
from core.base.settings import paths
from core.cli.demo_walk import STALE
from core.runs.store import RunStore
from tests.support.sample import sample_checkout
from tests.support.terminal import Terminal
from tests.support.warm_python import use_python

pytestmark = pytest.mark.slow("the app runs on a real terminal")

ROOT = Path(__file__).parents[3]


def _open(checkout: Path, *argv: str, warm: bool = True) -> Terminal:
    command = [sys.executable, "-m", "tui", "--repo", str(checkout), "--screen", "matrix", *argv]
    return Terminal(command, {"PYTHONPATH": str(ROOT)}, warm=warm)


def test_the_whole_job_at_80x24(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    checkout = sample_checkout(tmp_path / "demo")
    # The command and the interpreter of a person: nothing of them is loaded before.
    with _open(checkout.root, warm=False) as terminal:
        terminal.until("the 120 with an entry")
        terminal.press("/", "status:xfail patch_vit", "enter")
        terminal.until("1 of 2,285")
        terminal.press("r")
        terminal.until("1 running")
        terminal.press("L")
        terminal.until("FLOAT32: ok")
        terminal.press("1")
        terminal.until(" pass")
        terminal.press("E")
        terminal.until("bringup_status")
        terminal.press("left", "enter", "5")
        terminal.until("+    status: EXPECTED_PASSING")
        terminal.press("a", "c")
        terminal.until("Commit 1 test")
        terminal.press("ctrl+s")
        # A message that comes and goes is not suitable to wait for.
        terminal.until("committed ")
        terminal.press("q", "q")
        assert terminal.process.wait(60) == 0
    subject = run_command(["git", "log", "-1", "--format=%s"], cwd=checkout.root).stdout
    assert subject == f"Expect {STALE} to pass\n"


def test_a_run_outlives_a_killed_app_and_is_found_again(tmp_path: Path, own_home: Path, warm_torch: Path) -> None:
    use_python(warm_torch, own_home)
    checkout = sample_checkout(tmp_path / "demo")
    with _open(checkout.root, "-q", "equilibrium_net Loose mode:inference parallelism:single_device") as terminal:
        terminal.until("1 of 2,285")
        terminal.press("r")
        terminal.until("1 running")
        os.killpg(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait(60)
    (record,) = RunStore(paths().runs).records()
    assert record.active
    with _open(checkout.root) as terminal:
        terminal.until("1 running")
        terminal.press("2")
        terminal.until("equilibrium_net")
        terminal.until(lambda: RunStore(paths().runs).records()[0].supervisor is not None)
        terminal.press("S")
        terminal.until("Stop run")
        terminal.press("y")
        terminal.until("cancelled")
        terminal.press("q", "q")
        assert terminal.process.wait(60) == 0


def test_the_app_ends_with_its_terminal(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    with _open(checkout.root) as terminal:
        terminal.until("the 120 with an entry")
        terminal.hang_up()
        assert terminal.process.wait(60) == 128 + signal.SIGHUP


def test_without_a_terminal_it_says_so_instead_of_waiting_for_keys(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    ended = run_command([sys.executable, "-m", "tui", "--repo", str(checkout.root)], cwd=ROOT)
    assert (ended.returncode, "The app needs a terminal" in ended.stderr) == (2, True)


def test_errors_before_the_app_opens_are_plain_lines(tmp_path: Path) -> None:
    with _open(tmp_path, warm=False) as terminal:
        terminal.until("No tt-xla checkout")
        assert terminal.process.wait(60) == 2
        assert "Traceback" not in terminal.text


def test_a_query_typed_in_one_burst_is_a_query_and_runs_nothing(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    with _open(checkout.root) as terminal:
        terminal.until("the 120 with an entry")
        terminal.press("/tinynet/pytorch-tiny/net-v1.5 rESq5")
        terminal.until("0 of 2,285")
        terminal.until("tinynet/pytorch-tiny/net-v1.5 rESq5")
    assert RunStore(paths().runs).records() == []


def test_keys_behind_a_query_in_one_burst_mean_the_rows_that_it_selects(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    with _open(checkout.root) as terminal:
        terminal.until("the 120 with an entry")
        terminal.press("/status:xfail patch_vitt\x7f\r*")
        terminal.until("1 of 2,285 · 1 marked")
        terminal.press("/\x15has:entry\rj*")
        terminal.until("120 of 2,285 · 120 marked")
        terminal.press("/\x1b")
        terminal.until("2,285 rows, the 120 with an entry first · 120 marked")


def test_overview_grid_and_groups_at_80x24(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    with _open(checkout.root) as terminal:
        terminal.until("the 120 with an entry")
        terminal.press("0")
        terminal.until(f"{'new failures':18}{'0':>6}")
        terminal.press("\t", "\t", "\t", "l", "enter")
        terminal.until("status:expected_passing")
        terminal.press("#")
        terminal.until("all · n150")
        terminal.press("j", "enter")
        terminal.until("loader~^")
        terminal.press("[")
        terminal.until("anchor_rcnn/pytorch · n150")
        terminal.press("-", "m")
        terminal.until("Group the tests by")
        terminal.press("family", "enter")
        terminal.until("▸ ")
        terminal.press("q")
        assert terminal.process.wait(60) == 0
