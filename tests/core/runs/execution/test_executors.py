# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.executor: what holds for runs on any machine; real processes, and a real Dask cluster."""

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from core.base.processes import marked
from core.base.settings import HOME_VARIABLE
from core.runs import RUN_VARIABLE, Outcome, ResultFormat, RunSpec
from core.runs.execution import cancel_all, launch_all, wait
from core.runs.execution.launch import launch
from core.runs.leases import DIRECTORY_VARIABLE as LEASES_VARIABLE
from core.runs.store import RunRecord, RunState, RunStore
from tests.core.runs.conftest import MakeSpec
from tests.support.cluster import FakeHosts, fake_hosts, until

pytestmark = [pytest.mark.slow("schedulers, workers and their runs are real processes"), pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, warm_dask: Path) -> Iterator[FakeHosts]:
    with fake_hosts(tmp_path_factory.mktemp("hosts"), warm_dask) as found:
        found.add("a", slots=2)
        found.add("broken", python="/nowhere/python")
        found.serve("a", "broken")
        yield found


class Place(Protocol):
    def __call__(self, code: str = "pass", **more: object) -> RunSpec: ...


@pytest.fixture(params=["local", "dask"], scope="module")
def executor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def homes_of(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with a home and a store for each executor: all tests of one use the queue of the same person."""
    return tmp_path_factory.mktemp("executors")


@pytest.fixture
def store(executor: str, homes_of: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    home = homes_of / executor
    if executor == "dask":
        hosts: FakeHosts = request.getfixturevalue("hosts")
        home = hosts.homes.parent / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    monkeypatch.setenv(LEASES_VARIABLE, str(homes_of))
    return RunStore(homes_of / executor / "runs")


@pytest.fixture
def place(executor: str, make_spec: MakeSpec) -> Place:
    """Plans runs for one of the two executors."""

    def make(code: str = "pass", **more: object) -> RunSpec:
        return replace(make_spec(code), **{"needs": "a" if executor == "dask" else "", **more})  # type: ignore[arg-type]

    return make


@pytest.fixture(autouse=True)
def nothing_left(store: RunStore) -> Iterator[None]:
    yield
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


def done(store: RunStore, spec: RunSpec) -> RunRecord:
    launch(store, spec)
    return wait(store, [spec.run_id])[0]


def gone(spec: RunSpec) -> bool:
    return not marked(RUN_VARIABLE, spec.run_id)


def test_output_and_result_arrive_and_the_record_says_where(store: RunStore, place: Place) -> None:
    spec = place("print('zwölf', flush=True); import os; os.write(2, b'to stderr\\n'); report()")
    record = done(store, spec)
    assert (record.state, record.outcome, record.exit_code) == (RunState.FINISHED, Outcome.PASS, 0)
    assert record.log.read_text().startswith("zwölf\nto stderr\nTTMATRIX-RESULT ")
    assert record.place == spec.needs


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("report(); raise SystemExit(1)", (Outcome.FAIL, 1, None)),
        ("raise SystemExit(7)", (Outcome.ERROR, 7, None)),
        ("import os; os.kill(os.getpid(), 11)", (Outcome.CRASH, None, signal.SIGSEGV)),
    ],
)
def test_every_end_has_its_outcome(
    store: RunStore, place: Place, code: str, wanted: tuple[Outcome, int | None, int | None]
) -> None:
    record = done(store, place(code))
    assert (record.outcome, record.exit_code, record.signal) == wanted


def test_what_cannot_be_started_says_so(store: RunStore, place: Place) -> None:
    spec = place()
    # On another host, the interpreter is that host's.
    spec = replace(spec, needs="broken") if spec.needs else replace(spec, argv=("/nowhere/python", *spec.argv[1:]))
    record = done(store, spec)
    assert record.outcome is Outcome.ERROR and record.exit_code is None
    assert "Cannot run /nowhere/python" in record.summary


def test_files_of_a_run_are_in_its_directory(store: RunStore, place: Place) -> None:
    spec = place()
    code = (
        "import sys, pathlib; there = pathlib.Path(sys.argv[1]); (there / 'ir').mkdir(exist_ok=True)\n"
        "(there / 'junit.xml').write_text('<testsuites/>'); (there / 'ir' / 'big').write_bytes(bytes(300_000))"
    )
    directory = store.directory(spec.run_id)
    record = done(store, replace(spec, argv=(sys.executable, "-c", code, str(directory)), report=ResultFormat.JUNIT))
    assert (record.directory / "junit.xml").read_text() == "<testsuites/>"
    assert (record.directory / "ir" / "big").read_bytes() == bytes(300_000)


FAMILY = """
import os, signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
if not os.fork():
    os.setsid()
print("ready", flush=True)
time.sleep(600)
"""


def test_stopping_ends_every_process_also_one_that_ignores_it(store: RunStore, place: Place) -> None:
    spec = place(FAMILY, graces=(0.3, 0.3, 5.0))
    launch(store, spec)
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    (record,) = cancel_all(store, [spec.run_id])
    assert record.outcome is Outcome.CANCELLED
    until(lambda: gone(spec), 20)


def test_a_time_limit_holds(store: RunStore, place: Place) -> None:
    spec = place("import time; time.sleep(600)", timeout=1.0, graces=(0.5, 0.5, 5.0))
    assert done(store, spec).outcome is Outcome.TIMEOUT
    until(lambda: gone(spec), 20)


def test_what_a_run_leaves_behind_is_ended(store: RunStore, place: Place) -> None:
    spec = place("import os, time\nif not os.fork():\n    os.setsid(); time.sleep(600)\nreport()")
    assert done(store, spec).outcome is Outcome.PASS
    until(lambda: gone(spec), 20)


def test_a_slot_has_one_run_at_a_time(store: RunStore, place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    notes = tmp_path_factory.mktemp("notes") / "notes"
    # The first two wait for each other, which proves that both slots are in use.
    code = (
        f"import time; f = open({str(notes)!r}, 'a+', 1); f.write('+\\n')\n"
        "while not f.seek(0) and f.read().count('+') < 2: time.sleep(0.02)\n"
        "f.write('-\\n')"
    )
    specs = [place(f"{code}\nreport()") for number in range(4)]
    launch_all(store, specs)
    assert [one.outcome for one in wait(store, [spec.run_id for spec in specs])] == [Outcome.PASS] * 4
    depth = most = 0
    for line in notes.read_text().split():
        depth += 1 if line == "+" else -1
        most = max(most, depth)
    assert most == 2


def test_a_run_outlives_its_scheduler(store: RunStore, place: Place) -> None:
    spec = place("import time; print('ready', flush=True); time.sleep(1); report()")
    launch(store, spec)
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    (lease,) = store.queue.leases.held()
    os.kill(lease.owner.pid, signal.SIGKILL)
    record = wait(store, [spec.run_id])[0]
    assert record.outcome is Outcome.PASS and record.log.read_text().count("ready") == 1


def test_nothing_of_a_large_log_is_lost(store: RunStore, place: Place) -> None:
    lines = 100_000
    record = done(store, place(f"for number in range({lines}): print(f'{{number:9d}} {{\"x\" * 60}}')\nreport()"))
    assert record.outcome is Outcome.PASS
    numbers = [int(line.split()[0]) for line in record.log.read_text().splitlines()[:-1]]
    assert numbers == list(range(lines))
