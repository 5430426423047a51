# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.sessions: runs that share one pytest are as separate as runs that do not."""

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.base.processes import is_alive, this_host
from core.domain.model import TEST_MODULE, Function, node_id
from core.runs import RUN_VARIABLE, Outcome, ResultFormat, RunSpec
from core.runs.execution import cancel_all, launch_all, wait
from core.runs.execution.sessions import Sessions, node_of, read_guard, session_key
from core.runs.planning import as_batch
from core.runs.planning.kinds import PAYLOAD
from core.runs.spec import renamed
from core.runs.store import RunRecord, RunStore
from tests.core.runs.conftest import MakeSpec, Until

pytestmark = [
    pytest.mark.slow("pytest, its tests and schedulers are real processes"),
    pytest.mark.usefixtures("cold_schedulers"),
]

RUNNER = """
import os, signal, sys, threading, time
from pathlib import Path
import pytest

HERE = Path(__file__).parent
(HERE / f"imported-{os.getpid()}").touch()
BODIES = {
    "pass": lambda: print("fine", flush=True),
    "fail": lambda: print(1 / 0),
    "crash": lambda: (os.write(2, b"last words\\n"), os.kill(os.getpid(), signal.SIGSEGV)),
    "hang": lambda: (os.write(1, b"before the hang\\n"), time.sleep(600)),
    "spin": lambda: spin(),
    "wait": lambda: [os.write(1, b"waiting\\n"), *iter(lambda: time.sleep(0.02) or (HERE / "go").exists(), True)],
    "leave": lambda: os.fork() or time.sleep(600),
    "exit": lambda: os._exit(7),
}

def spin():
    def poll():
        while True: os.stat(".")
    threading.Thread(target=poll, daemon=True).start()
    os.write(1, b"before the hang\\n")
    time.sleep(600)

@pytest.mark.parametrize("name", [f"{what}-{n}" for what in BODIES for n in range(40)])
def test_all_models_torch(name, record_property, pytestconfig):
    Path(pytestconfig.getoption("--own")).touch()
    record_property("tags", str({"name": name, "bringup_status": "PASSED"}))
    (HERE / "order").open("a").write(f"{name}\\n")
    assert os.environ["TTMATRIX_RUN"] in os.environ["OWN"]
    BODIES[name.partition("-")[0]]()
"""

Plan = Callable[..., list[RunSpec]]


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """The directory of a stand-in for upstream's runner."""
    module = tmp_path / TEST_MODULE
    module.parent.mkdir(parents=True)
    module.write_text(RUNNER)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--own')\n")
    return module.parent


@pytest.fixture
def plan(make_spec: MakeSpec, store: RunStore, runner: Path) -> Plan:
    def planned(*tests: str, **more: object) -> list[RunSpec]:
        return (
            as_batch([of_test(test, moment) for moment, test in enumerate(tests)])
            if not more
            else as_batch(
                [replace(of_test(test, moment), **more) for moment, test in enumerate(tests)]  # type: ignore[arg-type]
            )
        )

    def of_test(test: str, moment: int) -> RunSpec:
        spec = make_spec(moment=moment, test_id=test, kind="device", slots="device", slot_count=1)
        directory = store.root / spec.run_id
        node = node_id(Function.TORCH, test)
        words = [
            "-m",
            "pytest",
            "-p",
            "ttmatrix_payload.plugins.output",
            "-vv",
            f"--junitxml={directory / 'junit.xml'}",
            node,
        ]
        words.append(f"--own={directory / 'own'}")
        own = {"PYTHONPATH": str(PAYLOAD), "TTMATRIX_SPOOL": str(directory / "captured"), "OWN": f"x-{spec.run_id}"}
        env = {RUN_VARIABLE: spec.run_id, "PYTHONUNBUFFERED": "1", **own}
        return replace(spec, argv=(sys.executable, *words), env=env, report=ResultFormat.JUNIT, devices=("0",))

    return planned


def collections(runner: Path) -> int:
    """How often the module of the tests was imported."""
    return len(list(runner.glob("imported-*")))


