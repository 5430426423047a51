# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.scheduler: badly behaved real runs, served by a real scheduler that is killed meanwhile."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.processes import ProcessIdentity, identity, is_alive
from core.runs import Outcome, RunSpec, TreeReader
from core.runs.execution import cancel_all, launch_all, tend, wait
from core.runs.execution.launch import launch
from core.runs.store import Finished, Queued, RunRecord, RunState, RunStore, Started, Ticket, append_event, events_file
from tests.core.runs.conftest import MakeSpec, Until
from tests.support.git import committed_checkout
from tests.support.tree import sample

pytestmark = pytest.mark.slow("schedulers and their runs are real processes")

SLEEP = "import time; print('ready', flush=True); time.sleep(60)"
PASSES = """report('"phases": [{"dtype": "bfloat16", "ok": true}]')"""

# Only SIGKILL ends it, and it has left its parent's session.
ESCAPEE = """
import os, signal, sys, time
def escape():
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # In one write: a print is two, and its parent may report between them.
    os.write(1, f"\\nescaped {os.getpid()}\\n".encode())
    time.sleep(600)
if not os.fork():
    escape()
os.wait()
"""


def done(store: RunStore, spec: RunSpec) -> RunRecord:
    launch(store, spec)
    return wait(store, [spec.run_id])[0]


def scheduler_of(store: RunStore) -> ProcessIdentity:
    (lease,) = store.queue.leases.held()
    return lease.owner


def log_has(store: RunStore, spec: RunSpec, text: str) -> bool:
    log = store.record(spec.run_id).log
    return log.exists() and text in log.read_text()


def escaped(store: RunStore, spec: RunSpec, until: Until) -> ProcessIdentity:
    until(lambda: log_has(store, spec, "escaped"))
    words = store.record(spec.run_id).log.read_text().split()
    found = identity(int(words[words.index("escaped") + 1]))
    assert found
    return found


@pytest.fixture(autouse=True)
def nothing_left(store: RunStore) -> Iterator[None]:
    """Whatever a test does, its runs are ended afterwards."""
    yield
    for record in store.records():
        if record.active:
            for lease in store.queue.leases.held():
                os.kill(lease.owner.pid, signal.SIGTERM)
            if record.supervisor and is_alive(record.supervisor):
                os.killpg(record.supervisor.pid, signal.SIGKILL)


def test_a_child_that_reports_success_passes(store: RunStore, make_spec: MakeSpec) -> None:
    record = done(store, make_spec(PASSES))
    assert (record.state, record.outcome, record.exit_code) == (RunState.FINISHED, Outcome.PASS, 0)
    assert record.summary == "bfloat16 ok"
    assert record.started is not None
    assert record.seconds is not None


def test_every_end_has_its_outcome(store: RunStore, make_spec: MakeSpec) -> None:
    cases = {
        "report(); sys.exit(1)": (Outcome.FAIL, 1, None),
        "report(); sys.exit(2)": (Outcome.ERROR, 2, None),
        "pass": (Outcome.ERROR, 0, None),
        "raise ValueError": (Outcome.ERROR, 1, None),
        "import os; os.kill(os.getpid(), 11)": (Outcome.CRASH, None, signal.SIGSEGV),
        "import resource as r; r.setrlimit(r.RLIMIT_CORE, (0, 0)); import os; os.abort()": (
            Outcome.CRASH,
            None,
            signal.SIGABRT,
        ),
    }
    specs = [make_spec("import sys; " + code) for code in cases]
    launch_all(store, specs)
    records = wait(store, [spec.run_id for spec in specs])
    assert [(record.outcome, record.exit_code, record.signal) for record in records] == list(cases.values())


