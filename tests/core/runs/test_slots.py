# SPDX-License-Identifier: Apache-2.0
"""core.runs.slots: no more holders than slots, and a dead holder frees its slot."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import TTMatrixError
from core.runs.slots import take_slot

HOLDER = """
import sys, time
from pathlib import Path
from core.runs.slots import take_slot
held = take_slot(Path(sys.argv[1]), "cpu", 1)
print(held is not None, flush=True)
time.sleep(60)
"""


def test_slots_are_taken_once_each_and_come_back(tmp_path: Path) -> None:
    first, second = take_slot(tmp_path, "cpu", 2), take_slot(tmp_path, "cpu", 2)
    assert first
    assert second
    assert take_slot(tmp_path, "cpu", 2) is None
    first.release()
    again = take_slot(tmp_path, "cpu", 2)
    assert again
    again.release()
    second.release()


def test_names_do_not_compete(tmp_path: Path) -> None:
    cpu, device = take_slot(tmp_path, "cpu", 1), take_slot(tmp_path, "n150", 1)
    assert cpu
    assert device
    cpu.release()
    device.release()


def test_the_slot_of_a_killed_process_is_free(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "True\n"
        assert take_slot(tmp_path, "cpu", 1) is None
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    freed = take_slot(tmp_path, "cpu", 1)
    assert freed
    freed.release()


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot lock"):
        take_slot(tmp_path / "file", "cpu", 1)