def run(store: RunStore, specs: list[RunSpec]) -> list[RunRecord]:
    launch_all(store, specs)
    return wait(store, [spec.run_id for spec in specs])


def test_each_test_has_its_own_result_log_and_report_and_the_module_is_imported_once(
    store: RunStore, plan: Plan, runner: Path, until: Until
) -> None:
    ended = run(store, plan("pass-0", "fail-0", "crash-0", "exit-0", "pass-1"))
    outcomes = [record.outcome for record in ended]
    assert outcomes == [Outcome.PASS, Outcome.FAIL, Outcome.CRASH, Outcome.ERROR, Outcome.PASS]
    assert collections(runner) == 1
    passed, failed, crashed, left, last = ended
    assert passed.result is not None and passed.result["tags"] == {"name": "pass-0", "bringup_status": "PASSED"}
    assert failed.exit_code == 1 and "ZeroDivisionError" in failed.summary
    assert crashed.signal == signal.SIGSEGV
    assert left.exit_code == 7
    logs = [record.log.read_text() for record in ended]
    assert [log.count("fine") for log in logs] == [1, 0, 0, 0, 1]
    assert "last words" in logs[2] and "last words" not in logs[3]
    for record, log in zip(ended, logs, strict=True):
        # Each begins as that of a session, with its collection, and has no line of another test.
        assert "test session starts" in log
        assert {one for one in (e.spec.test_id for e in ended) if f"[{one}]" in log} == {record.spec.test_id}
    assert "= 1 passed" in logs[4] and "[100%]" in logs[4]
    assert all((record.peak_memory or 0) > 1_000_000 for record in ended)
    files = "arrivals.txt events.jsonl exit.json junit.xml output.log own session.json spec.json"
    assert sorted(file.name for file in last.directory.iterdir()) == files.split()
    # The session ends by itself, a moment after its last run.
    until(lambda: not list((store.root / "sessions" / this_host()).iterdir()))


def test_a_hang_ends_alone_and_the_next_test_goes_on(store: RunStore, plan: Plan, runner: Path) -> None:
    check_hang(store, plan("pass-0", "hang-0", "pass-1", hang_timeout=1.0), runner)


def test_a_thread_that_spins_hides_no_hang(store: RunStore, plan: Plan, runner: Path) -> None:
    check_hang(store, plan("pass-0", "spin-0", "pass-1", hang_timeout=2.0), runner)


def check_hang(store: RunStore, specs: list[RunSpec], runner: Path) -> None:
    ended = run(store, specs)
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.HANG, Outcome.PASS]
    assert "before the hang" in ended[1].log.read_text()
    assert collections(runner) == 1


def test_a_session_that_hangs_while_it_collects_holds_nobody_up_twice(
    store: RunStore, plan: Plan, runner: Path
) -> None:
    # Only the second import of it, that of a test alone, is quick.
    text = "import time\nif len(list(Path(__file__).parent.glob('imported-*'))) == 1: time.sleep(600)\n"
    (runner / "test_models.py").write_text(f"{RUNNER}\n{text}")
    ended = run(store, plan("pass-0", "pass-1", "pass-2", timeout=6.0))
    assert [record.outcome for record in ended] == [Outcome.TIMEOUT, Outcome.PASS, Outcome.PASS]


def test_a_collection_that_takes_long_is_no_hang_as_in_a_run_alone(store: RunStore, plan: Plan, runner: Path) -> None:
    (runner / "test_models.py").write_text(f"{RUNNER}\nimport time\ntime.sleep(4)\n")
    ended = run(store, plan("pass-0", "pass-1", hang_timeout=1.0)) + run(store, plan("pass-2", hang_timeout=1.0))
    assert [record.outcome for record in ended] == [Outcome.PASS] * 3
    assert [read_guard(record.directory) is not None for record in ended] == [True, True, False]


def test_a_time_limit_ends_one(store: RunStore, plan: Plan, runner: Path) -> None:
    first, slow, last = plan("pass-0", "hang-0", "pass-1")
    ended = run(store, [first, replace(slow, timeout=4.0), last])
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.TIMEOUT, Outcome.PASS]
    assert collections(runner) == 1