def test_the_child_sees_the_environment_it_was_asked_for_from_and_nothing_of_ours(
    store: RunStore, make_spec: MakeSpec
) -> None:
    code = """
import json, os, sys
names = ("GIVEN", "PYTHONPATH", "ONLY_NOW")
seen = {"cwd": os.getcwd(), "stdin": sys.stdin.read(), "leads": os.getpid() == os.getpgid(0) == os.getsid(0)}
print("to stderr", file=sys.stderr)
report('"seen": ' + json.dumps(seen | {name: os.environ.get(name) for name in names}))"""
    first, second = make_spec(code), make_spec(code)
    launch(store, first, {**os.environ, "PYTHONPATH": "/users/own", "ONLY_NOW": "1"})
    # The scheduler that serves this one was started from the other environment.
    launch(store, second, {name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    records = wait(store, [first.run_id, second.run_id])
    for record, path, now in zip(records, ("/users/own", None), ("1", None), strict=True):
        assert record.result is not None
        assert record.result["seen"] == {
            "cwd": str(first.cwd),
            "stdin": "",
            "GIVEN": "a b",
            "PYTHONPATH": path,
            "ONLY_NOW": now,
            "leads": True,
        }
        assert "to stderr" in record.log.read_text()


def test_a_command_that_cannot_start_is_an_error_with_its_reason(store: RunStore, make_spec: MakeSpec) -> None:
    record = done(store, replace(make_spec(), argv=("/absent/python",)))
    assert record.outcome is Outcome.ERROR
    assert "/absent/python" in record.summary


def test_a_child_over_its_limit_is_stopped(store: RunStore, make_spec: MakeSpec) -> None:
    record = done(store, make_spec(SLEEP, timeout=0.5))
    assert (record.outcome, record.signal) == (Outcome.TIMEOUT, signal.SIGINT)
    assert record.summary.endswith("the limit is 0.5 s")


def test_a_child_that_neither_writes_nor_works_hangs(store: RunStore, make_spec: MakeSpec) -> None:
    works = "import os\nwhile not os.path.exists('hung'): pass\nreport()"
    writes = "import os, time\nwhile not os.path.exists('hung'): print('.', flush=True); time.sleep(0.05)\nreport()"
    # In this order: the others are there for longer than the limit once the last has been ended by it.
    specs = [make_spec(code, hang_timeout=3.0, slot_count=3) for code in (works, writes, SLEEP)]
    launch_all(store, specs)
    silent = wait(store, [specs[-1].run_id])[0]
    assert silent.outcome is Outcome.HANG
    assert "the last 3 s without output or work" in silent.summary
    (specs[0].cwd / "hung").touch()
    assert [one.outcome for one in wait(store, [spec.run_id for spec in specs[:2]])] == [Outcome.PASS, Outcome.PASS]


def test_whatever_a_cancelled_run_forked_away_is_gone(
    store: RunStore, make_spec: MakeSpec, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_spec(ESCAPEE + "time.sleep(600)")
    launch(store, spec)
    grandchild = escaped(store, spec, until)
    record = store.record(spec.run_id)
    assert cancel_all(store, [spec.run_id])[0].outcome is Outcome.CANCELLED
    assert record.supervisor
    assert not is_alive(grandchild)
    assert not is_alive(record.supervisor)


def test_what_a_child_leaves_behind_is_ended_after_its_natural_end(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    spec = make_spec(ESCAPEE + "report()")
    launch(store, spec)
    grandchild = escaped(store, spec, until)
    assert wait(store, [spec.run_id])[0].outcome is Outcome.PASS
    assert not is_alive(grandchild)


def test_a_killed_supervisor_leaves_no_process_of_its_run(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    spec = make_spec(ESCAPEE + "time.sleep(600)")
    launch(store, spec)
    grandchild = escaped(store, spec, until)
    supervisor = store.record(spec.run_id).supervisor
    assert supervisor
    os.kill(supervisor.pid, signal.SIGKILL)
    assert wait(store, [spec.run_id])[0].outcome is Outcome.LOST
    until(lambda: not is_alive(grandchild))


def test_a_queued_run_is_cancelled_without_ever_starting(store: RunStore, make_spec: MakeSpec) -> None:
    first, second = make_spec(SLEEP, slot_count=1), make_spec(SLEEP, slot_count=1)
    launch_all(store, [first, second])
    record = cancel_all(store, [second.run_id])[0]
    assert (record.outcome, record.started, record.log.exists()) == (Outcome.CANCELLED, None, False)
    assert store.record(first.run_id).active
    cancel_all(store, [first.run_id])


def test_runs_start_in_the_order_of_the_queue_and_paused_ones_wait(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    blocker = make_spec(SLEEP, slot_count=1)
    launch(store, blocker)
    until(lambda: store.record(blocker.run_id).state is RunState.RUNNING)
    specs = [make_spec("report()", slot_count=1) for _ in range(4)]
    launch_all(store, specs)
    first, second, third, fourth = (spec.run_id for spec in specs)
    tickets = {ticket.run_id: ticket for ticket in store.queue.tickets()}
    store.queue.change(replace(tickets[third], priority=5))
    store.queue.change(replace(tickets[second], held=True))
    assert store.record(second).held
    cancel_all(store, [blocker.run_id])
    records = wait(store, [first, third, fourth])
    assert [record.spec.run_id for record in sorted(records, key=lambda one: one.started or 0)] == [
        third,
        first,
        fourth,
    ]
    assert store.record(second).state is RunState.QUEUED
    until(lambda: not store.queue.served)
    store.queue.change(replace(tickets[second], held=False))
    assert wait(store, [second])[0].outcome is Outcome.PASS


def test_a_failure_ends_its_batch_and_no_other(store: RunStore, make_spec: MakeSpec) -> None:
    strict: dict[str, Any] = {"slot_count": 1, "batch": "one", "stop_on_failure": True}
    codes = ("report()", "raise ValueError", "report()", "report()")
    specs = [*(make_spec(code, **strict) for code in codes), make_spec("report()", slot_count=1, batch="two")]
    launch_all(store, specs)
    records = wait(store, [spec.run_id for spec in specs])
    outcomes = [Outcome.PASS, Outcome.ERROR, Outcome.CANCELLED, Outcome.CANCELLED, Outcome.PASS]
    assert [record.outcome for record in records] == outcomes
    assert records[2].summary == f"cancelled; not started after {specs[1].run_id} failed"


def test_a_forged_result_line_is_not_believed(store: RunStore, make_spec: MakeSpec) -> None:
    forged = json.dumps({"version": 1, "nonce": "guess", "phases": []})
    record = done(store, make_spec(f"print('TTMATRIX-RESULT {forged}')"))
    assert (record.outcome, record.result) == (Outcome.ERROR, None)


def test_one_run_that_fills_the_disk_or_the_log_costs_no_other(store: RunStore, make_spec: MakeSpec) -> None:
    full = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
while True: print("x" * 1000)"""
    killed = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)" + full
    loud = """
import time
begin = time.monotonic()
for _ in range(100): sys.stdout.write("0123456789\\n" * 10_000)
sys.stdout.flush()
report(f'"seconds": {time.monotonic() - begin}')"""
    specs = [make_spec(code) for code in (full, killed, "import sys" + loud, "report()")]
    launch_all(store, specs)
    records = wait(store, [spec.run_id for spec in specs])
    outcomes = [Outcome.ERROR, Outcome.CRASH, Outcome.PASS, Outcome.PASS]
    assert [record.outcome for record in records] == outcomes
    assert records[1].signal == signal.SIGXFSZ
    assert records[2].log.read_bytes().count(b"\n") > 1_000_000


def test_a_killed_scheduler_is_replaced_at_once_and_its_runs_do_not_notice(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    wait_for_word = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.05)\n"
    going = make_spec(wait_for_word + "report()", slot_count=1)
    crashing = make_spec(wait_for_word + "import os; os.kill(os.getpid(), 11)", slot_count=2)
    waiting = make_spec("report()", slot_count=1)
    launch_all(store, [going, crashing, waiting])
    until(lambda: store.record(crashing.run_id).state is RunState.RUNNING)
    supervisor = store.record(going.run_id).supervisor
    first = scheduler_of(store)
    os.kill(first.pid, signal.SIGKILL)
    # Nobody asked for one, and yet there is a new scheduler.
    until(lambda: any(lease.owner != first for lease in store.queue.leases.held()))
    assert store.record(going.run_id).supervisor == supervisor
    (going.cwd / "go").touch()
    records = wait(store, [going.run_id, crashing.run_id, waiting.run_id])
    assert [record.outcome for record in records] == [Outcome.PASS, Outcome.CRASH, Outcome.PASS]
    assert records[1].signal == signal.SIGSEGV
    for record in records:
        events = events_file(record.directory).read_text()
        assert (events.count('"started"'), events.count('"finished"')) == (1, 1)


def test_a_successor_still_enforces_limits_and_cancels(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    limited, endless = make_spec(SLEEP, timeout=3), make_spec(ESCAPEE + "time.sleep(600)")
    launch_all(store, [limited, endless])
    grandchild = escaped(store, endless, until)
    # Wait until it has printed: on a busy machine its time may be over by then.
    until(lambda: store.record(limited.run_id).state is not RunState.QUEUED)
    os.kill(scheduler_of(store).pid, signal.SIGKILL)
    records = [cancel_all(store, [endless.run_id])[0], wait(store, [limited.run_id])[0]]
    assert [record.outcome for record in records] == [Outcome.CANCELLED, Outcome.TIMEOUT]
    assert not is_alive(grandchild)


def test_only_one_serves_however_many_ask(store: RunStore, make_spec: MakeSpec) -> None:
    other = RunStore(store.root)
    mine, theirs = make_spec("report()"), make_spec("report()")
    launch(store, mine)
    launch(other, theirs)
    assert len(store.queue.leases.held()) == 1
    assert {record.spec.run_id for record in other.records()} == {mine.run_id, theirs.run_id}
    assert [record.outcome for record in wait(other, [mine.run_id, theirs.run_id])] == [Outcome.PASS] * 2


def test_after_a_restart_of_the_machine_its_runs_are_lost_and_their_files_stay(
    store: RunStore, make_spec: MakeSpec
) -> None:
    ran, waited = make_spec("report()"), make_spec("report()")
    for spec in (ran, waited):
        directory = store.create(spec)
        events = events_file(directory)
        earlier = events.read_text().replace('"boot": "', '"boot": "earlier-')
        events.write_text(earlier)
    # The pid now belongs to another living process.
    append_event(events_file(store.directory(ran.run_id)), Started(1.0, scheduler_like(), ()))
    (store.directory(ran.run_id) / "output.log").write_text("what it printed")
    store.queue.put([Ticket(spec.run_id) for spec in (ran, waited)], {})
    assert [record.outcome for record in store.records()] == [Outcome.LOST] * 2
    tend(store)
    records = wait(store, [ran.run_id, waited.run_id])
    assert [record.outcome for record in records] == [Outcome.LOST] * 2
    assert records[0].summary == "the machine was restarted"
    assert records[0].log.read_text() == "what it printed"


def scheduler_like() -> ProcessIdentity:
    own = identity(os.getpid())
    assert own
    return own


def test_broken_runs_in_the_queue_are_in_nobodys_way(store: RunStore, make_spec: MakeSpec) -> None:
    broken, gone, good, ended = (make_spec("report()") for _ in range(4))
    (store.root / broken.run_id).mkdir(parents=True)
    (store.root / broken.run_id / "spec.json").write_text("{")
    append_event(events_file(store.create(ended)), Finished(9.0, Outcome.PASS, 1.0, 0))
    names = [broken.run_id, gone.run_id, ended.run_id]
    store.queue.put([Ticket(name, -1.0) for name in names], {})
    assert done(store, good).outcome is Outcome.PASS
    assert store.queue.names() == set()
    assert [problem.directory.name for problem in store.scan()[1]] == [broken.run_id]


def test_a_scheduler_that_must_end_ends_what_goes_on_and_leaves_what_waits(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    going, waiting = make_spec(SLEEP, slot_count=1), make_spec("report()", slot_count=1)
    launch_all(store, [going, waiting])
    until(lambda: log_has(store, going, "ready"))
    os.kill(scheduler_of(store).pid, signal.SIGHUP)
    os.kill(scheduler_of(store).pid, signal.SIGTERM)
    until(lambda: not store.queue.served)
    records = store.some([going.run_id, waiting.run_id])
    assert [record.outcome for record in records] == [Outcome.CANCELLED, None]
    assert wait(store, [waiting.run_id])[0].outcome is Outcome.PASS


def test_devices_have_one_run_at_a_time_across_stores(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RunStore(tmp_path / "another-home")
    first = make_spec(SLEEP, slots="device", slot_count=0, devices=("0",))
    second = make_spec("report()", slots="device", slot_count=0, devices=("*",))
    launch(store, first)
    until(lambda: log_has(store, first, "ready"))
    os.kill(scheduler_of(store).pid, signal.SIGKILL)
    # Independent of where its temporary files go.
    monkeypatch.setenv("TMPDIR", str(other.root.parent))
    launch(other, second)
    free = make_spec("report()", slots="device", slot_count=0, devices=("1",))
    assert done(store, free).outcome is Outcome.PASS
    assert other.record(second.run_id).state is RunState.QUEUED
    cancel_all(store, [first.run_id])
    assert wait(other, [second.run_id])[0].outcome is Outcome.PASS


def test_an_idle_scheduler_ends_and_keeps_no_environment(store: RunStore, make_spec: MakeSpec, until: Until) -> None:
    assert done(store, make_spec("report()")).outcome is Outcome.PASS
    until(lambda: not store.queue.served)
    assert list((store.queue.directory / "environments").iterdir()) == []
    assert store.queue.log.read_text() == ""


def test_many_are_cancelled_at_once(store: RunStore, make_spec: MakeSpec) -> None:
    specs = [make_spec(SLEEP) for _ in range(6)]
    launch_all(store, specs)
    records = cancel_all(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in records] == [Outcome.CANCELLED] * 6


def test_the_queue_says_who_waits(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    store.create(spec)
    assert store.record(spec.run_id).outcome is Outcome.LOST, "without a ticket nobody will start it"
    queued = Queued(1.0, "another-host", "b")
    events_file(store.directory(spec.run_id)).unlink()
    append_event(events_file(store.directory(spec.run_id)), queued)
    assert store.record(spec.run_id).state is RunState.QUEUED


EDITS_ITS_LOADER = """
import pathlib
loader = pathlib.Path("third_party/tt_forge_models/alpha/pytorch/loader.py")
loader.write_text(loader.read_text() + "# edited")
"""


def test_a_run_tells_the_tree_it_started_on_and_whether_that_was_changed_under_it(
    store: RunStore, make_spec: MakeSpec, tmp_path: Path
) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    place: dict[str, Any] = {"cwd": checkout.root, "test_id": "alpha/pytorch-tiny-single_device-inference"}
    before = done(store, make_spec(PASSES, **place))
    assert before.tree == TreeReader(checkout).state(before.spec.test_id)
    assert before.tree.committed
    assert not before.edited
    during = done(store, make_spec(EDITS_ITS_LOADER + PASSES, **place))
    assert (during.outcome, during.tree, during.edited) == (Outcome.PASS, before.tree, True)
    after = done(store, make_spec(PASSES, **place))
    assert after.tree == TreeReader(checkout).state(after.spec.test_id) != before.tree
    assert not after.edited
    again = {record.spec.run_id: record for record in RunStore(store.root).records()}
    assert again == {record.spec.run_id: record for record in (before, during, after)}, "the index knows it as well"
