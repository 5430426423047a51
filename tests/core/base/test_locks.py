# SPDX-License-Identifier: Apache-2.0
"""Tests of core.base.locks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.errors import EXIT_INFRASTRUCTURE, TTMatrixError
from core.base.locks import locked

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from core.base.locks import locked
with locked(Path(sys.argv[1]), "holding on", wait=0):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_holder_is_named_and_a_dead_one_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], env=environ, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(TTMatrixError, match="Another ttmatrix holds") as caught, locked(path, "trying", wait=0):
            pytest.fail("the lock is held twice")
        assert f"Process {holder.pid} on " in caught.value.detail
        assert caught.value.detail.endswith(": holding on.")
        assert caught.value.exit_code == EXIT_INFRASTRUCTURE
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    # The note of the dead process is still there but has no effect.
    with locked(path, "trying", wait=0):
        assert path.exists()
    with locked(path, "again", wait=0):
        assert path.exists()


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with pytest.raises(KeyError), locked(path, "failing", wait=0):
        raise KeyError
    with locked(path, "again", wait=0):
        assert (tmp_path / "x.holder").exists()
    assert not (tmp_path / "x.holder").exists()


def test_a_note_that_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with locked(path, "holding", wait=0):
        (tmp_path / "x.holder").write_text("{}")
        with pytest.raises(TTMatrixError) as caught, locked(path, "trying", wait=0):
            pytest.fail("the lock is held twice")
    assert caught.value.detail == "It does not say which process it is."


def test_the_directory_is_made(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "b" / "x.lock", "holding", wait=0):
        assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_where_there_can_be_no_lock(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot lock"), locked(tmp_path / "file" / "x.lock", "trying", wait=0):
        pytest.fail("a file has no files")