def begin(store: RunStore, specs: list[RunSpec], until: Until, at: int = 0) -> None:
    """Start the runs, and wait until the test of one of them waits for a word."""
    launch_all(store, specs)
    log = store.directory(specs[at].run_id) / "output.log"
    until(lambda: log.is_file() and "waiting" in log.read_text())


def test_cancelling_the_running_test_stops_no_other(store: RunStore, plan: Plan, runner: Path, until: Until) -> None:
    specs = plan("wait-0", "pass-0", "pass-1")
    begin(store, specs, until)
    (cancelled,) = cancel_all(store, [specs[0].run_id])
    assert cancelled.outcome is Outcome.CANCELLED
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended[1:]] == [Outcome.PASS, Outcome.PASS]
    assert collections(runner) == 1


def test_cancelling_a_test_that_waits_stops_no_other(store: RunStore, plan: Plan, runner: Path, until: Until) -> None:
    specs = plan("wait-0", "fail-0", "pass-1")
    begin(store, specs, until)
    assert [one.outcome for one in cancel_all(store, [specs[1].run_id])] == [Outcome.CANCELLED]
    (runner / "go").touch()
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.CANCELLED, Outcome.PASS]
    assert (runner / "order").read_text().split() == ["wait-0", "pass-1"]
    assert collections(runner) == 1


def session_process(runner: Path) -> int:
    (file,) = runner.glob("imported-*")
    return int(file.name.removeprefix("imported-"))


def test_a_session_that_is_killed_takes_no_test_with_it(
    store: RunStore, plan: Plan, runner: Path, until: Until
) -> None:
    specs = plan("wait-0", "pass-0", "pass-1", "pass-2")
    begin(store, specs, until)
    os.kill(session_process(runner), signal.SIGKILL)
    (runner / "go").touch()
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.PASS] * 4
    assert collections(runner) == 2, "another session serves the others"


def test_a_run_whose_guard_is_killed_is_a_crash_and_the_next_test_goes_on(
    store: RunStore, plan: Plan, runner: Path, until: Until
) -> None:
    specs = plan("wait-0", "pass-0", "pass-1")
    begin(store, specs, until)
    guard = read_guard(store.directory(specs[0].run_id))
    assert guard is not None and guard.process is not None
    os.kill(guard.process.pid, signal.SIGKILL)
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.CRASH, Outcome.PASS, Outcome.PASS]
    assert ended[0].signal == signal.SIGKILL
    assert collections(runner) == 1


def test_a_scheduler_that_is_killed_changes_nothing_for_the_running_test(
    store: RunStore, plan: Plan, runner: Path, until: Until
) -> None:
    specs = plan("wait-0", "pass-0", "pass-1")
    begin(store, specs, until)
    (lease,) = store.queue.leases.held()
    os.kill(lease.owner.pid, signal.SIGKILL)
    until(lambda: not is_alive(lease.owner))
    (runner / "go").touch()
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.PASS] * 3


def test_supervisor_and_scheduler_killed_at_once_end_the_run_with_them(
    store: RunStore, plan: Plan, runner: Path, until: Until
) -> None:
    specs = plan("wait-0", "pass-0")
    begin(store, specs, until)
    guard = read_guard(store.directory(specs[0].run_id))
    supervisor = store.record(specs[0].run_id).supervisor
    assert guard is not None and guard.process is not None and supervisor is not None
    (lease,) = store.queue.leases.held()
    os.kill(lease.owner.pid, signal.SIGKILL)
    os.kill(supervisor.pid, signal.SIGKILL)
    process = guard.process
    until(lambda: not is_alive(process))
    ended = wait(store, [spec.run_id for spec in specs])
    assert ended[0].outcome is Outcome.LOST
    assert ended[1].outcome is Outcome.PASS


