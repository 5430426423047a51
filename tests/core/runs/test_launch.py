# SPDX-License-Identifier: Apache-2.0
"""core.runs.launch: runs in processes of their own, which outlive whoever asked for them."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import TTMatrixError, UsageError
from core.proc import ProcessIdentity, identity, is_alive, own_identity, this_host
from core.runs.events import Queued, Started, append_event
from core.runs.launch import cancel, launch, wait
from core.runs.outcome import Outcome
from core.runs.plan import plan_cpu
from core.runs.record import RunRecord, RunState
from core.runs.spec import RunSpec, spec_to_json
from core.runs.store import RunStore
from core.settings import Settings
from core.sources.checkout import Checkout

from .conftest import MakeSpec, Until

SLEEP = "import time; print('ready', flush=True); time.sleep(60)"
GRACES = (5.0, 5.0, 5.0)


def running(store: RunStore, spec: RunSpec, until: Until) -> RunRecord:
    launch(store, spec)
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    until(lambda: store.record(spec.run_id).state is RunState.RUNNING)
    return store.record(spec.run_id)


def test_a_run_ends_by_itself_and_leaves_no_zombie(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    spec = make_spec("report()")
    record = launch(store, spec)
    assert record.supervisor
    supervisor = record.supervisor.pid
    assert supervisor != os.getpid()
    heard: list[RunState] = []
    assert wait(store, [spec.run_id], lambda changed: heard.append(changed.state))[0].outcome is Outcome.PASS
    assert heard[-1] is RunState.FINISHED
    assert heard == sorted(heard, key=list(RunState).index)
    until(lambda: identity(supervisor) is None)
    assert (record.directory / "supervisor.log").read_text() == ""


def test_one_slot_runs_one_at_a_time(store: RunStore, make_spec: MakeSpec) -> None:
    specs = [make_spec("report(); import time; time.sleep(0.3)", slot_count=1) for _ in range(2)]
    for spec in specs:
        launch(store, spec)
    first, second = sorted(wait(store, [spec.run_id for spec in specs]), key=lambda record: record.started or 0.0)
    assert first.outcome is second.outcome is Outcome.PASS
    assert first.started
    assert first.seconds
    assert second.started
    assert second.started >= first.started + first.seconds


def test_a_run_can_be_cancelled_and_is_then_really_gone(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    record = running(store, make_spec(SLEEP), until)
    assert record.child
    cancelled = cancel(store, record.spec.run_id)
    assert (cancelled.outcome, cancelled.state) == (Outcome.CANCELLED, RunState.FINISHED)
    assert not is_alive(record.child)
    assert cancel(store, record.spec.run_id) == cancelled
    with pytest.raises(UsageError, match="No run"):
        cancel(store, "1999")


def test_the_child_of_a_killed_supervisor_is_lost_and_cancelling_stops_it(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    record = running(store, make_spec(SLEEP), until)
    assert record.supervisor
    assert record.child
    os.kill(record.supervisor.pid, signal.SIGKILL)
    until(lambda: store.record(record.spec.run_id).state is RunState.LOST)
    assert is_alive(record.child)
    assert wait(store, [record.spec.run_id])[0].outcome is Outcome.LOST
    cancelled = cancel(store, record.spec.run_id, GRACES)
    assert (cancelled.outcome, cancelled.state) == (Outcome.CANCELLED, RunState.FINISHED)
    assert cancelled.seconds
    assert not is_alive(record.child)


def test_a_lost_run_without_a_child_is_settled_as_lost(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    record = running(store, make_spec(SLEEP), until)
    assert record.supervisor
    assert record.child
    for process in (record.supervisor, record.child):
        os.kill(process.pid, signal.SIGKILL)
    until(lambda: store.record(record.spec.run_id).state is RunState.LOST)
    settled = cancel(store, record.spec.run_id, GRACES)
    assert (settled.outcome, settled.state) == (Outcome.LOST, RunState.FINISHED)


def test_what_does_not_stop_is_an_error(store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = make_spec()
    directory = store.create(spec)
    events = directory / "events.jsonl"
    own = own_identity()
    append_event(events, Queued(1.0, own, "another-host"))
    monkeypatch.setattr("core.runs.launch.STOP_GRACES", (0.0,))
    monkeypatch.setattr("core.runs.launch._REPORT_MARGIN", 0.1)
    with pytest.raises(TTMatrixError, match="does not stop") as silent:
        cancel(store, spec.run_id)
    assert f"process {own.pid} on another-host, is silent" in silent.value.detail
    gone = ProcessIdentity(own.pid, 1.0)
    append_event(events, Queued(1.0, gone, this_host()))
    append_event(events, Started(1.0, gone, ()))
    monkeypatch.setattr("core.runs.launch.stop_tree", lambda *_: False)
    with pytest.raises(TTMatrixError, match="does not stop") as stuck:
        cancel(store, spec.run_id)
    assert "survive every signal" in stuck.value.detail


def test_a_supervisor_survives_a_hangup_and_obeys_terminate(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    record = running(store, make_spec(SLEEP), until)
    assert record.supervisor
    os.kill(record.supervisor.pid, signal.SIGHUP)
    os.kill(record.supervisor.pid, signal.SIGTERM)
    assert wait(store, [record.spec.run_id])[0].outcome is Outcome.CANCELLED


def test_a_run_outlives_a_launcher_that_is_killed_with_its_whole_group(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path
) -> None:
    spec = make_spec("import time; time.sleep(0.5); report()")
    (tmp_path / "planned.json").write_text(spec_to_json(spec))
    code = f"""
