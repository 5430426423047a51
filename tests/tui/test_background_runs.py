# SPDX-License-Identifier: Apache-2.0
"""A whole batch on a real terminal: it runs during other work, survives the app, and failed runs are repeated."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.settings import paths
from core.runs import Outcome
from core.runs.execution import cancel_all
from core.runs.store import RunRecord, RunStore
from tests.support.sample import sample_checkout
from tests.support.terminal import Terminal
from tests.support.warm_python import use_python

pytestmark = pytest.mark.slow("real models run beside the app on a real terminal")

ROOT = Path(__file__).parents[2]
MODELS = "(Width_8 or Loose or Small_Patch8 or Way_5 or Grid_8)"
QUERY = f"has:entry mode:inference parallelism:single_device {MODELS}"
SETTINGS = "cpu_slots = 2\ncpu_memory = 0.1\nhang_timeout = 4\n"
WAITS = """\
#!/bin/sh
case "$*" in *--nonce=*) while [ ! -e {go} ]; do echo waiting; sleep 0.5; done ;; esac
exec {python} "$@"
"""
"""An interpreter whose runs begin only when a file is there; until then they are not silent, which would be a hang."""
ENDS = {
    "conv_classifier": Outcome.PASS,
    "equilibrium_net": Outcome.HANG,
    "patch_vit": Outcome.CANCELLED,
    "prototype_net": Outcome.FAIL,
    "voxel_scatter": Outcome.CRASH,
}


@pytest.fixture
def store() -> Iterator[RunStore]:
    store = RunStore(paths().runs)
    yield store
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


def model(record: RunRecord) -> str:
    return record.spec.test_id.partition("/")[0]


def test_a_batch_runs_beside_the_work_and_what_failed_runs_again(
    tmp_path: Path, own_home: Path, warm_torch: Path, store: RunStore
) -> None:
    go, python = tmp_path / "go", tmp_path / "python"
    python.write_text(WAITS.format(go=go, python=warm_torch))
    python.chmod(0o755)
    use_python(python, own_home, SETTINGS)
    checkout = sample_checkout(tmp_path / "demo")
    command = [sys.executable, "-m", "tui", "--repo", str(checkout.root), "--screen", "matrix"]
    with Terminal([*command, "-q", QUERY], {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("5 of 2,285")
        terminal.press("*")
        terminal.until("5 marked")
        terminal.press("r")
        terminal.until("Run 5 marked tests")
        terminal.press("enter")
        terminal.until("0 of 5 runs")
        # The matrix is filtered while they run, and the marks stay with the tests.
        terminal.press("/", "ctrl+u", "status:xfail patch_vit", "enter")
        terminal.until("1 of 2,285")
        terminal.until("5 marked")
        assert any(record.active for record in store.records())
        terminal.press("2")
        terminal.until("0 of 5 done")
        waiting = next(record for record in store.records() if model(record) == "patch_vit")
        store.queue.hold(waiting.spec.run_id, True)
        terminal.until("on hold")
        ask_to_stop(terminal, "patch_vit")
        terminal.press("y")
        terminal.until("cancelled")
        assert any(record.active for record in store.records())
        terminal.press("q", "q")
        terminal.until("Runs continue: ")
        assert terminal.process.wait(60) == 0
    assert any(record.active for record in store.records())
    with Terminal(command, {"PYTHONPATH": str(ROOT)}, warm=True) as terminal:
        terminal.until("1 of 5 runs")
        go.touch()
        terminal.press("2")
        terminal.until("CRASH", 120)
        terminal.until("HANG", 120)
        terminal.until(lambda: not any(record.active for record in store.records()), 120)
        first = store.records()
        assert {model(record): record.outcome for record in first} == ENDS
        terminal.press("R")
        terminal.until("Run 4 tests again?")
        terminal.press("y")
        terminal.until("of 4 done")
        again = [record for record in store.records() if record.spec.parent]
        assert {record.spec.parent for record in again} == {first[0].spec.batch}
        assert {model(record) for record in again} == ENDS.keys() - {"conv_classifier"}
        terminal.press("q", "q")
        assert terminal.process.wait(60) == 0


def ask_to_stop(terminal: Terminal, name: str) -> None:
    """Select the run of that model and ask to stop it. An ended run has no such question."""
    terminal.press("g", "j")
    while True:
        terminal.press("S")
        terminal.until(lambda: "Stop run 2" in terminal.text or "This run is over" in terminal.text)
        question = terminal.text.partition("Stop run 2")[2].partition("esc cancel")[0]
        if name in question:
            return
        if question:
            terminal.press("esc")
        # A message about one run must not be taken for the next.
        terminal.until(lambda: "Stop run 2" not in terminal.text and "This run is over" not in terminal.text)
        terminal.press("j")