def test_what_a_test_leaves_behind_is_ended(store: RunStore, plan: Plan, runner: Path) -> None:
    ended = run(store, plan("leave-0", "pass-0"))
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.PASS]
    assert collections(runner) == 1


def test_a_rerun_of_one_is_its_own_command(store: RunStore, plan: Plan, runner: Path) -> None:
    specs = plan("pass-0", "fail-0")
    run(store, specs)
    again = renamed(specs[1], datetime.now(UTC))
    (ended,) = run(store, [replace(again, batch="")])
    assert ended.outcome is Outcome.FAIL
    assert read_guard(ended.directory) is None, "one alone needs no session"
    assert collections(runner) == 2


def test_edited_code_is_not_run_as_it_was(store: RunStore, plan: Plan, runner: Path, until: Until) -> None:
    specs = plan("wait-0", "pass-0", "pass-1")
    begin(store, specs, until)
    module = runner / "test_models.py"
    module.write_text(RUNNER.replace('print("fine", flush=True)', 'print("edited", flush=True)'))
    (runner / "go").touch()
    ended = wait(store, [spec.run_id for spec in specs])
    assert [record.outcome for record in ended] == [Outcome.PASS] * 3
    assert all("edited" in record.log.read_text() for record in ended[1:])


def test_a_test_that_is_not_there_says_so_itself(store: RunStore, plan: Plan, runner: Path) -> None:
    ended = run(store, plan("pass-0", "none-0", "pass-1"))
    assert [record.outcome for record in ended] == [Outcome.PASS, Outcome.ERROR, Outcome.PASS]
    assert "not found" in ended[1].summary
    log = ended[1].log.read_text()
    assert log.startswith("not in a process shared with other tests: it ") and log.count("test session starts") == 1


def test_a_collection_that_fails_fails_each_test_with_its_reason(store: RunStore, plan: Plan, runner: Path) -> None:
    (runner / "test_models.py").write_text("import nothing_of_that_name\n")
    ended = run(store, plan("pass-0", "pass-1"))
    assert [record.outcome for record in ended] == [Outcome.ERROR] * 2
    assert all("nothing_of_that_name" in record.summary for record in ended)


def test_the_log_of_a_test_that_a_session_cannot_run_has_everything_once(
    store: RunStore, plan: Plan, runner: Path
) -> None:
    (runner / "conftest.py").write_text("print('printed by conftest')\nimport nothing_of_that_name\n")
    for record in run(store, plan("pass-0", "pass-1")):
        log = record.log.read_text()
        assert log.count("printed by conftest") == log.count("No module named 'nothing_of_that_name'") == 1
        assert record.outcome is Outcome.ERROR and "nothing_of_that_name" in record.summary


def test_what_shares_a_session(plan: Plan, store: RunStore, make_spec: MakeSpec) -> None:
    one, other = plan("pass-0", "fail-0")
    key = session_key(one, "env", store.root)
    assert key and key == session_key(other, "env", store.root)
    assert node_of(one).endswith("[pass-0]")
    assert session_key(one, "other env", store.root) != key
    assert session_key(replace(one, env={**one.env, "A": "b"}), "env", store.root) != key
    assert session_key(replace(one, argv=(*one.argv, "--arch", "n150")), "env", store.root) != key
    for alone in (
        replace(one, prefix=("gdb", "--args")),
        replace(one, needs="n150"),
        replace(one, report=ResultFormat.LINE),
        replace(one, argv=("gdb", *one.argv)),
    ):
        assert session_key(alone, "env", store.root) == ""


def test_a_scheduler_leaves_sessions_of_other_machines_alone(store: RunStore) -> None:
    theirs = store.root / "sessions" / "elsewhere" / "session-1"
    theirs.mkdir(parents=True)
    Sessions(store.root)
    assert theirs.is_dir()


def test_an_end_is_recorded_once(store: RunStore, plan: Plan, runner: Path) -> None:
    for record in run(store, plan("pass-0", "crash-0")):
        lines = (record.directory / "events.jsonl").read_text().splitlines()
        assert [json.loads(line)["event"] for line in lines] == ["queued", "started", "finished"]
