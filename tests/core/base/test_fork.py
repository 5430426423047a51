# SPDX-License-Identifier: Apache-2.0
"""Work in a copy of the process gives the same result as here, whatever happens to the copy."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fork import in_background, in_fork


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the copy on any machine, whatever threads earlier tests have left."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_it_runs_in_a_process_of_its_own() -> None:
    assert in_fork(os.getpid)() != os.getpid()


def test_large_results_come_back_whole() -> None:
    assert in_fork(lambda: ["x" * 1000] * 5000)() == ["x" * 1000] * 5000


def test_an_error_is_met_by_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        in_fork(lambda: 1 // 0)()


def _unless_in(process: int, fate: Callable[[], object]) -> Callable[[], int]:
    def work() -> int:
        if os.getpid() != process:
            fate()
        return os.getpid()

    return work


@pytest.mark.parametrize(
    "fate", [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(3)], ids=["killed", "gone"]
)
def test_where_the_copy_dies_the_work_is_done_here(fate: Callable[[], object]) -> None:
    assert in_fork(_unless_in(os.getpid(), fate))() == os.getpid()


def test_a_result_that_cannot_travel_is_made_here() -> None:
    assert callable(in_fork(lambda: lambda: None)())


def test_no_copy_with_threads_or_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert in_fork(os.getpid)() == os.getpid()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert in_fork(os.getpid)() == os.getpid()


def test_no_copy_where_none_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert in_fork(os.getpid)() == os.getpid()


def _until(path: Path) -> str:
    """The output of a copy, once it exists."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, "nothing was written"
        time.sleep(0.01)
    return path.read_text()


def _say_who(path: Path) -> None:
    unfinished = path.with_suffix(".new")
    unfinished.write_text(f"{os.getpid()} {os.getsid(0)}")
    unfinished.rename(path)


def test_what_nobody_waits_for_is_done_in_a_session_of_its_own(tmp_path: Path) -> None:
    in_background(lambda: _say_who(tmp_path / "who"))
    process, session = _until(tmp_path / "who").split()
    assert process == session != str(os.getpid())
    assert os.waitpid(int(process), 0)[1] == 0


def test_who_reads_our_output_need_not_wait_for_what_goes_on_behind_it() -> None:
    code = "import time; from core.base.fork import in_background; in_background(lambda: time.sleep(60)); print('done')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_the_work_is_done_at_once_where_no_copy_may_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    in_background(lambda: done.append(os.getpid()))
    assert done == [os.getpid()]


_COMMAND = """
import gc
import tui.__main__
from core.cli import command_policy
from core.cli.dispatch import main

started = gc.isenabled()
command_policy.execute = lambda args, context: print(started, gc.isenabled(), gc.get_threshold()[0]) or 0
main(["policy"], None)
"""


def test_a_command_runs_with_the_collector_on() -> None:
    done = subprocess.run([sys.executable, "-c", _COMMAND], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "20000"]
