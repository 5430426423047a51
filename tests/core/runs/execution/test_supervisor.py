# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.supervisor: what it writes down; what a run does that loses it; the rest is tested where a scheduler starts it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.processes import identity, is_alive
from core.runs import Outcome, RunSpec
from core.runs.execution import cancel_all, wait
from core.runs.execution.launch import launch
from core.runs.execution.supervisor import Exit, read_exit
from core.runs.spec import spec_to_json
from core.runs.store import LOG, RunState, RunStore, events_file
from tests.core.runs.conftest import MakeSpec, Until

from .test_scheduler import ESCAPEE, escaped, log_has, scheduler_of


@pytest.mark.parametrize("text", ["", " " * 1024, "{", "[]", '{"code": 0}', '{"at": 1, "code": "x", "error": ""}'])
def test_what_is_not_written_yet_is_no_exit(tmp_path: Path, text: str) -> None:
    assert read_exit(tmp_path) is None
    (tmp_path / "exit.json").write_text(text)
    assert read_exit(tmp_path) is None


def test_an_exit_is_read_whatever_room_was_reserved_for_it(tmp_path: Path) -> None:
    (tmp_path / "exit.json").write_text(json.dumps({"at": 2.5, "code": -11, "error": ""}).ljust(1024))
    assert read_exit(tmp_path) == Exit(2.5, -11)


def test_the_end_is_on_the_disk_beside_the_events(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec("report(); raise SystemExit(1)")
    launch(store, spec)
    record = wait(store, [spec.run_id])[0]
    end = read_exit(record.directory)
    assert end
    assert (end.code, end.error) == (1, "")
    assert record.started is not None
    assert end.at >= record.started


_FORKS = """
import os, signal, sys
from pathlib import Path
from core.runs.execution.supervisor import start_supervisor
from core.runs.spec import spec_from_json

def prepare(pid):
    if sys.argv[3] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[3] == "refused":
        raise OSError("no lease")

spec = spec_from_json(Path(sys.argv[1]).read_text())
os.waitpid(start_supervisor(spec, Path(sys.argv[2]), dict(os.environ), prepare=prepare), 0)
"""


@pytest.mark.parametrize(("how", "begins"), [("prepared", True), ("refused", False), ("killed", False)])
def test_nothing_begins_before_the_devices_are_its_own(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path, how: str, begins: bool
) -> None:
    spec = make_spec("report()")
    directory, file = store.create(spec), tmp_path / "spec.json"
    file.write_text(spec_to_json(spec))
    # Ends with the last process that has its output: the supervisor.
    done = subprocess.run(
        [sys.executable, "-c", _FORKS, str(file), str(directory), how], capture_output=True, text=True, check=False
    )
    assert ("no lease" in done.stderr, done.returncode) == {
        "prepared": (False, 0),
        "refused": (True, 1),
        "killed": (False, -signal.SIGKILL),
    }[how]
    assert (read_exit(directory) is not None) is begins
    assert ("started" in events_file(directory).read_text()) is begins
    assert (directory / LOG).exists() is begins


def kill_both(store: RunStore, spec: RunSpec) -> None:
    """Kill scheduler and supervisor at once, so that neither sees the other end."""
    supervisor = store.record(spec.run_id).supervisor
    assert supervisor
    both = [scheduler_of(store).pid, supervisor.pid]
    for signum in (signal.SIGSTOP, signal.SIGKILL):
        for pid in both:
            os.kill(pid, signum)


@pytest.mark.slow("runs are started")
def test_a_run_whose_scheduler_and_supervisor_are_killed_ends_by_itself(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    spec = make_spec("import os, time; print('ready', os.getpid(), 'go', flush=True); time.sleep(60)")
    launch(store, spec)
    # Unbuffered, the child writes word by word.
    until(lambda: log_has(store, spec, "go"))
    child = identity(int(store.record(spec.run_id).log.read_text().split()[1]))
    assert child
    kill_both(store, spec)
    until(lambda: not is_alive(child), 5.0)
    # The child may be gone before the kernel has taken down the supervisor.
    until(lambda: store.record(spec.run_id).state is RunState.LOST, 5.0)
    assert store.record(spec.run_id).summary == "its processes are gone, and its end was not recorded"


@pytest.mark.slow("runs are started")
@pytest.mark.parametrize("ticket", [True, False])
def test_what_a_run_leaves_where_both_are_killed_is_reported_and_can_be_ended(
    store: RunStore, make_spec: MakeSpec, until: Until, ticket: bool
) -> None:
    spec = make_spec(ESCAPEE, graces=(0.2, 0.2, 2.0))
    launch(store, spec)
    escapee = escaped(store, spec, until)
    kill_both(store, spec)
    until(lambda: store.record(spec.run_id).state is RunState.LOST)
    told = f"its supervisor is gone, but process {escapee.pid} is still running: ttmatrix cancel {spec.run_id}"
    until(lambda: store.record(spec.run_id).summary == told)
    assert is_alive(escapee)
    if not ticket:
        store.queue.remove(spec.run_id)
    cancel_all(store, [spec.run_id])
    until(lambda: not is_alive(escapee), 5.0)
    assert store.record(spec.run_id).outcome is (Outcome.CANCELLED if ticket else Outcome.LOST)
