# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.launch: runs as separate processes, which outlive the one that launched them."""

import errno
import importlib.util
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.processes import own_identity
from core.base.settings import Settings
from core.runs import Outcome, RunSpec
from core.runs.execution import cancel_all, launch_all, tend, wait
from core.runs.execution.launch import launch
from core.runs.planning import as_batch
from core.runs.planning.plan import plan_run
from core.runs.spec import spec_to_json
from core.runs.store import Finished, Queue, Queued, RunState, RunStore, Started, Ticket, append_event, events_file
from core.sources import Checkout
from tests.core.runs.conftest import MakeSpec

pytestmark = [
    pytest.mark.slow("schedulers and their runs are real processes"),
    pytest.mark.usefixtures("cold_schedulers"),
]


def test_a_run_ends_by_itself_and_is_heard_of(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec("report()")
    assert launch(store, spec).active
    heard: list[RunState] = []
    assert wait(store, [spec.run_id], lambda changed: heard.append(changed.state))[0].outcome is Outcome.PASS
    assert heard[-1] is RunState.FINISHED
    assert heard == sorted(heard, key=list(RunState).index)


def test_a_run_that_is_being_queued_does_not_seem_lost(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, put, seen = make_spec("report()"), Queue.put, list[RunState]()

    def looked_at(queue: Queue, tickets: Iterable[Ticket], environment: Mapping[str, str]) -> None:
        seen.append(RunStore(store.root).record(spec.run_id).state)
        put(queue, tickets, environment)

    monkeypatch.setattr(Queue, "put", looked_at)
    launch(store, spec)
    assert seen == [RunState.QUEUED]
    assert wait(store, [spec.run_id])[0].outcome is Outcome.PASS


def test_slots_limit_how_many_go_on(store: RunStore, make_spec: MakeSpec) -> None:
    # A directory can be made only once: a second run at the same time fails.
    alone = "import os, time; os.mkdir('alone'); time.sleep(0.3); os.rmdir('alone'); report()"
    specs = [make_spec(alone, slot_count=1) for _ in range(2)]
    launch_all(store, specs)
    assert [record.outcome for record in wait(store, [spec.run_id for spec in specs])] == [Outcome.PASS] * 2


def test_an_ended_run_stays_as_it_is_and_an_unknown_one_is_reported(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec("report()")
    launch(store, spec)
    ended = wait(store, [spec.run_id])[0]
    assert cancel_all(store, [spec.run_id[:-1]])[0] == ended
    assert cancel_all(store, []) == []
    with pytest.raises(UsageError, match="No run"):
        cancel_all(store, ["1999"])


def test_what_does_not_stop_is_an_error(store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = make_spec(graces=(0.0, 0.0, 0.0))
    events_file(store.create(spec)).unlink()
    append_event(events_file(store.directory(spec.run_id)), Queued(1.0, "another-host", "boot"))
    monkeypatch.setattr("core.runs.execution.launch._END_MARGIN", 0.1)
    with pytest.raises(TTMatrixError, match="did not stop") as silent:
        cancel_all(store, [spec.run_id])
    assert "another-host" in silent.value.detail


def test_a_run_outlives_a_launcher_that_is_killed_with_its_whole_group(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path
) -> None:
    spec = make_spec("import os, time\nwhile not os.path.exists('killed'): time.sleep(0.02)\nreport()")
    (tmp_path / "planned.json").write_text(spec_to_json(spec))
    code = f"""
import time
from pathlib import Path
from core.runs.execution.launch import launch
from core.runs.spec import spec_from_json
from core.runs.store.store import RunStore, events_file
launch(RunStore(Path({str(store.root)!r})), spec_from_json(Path({str(tmp_path / "planned.json")!r}).read_text()))
print("launched", flush=True)
time.sleep(60)
"""
    home = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=home, stdout=subprocess.PIPE, start_new_session=True
    ) as launcher:
        assert launcher.stdout
        assert launcher.stdout.readline() == b"launched\n"
        os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()
    (spec.cwd / "killed").touch()
    assert wait(store, [spec.run_id])[0].outcome is Outcome.PASS


@pytest.mark.parametrize("broken", [{"PYTHONHOME": "/absent"}, {}])
def test_a_scheduler_that_does_not_start_is_an_error_and_on_record(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch, broken: dict[str, str]
) -> None:
    spec = make_spec()
    if broken:
        monkeypatch.setenv("PYTHONHOME", broken["PYTHONHOME"])  # No Python starts with this.
    else:
        monkeypatch.setattr(sys, "executable", "/absent/python")
    with pytest.raises(TTMatrixError, match=r"run scheduler did not start|Cannot run /absent/python") as caught:
        launch(store, spec)
    assert "encodings" in caught.value.detail or not broken
    assert store.record(spec.run_id).outcome is Outcome.ERROR
    assert store.queue.names() == set()


@pytest.mark.parametrize("fails", ["its directory", "its ticket"])
def test_a_run_that_cannot_be_queued_keeps_no_other_from_starting(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    specs = [make_spec(moment=moment, token=secrets.token_hex(16)) for moment in range(3)]
    bad, write, create = specs[1], Queue._write, RunStore.create

    def no_ticket(queue: Queue, ticket: Ticket) -> None:
        if ticket.run_id in (bad.run_id, specs[2].run_id):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(queue, ticket)

    def no_directory(store: RunStore, spec: RunSpec, provenance: str = "") -> Path:
        if spec.run_id == bad.run_id:
            raise TTMatrixError("Cannot create it", "No space left on device")
        return create(store, spec, provenance)

    if fails == "its ticket":
        monkeypatch.setattr(Queue, "_write", no_ticket)
        bad, good = specs[1], [specs[0]]
    else:
        monkeypatch.setattr(RunStore, "create", no_directory)
        good = [specs[0], specs[2]]
    refused: list[TTMatrixError] = []
    started = launch_all(store, specs, refused=refused)
    assert [record.spec.run_id for record in started] == [spec.run_id for spec in good]
    assert len(refused) == 3 - len(good) and "No space left" in str(refused[0])
    ended = wait(store, [spec.run_id for spec in good])
    assert [record.outcome for record in ended] == [Outcome.ERROR] * len(good), "they left no result"
    assert len(store.records()) == len(good)


def test_a_batch_of_which_nothing_can_be_queued_is_an_error(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(queue: Queue, ticket: Ticket) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Queue, "_write", no_room)
    with pytest.raises(TTMatrixError, match="No space left on device"):
        launch_all(store, [make_spec(), make_spec()], refused=[])
    assert store.scan() == ([], [])
    assert store.queue.names() == set()


def test_a_run_whose_id_is_taken_gets_another_one_and_so_does_its_batch(store: RunStore, make_spec: MakeSpec) -> None:
    code = "import os; print(os.environ['TTMATRIX_RUN']); report()"
    taken = make_spec(code, token="abc123" + "0" * 26)
    store.create(taken, log="of another process", events=[Finished(1.0, Outcome.PASS)])
    first, second = as_batch([taken, make_spec(code, moment=1)])
    started = launch_all(store, [first, second])
    ended = wait(store, [record.spec.run_id for record in started])
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.PASS]
    assert ended[0].spec.run_id != taken.run_id and ended[1].spec.run_id == second.run_id
    assert {record.spec.batch for record in ended} == {ended[0].spec.run_id}
    assert ended[0].log.read_text().startswith(ended[0].spec.run_id), "its environment names the new id"
    assert store.record(taken.run_id).log.read_text() == "of another process"


def test_a_run_that_began_before_its_batch_failed_stays(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, other = make_spec(), make_spec()

    def put(_queue: Queue, tickets: Iterable[Ticket], _environ: Mapping[str, str]) -> None:
        started = Started(time.time(), own_identity(), begun.command)
        append_event(events_file(store.directory(begun.run_id)), started)
        raise TTMatrixError("Cannot queue")

    monkeypatch.setattr(Queue, "put", put)
    with pytest.raises(TTMatrixError, match="Cannot queue"):
        launch_all(store, [begun, other])
    assert [record.spec.run_id for record in store.records()] == [begun.run_id]


def test_nobody_is_started_where_nothing_waits(store: RunStore, make_spec: MakeSpec) -> None:
    tend(store)
    store.queue.put([Ticket(make_spec().run_id, held=True)], {})
    tend(store)
    assert not store.queue.log.exists()


def test_waiting_hears_of_every_run_and_keeps_the_order(store: RunStore, make_spec: MakeSpec) -> None:
    waits = "import os, time\nwhile not os.path.exists('quick'): time.sleep(0.02)\nreport()"
    slow, quick = make_spec(waits), make_spec("open('quick', 'w').close(); report()")
    launch_all(store, [slow, quick])
    heard: set[str] = set()
    records = wait(store, [slow.run_id, quick.run_id], lambda record: heard.add(record.spec.run_id))
    assert [record.spec for record in records] == [slow, quick]
    assert heard == {slow.run_id, quick.run_id}
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
    now = datetime.now(UTC)
    spec = plan_run(checkout, test_id, Settings(), kind="cpu", runs=store.root, now=now, token="0123456789abcdef")
    launch(store, spec)
    record = wait(store, [spec.run_id])[0]
    assert record.outcome is Outcome.FAIL, record.log.read_text()
    assert record.summary.startswith("bfloat16 forward: RuntimeError: mat1 and mat2 must have the same dtype")
    assert record.summary.endswith("float32 ok")


def test_a_paused_run_can_be_cancelled_though_nobody_serves_the_queue(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    store.create(spec)
    store.queue.put([Ticket(spec.run_id, held=True)], os.environ)
    assert not store.queue.has_work()
    assert cancel_all(store, [spec.run_id])[0].outcome is Outcome.CANCELLED
