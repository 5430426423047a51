# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.watch: when a run is over, and why it was ended; the escalation itself climbs over real processes."""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.processes import Child, descendants, is_alive, spawn_detached
from core.runs import Outcome
from core.runs.execution.watch import Watch
from tests.core.runs.store.test_record import SPEC

FAMILY = """
import subprocess, sys
sys.exit(subprocess.call([sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(60)"]))
"""
PATIENT = replace(SPEC, timeout=0.0, hang_timeout=0.0, graces=(5.0, 5.0, 5.0))


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Child]:
    """A parent with one child, in place of a supervisor with its run."""
    command = [sys.executable, "-c", FAMILY]
    child = spawn_detached(command, cwd=tmp_path, env=dict(os.environ), output=tmp_path / "output.log")
    while "ready" not in (tmp_path / "output.log").read_text():
        assert child.wait(0.02) is None
    yield child
    os.killpg(child.identity.pid, 9) if is_alive(child.identity) else None
    child.wait(60)


def climb(watch: Watch) -> None:
    deadline = time.monotonic() + 60
    while not watch.over:
        assert time.monotonic() < deadline
        watch.look(time.monotonic())


def test_a_run_that_goes_on_is_left_alone(supervisor: Child, tmp_path: Path) -> None:
    watch = Watch(PATIENT, tmp_path, supervisor.identity, 0.0, 0.0)
    watch.look(1e9)
    assert (watch.over, watch.ending, watch.stopped) == (False, False, None)
    assert descendants(supervisor.identity)


@pytest.mark.slow("a run lasts as long as it may")
def test_over_its_time_limit_it_is_ended(supervisor: Child, tmp_path: Path) -> None:
    # The escalation advances by time: a process started while ignoring the first signal needs one more.
    begun = time.monotonic() - 30.1
    watch = Watch(replace(PATIENT, timeout=30.0), tmp_path, supervisor.identity, begun, begun)
    watch.look(begun + 30.0)
    assert not watch.ending
    watch.look(begun + 30.1)
    # The first reason counts.
    watch.stop(Outcome.CANCELLED)
    assert watch.stopped is Outcome.TIMEOUT
    climb(watch)
    assert (watch.over, watch.stuck) == (True, False)


def test_at_its_time_limit_it_is_known_whether_it_was_at_work(
    supervisor: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.watch.send_signal", lambda *_: None)
    spec = replace(PATIENT, timeout=30.0)
    silent = Watch(spec, tmp_path, supervisor.identity, 0.0, 0.0)
    silent.look(31.0)
    assert (silent.stopped, silent.idle) == (Outcome.TIMEOUT, 31.0)
    writing = Watch(spec, tmp_path, supervisor.identity, 0.0, 0.0)
    with (tmp_path / "output.log").open("a") as log:
        log.write("more\n")
    writing.look(31.0)
    assert (writing.stopped, writing.idle) == (Outcome.TIMEOUT, 0.0)
    # It was watched by another supervisor before: no activity so far means nothing.
    taken_over = Watch(spec, tmp_path, supervisor.identity, 0.0, 29.0)
    taken_over.look(31.0)
    assert (taken_over.stopped, taken_over.idle) == (Outcome.TIMEOUT, None)


def test_idle_and_silent_for_too_long_it_hangs(supervisor: Child, tmp_path: Path) -> None:
    watch = Watch(replace(PATIENT, hang_timeout=60.0), tmp_path, supervisor.identity, 0.0, 0.0)
    for moment in range(0, 60, 3):
        watch.look(float(moment))
    assert not watch.ending
    watch.look(66.0)
    assert watch.stopped is Outcome.HANG


def test_the_start_of_pytest_may_be_silent_and_then_counts_for_nothing(supervisor: Child, tmp_path: Path) -> None:
    """Upstream's runner imports every loader before its first test."""
    spool = tmp_path / "captured"
    spool.mkdir()
    watch = Watch(replace(PATIENT, hang_timeout=60.0), tmp_path, supervisor.identity, 0.0, 0.0)
    for moment in (66.0, 132.0):
        watch.look(moment)
    (spool / "begun").touch()
    watch.look(140.0)
    watch.look(191.0)
    assert not watch.ending, "less than a minute since the test began"
    watch.look(199.0)
    assert watch.stopped is Outcome.HANG


def test_once_its_process_has_ended_what_it_left_is_ended_without_a_reason(supervisor: Child, tmp_path: Path) -> None:
    (tmp_path / "exit.json").write_text(json.dumps({"at": 1.0, "code": 0, "error": ""}))
    watch = Watch(replace(PATIENT, timeout=1.0), tmp_path, supervisor.identity, 0.0, 0.0)
    watch.look(1e6)
    assert (watch.ending, watch.stopped) == (True, None)


def test_what_survives_every_signal_is_stuck_and_over(
    supervisor: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.watch.send_signal", lambda *_: None)
    watch = Watch(replace(PATIENT, graces=(0.0, 0.0, 0.0)), tmp_path, supervisor.identity, 0.0, 0.0)
    watch.stop(Outcome.CANCELLED)
    climb(watch)
    assert watch.stuck
