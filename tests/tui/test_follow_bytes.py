# SPDX-License-Identifier: Apache-2.0
"""What following a log sends to the terminal, line by line: about the line itself."""

import sys
from collections import deque
from pathlib import Path
from statistics import median

import pytest

from core.base.settings import paths
from core.runs.store import RunStore
from tests.support.fake_python import use_fake_python
from tests.support.terminal import Terminal
from tests.support.tree import sample

pytestmark = pytest.mark.slow("the app runs on a real terminal")

ROOT = Path(__file__).parents[2]
_LINES = 12
_MOST_LINES = 300


@pytest.mark.parametrize(("screen", "columns", "rows"), [("2", 80, 24), ("3", 200, 55)])
def test_a_line_of_a_log_costs_little_more_than_itself(
    tmp_path: Path, own_home: Path, screen: str, columns: int, rows: int
) -> None:
    use_fake_python(own_home, tmp_path)
    checkout = sample(tmp_path / "tt-xla")
    query = "net-v1.5 has:entry mode:inference"
    argv = [sys.executable, "-m", "tui", "--repo", str(checkout.root), "-q", query]
    env = {"PYTHONPATH": str(ROOT), "COLORTERM": "truecolor"}
    with Terminal(argv, env, columns, rows, warm=True) as terminal:
        terminal.until("1 of")
        terminal.press("r")
        terminal.until("Started")
        terminal.press(screen)
        terminal.until("waiting")
        (record,) = RunStore(paths().runs).records()
        with record.log.open("a") as log:
            for number in range(2 * rows):
                log.write(f"a line that was there before: {number}\n")
        terminal.until(f"there before: {2 * rows - 1}")
        # The word that the run has started goes by itself.
        terminal.until(lambda: "Started" not in terminal.text)
        terminal.read(0.3)
        # Besides the line: colours, some cells of the bar, and once a second how long the run takes.
        # A word that comes late over the log costs more until it goes, so the last lines must be cheap, not the first.
        costs: deque[int] = deque(maxlen=_LINES)
        for number in range(_MOST_LINES):
            before = len(terminal.output)
            with record.log.open("a") as log:
                log.write(f"2026-11-22 12:00:00 step {number:05} loss=0.5 running the forward pass\n")
            terminal.until(f"step {number:05}")
            costs.append(len(terminal.output) - before)
            if len(costs) == _LINES and median(costs) < 10 * columns:
                break
        assert median(costs) < 10 * columns
        terminal.press("S")
        terminal.until("Stop run")
        terminal.press("y")
        terminal.until("cancelled")
        terminal.press(*("qqq" if screen == "3" else "qq"))
        assert terminal.wait() == 0