import time
from pathlib import Path
from core.runs.launch import launch
from core.runs.spec import spec_from_json
from core.runs.store import RunStore
launch(RunStore(Path({str(store.root)!r})), spec_from_json(Path({str(tmp_path / "planned.json")!r}).read_text()))
print("launched", flush=True)
time.sleep(60)
"""
    home = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=home, stdout=subprocess.PIPE, start_new_session=True
    ) as launcher:
        assert launcher.stdout
        assert launcher.stdout.readline() == b"launched\n"
        os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()
    assert wait(store, [spec.run_id])[0].outcome is Outcome.PASS


def test_a_supervisor_that_cannot_lock_says_so(store: RunStore, make_spec: MakeSpec) -> None:
    store.root.mkdir()
    store.slots.parent.write_text("in the way")
    record = wait(store, [launch(store, make_spec()).spec.run_id])[0]
    assert record.outcome is Outcome.ERROR
    assert record.summary.startswith(f"Cannot lock in {store.slots}")


def test_a_supervisor_that_crashes_is_lost_and_leaves_its_words(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHOME", "/absent")  # No Python starts with this.
    record = wait(store, [launch(store, make_spec()).spec.run_id])[0]
    assert record.outcome is Outcome.LOST
    assert "encodings" in (record.directory / "supervisor.log").read_text()


def test_no_interpreter_is_an_error_and_on_record(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/absent/python")
    spec = make_spec()
    with pytest.raises(TTMatrixError, match="Cannot run /absent/python"):
        launch(store, spec)
    assert store.record(spec.run_id).outcome is Outcome.ERROR


def test_waiting_hears_of_every_run_and_keeps_the_order(store: RunStore, make_spec: MakeSpec) -> None:
    slow, quick = make_spec("import time; time.sleep(0.4); report()"), make_spec("report()")
    for spec in (slow, quick):
        launch(store, spec)
    heard: list[str] = []
    begin = time.monotonic()
    records = wait(store, [slow.run_id, quick.run_id], lambda record: heard.append(record.spec.run_id), poll=0.05)
    assert [record.spec for record in records] == [slow, quick]
    assert set(heard) == {slow.run_id, quick.run_id}
    assert time.monotonic() - begin >= 0.4
    assert wait(store, []) == []


TINY_BASE = """
class ForgeModel:
    def __init__(self, variant=None): pass
    @classmethod
    def query_available_variants(cls): return {}
    def unpack_forward_output(self, output): return output
"""

TINY_LOADER = """
import torch
from ...base import ForgeModel
class ModelLoader(ForgeModel):
    def load_model(self, dtype_override=None): return torch.nn.Linear(4, 3, dtype=dtype_override)
    def load_inputs(self): return torch.ones(2, 4)
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_a_planned_repro_runs_to_its_verdict(store: RunStore, tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "check out")
    (checkout.models / "tiny/pytorch").mkdir(parents=True)
    (checkout.models / "base.py").write_text(TINY_BASE)
    (checkout.models / "tiny/pytorch/loader.py").write_text(TINY_LOADER)
    test_id = "tiny/pytorch-single_device-training"
    spec = plan_cpu(checkout, test_id, Settings(), now=datetime.now(UTC), token="0123456789abcdef")
    launch(store, spec)
    record = wait(store, [spec.run_id])[0]
    assert record.outcome is Outcome.FAIL, record.log.read_text()
    assert record.summary.startswith("bfloat16 forward: RuntimeError: mat1 and mat2 must have the same dtype")
    assert record.summary.endswith("float32 ok")
