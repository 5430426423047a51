# SPDX-License-Identifier: Apache-2.0
"""The log of a test on another host: everything that it has written is there once, whatever cuts the run off."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.base.processes import marked
from core.base.settings import HOME_VARIABLE
from core.domain.model import Function, node_id
from core.runs import RUN_VARIABLE, Outcome, ResultFormat, RunSpec
from core.runs.execution import cancel_all, wait
from core.runs.execution.launch import launch
from core.runs.planning.kinds import PAYLOAD
from core.runs.store import RunRecord, RunState, RunStore
from tests.core.runs.conftest import MakeSpec
from tests.support.cluster import FakeHosts, fake_hosts, until

pytestmark = [pytest.mark.slow("schedulers, workers and their runs are real processes"), pytest.mark.timeout(180)]

_MODULE = """
import ctypes, os, signal, sys, time
from pathlib import Path
import pytest

HERE = Path(__file__).parent
libc = ctypes.CDLL(None)

@pytest.mark.parametrize("name", ["once"])
def test_all_models_torch(name):
    # Only the first attempt takes long.
    last = int(os.environ["LINES"]) if not (HERE / "began").exists() else 5
    (HERE / "began").touch()
    for at in range(last):
        print(f"python {at} {'.' * (at % 7 * 100)}|")
        os.write(2, b"native %d|\\n" % at)
        libc.printf(b"printf %d|\\n", at)
        os.write(1, b"%d of many\\r" % at)
        time.sleep(0.01)
        (HERE / "written").write_text(str(at))
    if last > 5:
        os.kill(os.getpid(), signal.SIGKILL)
"""
_STREAMS = ("python", "native", "printf")
_TTL = 5.0
_ENDLESS = 100_000
_PASS_ON_SECONDS = 1.0
"""What was written so long ago is here."""
Cut = Callable[[FakeHosts, RunStore, RunSpec], None]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, warm_dask: Path) -> Iterator[FakeHosts]:
    with fake_hosts(tmp_path_factory.mktemp("hosts"), warm_dask) as found:
        for name in ("a", "b"):
            found.add(name, labels=("small",))
        yield found


@pytest.fixture(autouse=True)
def cluster(hosts: FakeHosts, store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    monkeypatch.setenv(HOME_VARIABLE, str(hosts.homes.parent / "home"))
    hosts.serve("a", "b", ttl=_TTL)
    yield hosts
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the module of the test is; both machines see it."""
    found = tmp_path_factory.mktemp("module")
    (found / "test_it.py").write_text(_MODULE)
    (found / "pytest.ini").write_text("[pytest]\n")
    return found


@pytest.fixture
def spec(make_spec: MakeSpec, store: RunStore, place: Path) -> Callable[[int], RunSpec]:
    def planned(lines: int) -> RunSpec:
        found = make_spec(test_id="once", kind="device", needs="small")
        directory = store.root / found.run_id
        node = node_id(Function.TORCH, "once").rpartition("::")[2]
        words = ["-m", "pytest", "-p", "ttmatrix_payload.plugins.output", "-p", "no:cacheprovider", "-vv"]
        words += [f"--rootdir={place}", f"--junitxml={directory / 'junit.xml'}", f"{place / 'test_it.py'}::{node}"]
        own = {"PYTHONPATH": str(PAYLOAD), "TTMATRIX_SPOOL": str(directory / "captured"), "LINES": str(lines)}
        env = {RUN_VARIABLE: found.run_id, "PYTHONUNBUFFERED": "1", **own}
        return replace(found, argv=(sys.executable, *words), env=env, report=ResultFormat.JUNIT)

    return planned


def lines_of(log: str, stream: str) -> list[int]:
    """The numbers of the lines of a stream, each whole as it was written."""
    found = [(int(number), len(dots)) for number, dots in re.findall(rf"\b{stream} (\d+) ?(\.*)\|", log)]
    assert all(dots == (number % 7 * 100 if stream == "python" else 0) for number, dots in found)
    return [number for number, _ in found]


