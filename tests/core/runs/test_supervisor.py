# SPDX-License-Identifier: Apache-2.0
"""core.runs.supervisor: one run from its queue to its end, seen from inside one process."""

import json
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.proc import identity, is_alive
from core.runs.events import CancelRequested, append_event
from core.runs.outcome import Outcome
from core.runs.record import RunRecord, RunState
from core.runs.slots import take_slot
from core.runs.spec import RunSpec
from core.runs.store import RunStore, events_file
from core.runs.supervisor import Supervisor

from .conftest import MakeSpec, Until

GRACES = (5.0, 5.0, 5.0)
SLEEP = "import time; print('ready', flush=True); time.sleep(60)"


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A shell starts background jobs with interrupts ignored, and children would inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def supervised(store: RunStore, spec: RunSpec) -> RunRecord:
    Supervisor(store.create(spec), store.slots, GRACES).supervise()
    return store.record(spec.run_id)


def test_a_child_that_reports_success_passes(store: RunStore, make_spec: MakeSpec) -> None:
    record = supervised(store, make_spec("""report('"phases": [{"dtype": "bfloat16", "ok": true}]')"""))
    assert (record.state, record.outcome, record.exit_code) == (RunState.FINISHED, Outcome.PASS, 0)
    assert record.summary == "bfloat16 ok"
    assert record.started is not None
    assert record.seconds is not None


@pytest.mark.parametrize(
    ("code", "outcome", "exit_code", "signal_number"),
    [
        ("report(); sys.exit(1)", Outcome.FAIL, 1, None),
        ("report(); sys.exit(2)", Outcome.ERROR, 2, None),
        ("pass", Outcome.ERROR, 0, None),
        ("raise ValueError", Outcome.ERROR, 1, None),
        ("import os; os.kill(os.getpid(), 11)", Outcome.CRASH, None, signal.SIGSEGV),
    ],
)
def test_every_end_has_its_outcome(
    store: RunStore,
    make_spec: MakeSpec,
    code: str,
    outcome: Outcome,
    exit_code: int | None,
    signal_number: int | None,
) -> None:
    record = supervised(store, make_spec("import sys; " + code))
    assert (record.outcome, record.exit_code, record.signal) == (outcome, exit_code, signal_number)


def test_the_child_sees_the_users_environment_the_spec_and_nothing_of_ours(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/users/own")
    code = """
import json, os, sys
seen = {"cwd": os.getcwd(), "stdin": sys.stdin.read(), "given": os.environ["GIVEN"],
        "path": os.environ["PYTHONPATH"], "leads": os.getpid() == os.getpgid(0) == os.getsid(0)}
print("to stderr", file=sys.stderr)
report('"seen": ' + json.dumps(seen))"""
    spec = make_spec(code)
    record = supervised(store, spec)
    assert record.result is not None
    assert record.result["seen"] == {
        "cwd": str(spec.cwd),
        "stdin": "",
        "given": "a b",
        "path": "/users/own",
        "leads": True,
    }
    assert "to stderr" in record.log.read_text()


def test_a_command_that_cannot_start_is_an_error_with_its_reason(store: RunStore, make_spec: MakeSpec) -> None:
    record = supervised(store, replace(make_spec(), argv=("/absent/python",)))
    assert record.outcome is Outcome.ERROR
    assert "/absent/python" in record.summary
    assert record.started is None


def test_a_child_over_its_limit_is_stopped(store: RunStore, make_spec: MakeSpec) -> None:
    record = supervised(store, make_spec(SLEEP, timeout=0.3))
    assert (record.outcome, record.signal) == (Outcome.TIMEOUT, signal.SIGINT)
    assert record.summary.endswith("the limit is 0.3 s")


def test_a_request_in_the_journal_stops_the_child_and_what_it_started(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    code = "import subprocess, sys, time\n" + (
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
        "start_new_session=True).pid, flush=True)\ntime.sleep(60)"
    )
    spec = make_spec(code)
    directory = store.create(spec)
    watching = threading.Thread(target=Supervisor(directory, store.slots, GRACES).supervise)
    watching.start()
    log = store.record(spec.run_id).log
    until(lambda: log.exists() and log.read_text().endswith("\n"))
    grandchild = identity(int(log.read_text()))
    assert grandchild
    append_event(events_file(directory), CancelRequested(1.0))
    watching.join()
    assert store.record(spec.run_id).outcome is Outcome.CANCELLED
    assert not is_alive(grandchild)


def test_a_signal_to_the_supervisor_cancels_the_run(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    spec = make_spec(SLEEP)
    supervisor = Supervisor(store.create(spec), store.slots, GRACES)
    watching = threading.Thread(target=supervisor.supervise)
    watching.start()
    until(lambda: store.record(spec.run_id).state is RunState.RUNNING)
    supervisor.ask_to_stop(signal.SIGTERM)
    watching.join()
    assert store.record(spec.run_id).outcome is Outcome.CANCELLED


def test_a_queued_run_is_cancelled_without_ever_starting(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    held = take_slot(store.slots, "cpu", 1)
    assert held
    spec = make_spec(SLEEP, slot_count=1)
    directory = store.create(spec)
    watching = threading.Thread(target=Supervisor(directory, store.slots, GRACES).supervise)
    watching.start()
    append_event(events_file(directory), CancelRequested(1.0))
    watching.join()
    held.release()
    record = store.record(spec.run_id)
    assert (record.outcome, record.started, record.log.exists()) == (Outcome.CANCELLED, None, False)


def test_what_a_child_leaves_running_is_stopped_after_its_natural_end(store: RunStore, make_spec: MakeSpec) -> None:
    code = """
import subprocess, sys
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
report(f'"left": {left.pid}')"""
    record = supervised(store, make_spec(code))
    assert record.outcome is Outcome.PASS
    assert record.result is not None
    left = record.result["left"]
    assert isinstance(left, int)
    remains = identity(left)
    assert remains is None or not is_alive(remains)


def test_a_forged_result_line_is_not_believed(store: RunStore, make_spec: MakeSpec) -> None:
    forged = json.dumps({"version": 1, "nonce": "guess", "phases": []})
    record = supervised(store, make_spec(f"print('TTMATRIX-RESULT {forged}')"))
    assert (record.outcome, record.result) == (Outcome.ERROR, None)


def test_its_own_crash_leaves_no_child_behind(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_spec(SLEEP)
    supervisor = Supervisor(store.create(spec), store.slots, GRACES)

    answers = iter([False])

    def asked() -> bool:
        for answer in answers:
            return answer
        raise OSError("the disk is gone")

    monkeypatch.setattr(supervisor, "_stop_requested", asked)
    with pytest.raises(OSError, match="the disk is gone"):
        supervisor.supervise()
    record = store.record(spec.run_id)
    assert record.child is not None
    assert not is_alive(record.child)