def check(log: str, least: int) -> None:
    """Nothing is missing, doubled or out of order, and the first `least` lines of each stream are there."""
    for stream in _STREAMS:
        found = lines_of(log, stream)
        assert found == list(range(len(found))), f"{stream}: not every line once"
        assert len(found) >= least


def written(place: Path) -> int:
    file = place / "written"
    return int(file.read_text() or 0) if file.exists() else 0


def begun(store: RunStore, spec: RunSpec, place: Path) -> int:
    """Start the run, wait for some seconds of output, and return how many lines must be here by now."""
    launch(store, spec)
    until(lambda: written(place) > 150)
    least = written(place)
    time.sleep(_PASS_ON_SECONDS)
    return least


def ended(store: RunStore, spec: RunSpec) -> RunRecord:
    (record,) = wait(store, [spec.run_id])
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)
    return record


def test_a_test_of_several_seconds_that_kills_itself(
    store: RunStore, spec: Callable[[int], RunSpec], place: Path
) -> None:
    launch(store, one := spec(400))
    record = ended(store, one)
    assert record.outcome is Outcome.CRASH and record.signal == signal.SIGKILL
    check(record.log.read_text(errors="replace"), 400)


def shim_of(spec: RunSpec) -> int:
    """The process that leads the run on its host: the parent of the first process of the run."""
    (pytest_process,) = (
        one.pid for one in marked(RUN_VARIABLE, spec.run_id) if "pytest" in psutil.Process(one.pid).cmdline()
    )
    return psutil.Process(pytest_process).ppid()


def kill_shim(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    os.kill(shim_of(spec), signal.SIGKILL)


def kill_ssh(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    """The stand-in for ssh becomes the worker, which ends with the connection."""
    os.kill(cluster.pid(store.record(spec.run_id).place), signal.SIGKILL)


def kill_cluster(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    os.kill(cluster.process.pid, signal.SIGKILL)
    until(lambda: store.record(spec.run_id).state is RunState.QUEUED)
    cluster.serve("a", "b", ttl=_TTL)


@pytest.mark.parametrize("cut", [kill_shim, kill_ssh, kill_cluster])
def test_a_run_that_is_cut_off_keeps_its_log_and_begins_a_new_one(
    cluster: FakeHosts, store: RunStore, spec: Callable[[int], RunSpec], place: Path, cut: Cut
) -> None:
    least = begun(store, one := spec(_ENDLESS), place)
    cut(cluster, store, one)
    record = ended(store, one)
    assert record.outcome is Outcome.PASS
    check((record.directory / "attempt-1" / "output.log").read_text(errors="replace"), least)
    check(record.log.read_text(errors="replace"), 5)


def test_a_killed_supervisor(store: RunStore, spec: Callable[[int], RunSpec], place: Path) -> None:
    least = begun(store, one := spec(_ENDLESS), place)
    supervisor = store.record(one.run_id).supervisor
    assert supervisor
    os.kill(supervisor.pid, signal.SIGKILL)
    record = ended(store, one)
    assert record.outcome is Outcome.LOST
    check(record.log.read_text(errors="replace"), least)


def test_a_run_that_is_cancelled(store: RunStore, spec: Callable[[int], RunSpec], place: Path) -> None:
    least = begun(store, one := spec(_ENDLESS), place)
    cancel_all(store, [one.run_id])
    record = ended(store, one)
    assert record.outcome is Outcome.CANCELLED
    check(record.log.read_text(errors="replace"), max(least, written(place)))


def test_a_scheduler_that_is_killed_touches_nothing(
    store: RunStore, spec: Callable[[int], RunSpec], place: Path
) -> None:
    begun(store, one := spec(400), place)
    (lease,) = store.queue.leases.held()
    os.kill(lease.owner.pid, signal.SIGKILL)
    record = ended(store, one)
    assert record.outcome is Outcome.CRASH
    check(record.log.read_text(errors="replace"), 400)
