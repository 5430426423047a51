# SPDX-License-Identifier: Apache-2.0
"""What breaks while runs go on elsewhere: none is counted twice, none is lost without saying so, nothing is left over."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from core.files import atomic_write
from core.hosts import read_hosts, with_host
from core.proc import identity, is_alive, marked
from core.runs.cluster import HostState, take_up
from core.runs.execution.launch import cancel_all, launch, wait
from core.runs.outcome import Outcome
from core.runs.spec import RUN_VARIABLE, RunSpec
from core.runs.store.events import Finished, Returned, Started, parse_line
from core.runs.store.record import RunState
from core.runs.store.store import RunStore, events_file
from core.settings import HOME_VARIABLE, paths
from tests.core.runs.conftest import MakeSpec
from tests.support.cluster import NO_DASK, FakeHosts, fake_hosts, until

pytestmark = [pytest.mark.slow("schedulers, workers and their runs are real processes"), pytest.mark.timeout(120)]

TTL = 5.0


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeHosts]:
    pytest.importorskip("distributed", reason=NO_DASK)
    with fake_hosts(tmp_path_factory.mktemp("hosts")) as found:
        for name in ("a", "b"):
            found.add(name, labels=("small",))
        yield found


@pytest.fixture(autouse=True)
def cluster(hosts: FakeHosts, store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    """Both hosts are up, and nothing of a test is left after it."""
    monkeypatch.setenv(HOME_VARIABLE, str(hosts.homes.parent / "home"))
    hosts.serve("a", "b", ttl=TTL)
    yield hosts
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


@pytest.fixture
def spec(make_spec: MakeSpec, tmp_path_factory: pytest.TempPathFactory) -> RunSpec:
    """Waits on its first attempt, and passes on its second."""
    marker = tmp_path_factory.mktemp("marker") / "was-here"
    code = (
        f"import pathlib, time; first = not (it := pathlib.Path({str(marker)!r})).exists(); it.touch()\n"
        "print('ready', flush=True)\nif first: time.sleep(600)\nreport()"
    )
    return replace(make_spec(code), needs="small")


def started(store: RunStore, spec: RunSpec) -> str:
    """Launch it; returns the host on which it goes on."""
    launch(store, spec)
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    return store.record(spec.run_id).place


def history(store: RunStore, spec: RunSpec) -> list[object]:
    """All events, also of attempts that came to nothing."""
    lines = events_file(store.directory(spec.run_id)).read_text().splitlines()
    return [parse_line(line) for line in lines]


def tried_once_elsewhere(store: RunStore, spec: RunSpec, first: str) -> None:
    """As `tried_once_more`, on the other host."""
    assert tried_once_more(store, spec) == ("b" if first == "a" else "a")


def tried_once_more(store: RunStore, spec: RunSpec) -> str:
    """It passed, counts once, and nothing of the first attempt is left; returns its host."""
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.PASS
    kinds = [type(event) for event in history(store, spec)]
    assert kinds.count(Finished) == 1 and kinds.count(Returned) == 1 and kinds.count(Started) == 2
    assert record.log.read_text().count("ready") == 1
    assert "ready" in (record.directory / "attempt-1" / "output.log").read_text()
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)
    return record.place


def kill(pid: int, signum: int = signal.SIGKILL) -> None:
    os.kill(pid, signum)


def test_a_killed_worker(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    first = started(store, spec)
    kill(cluster.pid(first))
    tried_once_elsewhere(store, spec, first)
    # It comes back by itself, once its check has passed.
    until(lambda: cluster.state(first) is HostState.UP)


def test_a_frozen_host(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    first = started(store, spec)
    frozen = cluster.pid(first)
    kill(frozen, signal.SIGSTOP)
    try:
        until(lambda: store.record(spec.run_id).place not in ("", first), 40)
    finally:
        # Where the link ended it, there is nobody to wake.
        if identity(frozen):
            kill(frozen, signal.SIGCONT)
    tried_once_elsewhere(store, spec, first)


def test_a_run_that_loses_two_hosts_says_so(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec) -> None:
    spec = replace(make_spec("import time; print('ready', flush=True); time.sleep(600)"), needs="small")
    first = started(store, spec)
    kill(cluster.pid(first))
    until(lambda: store.record(spec.run_id).place not in ("", first))
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    second = store.record(spec.run_id).place
    kill(cluster.pid(second))
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.LOST and f"lost on {second}" in record.summary
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)


def test_a_killed_cluster(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    first = started(store, spec)
    process, workers = cluster.process, [identity(cluster.pid(name)) for name in ("a", "b")]
    kill(process.pid)
    until(lambda: store.record(spec.run_id).state is RunState.QUEUED)
    assert f"waiting for a host with small; {first}: " in store.record(spec.run_id).summary
    # Nothing there goes on without it.
    until(lambda: not any(one and is_alive(one) for one in workers) and not marked(RUN_VARIABLE, spec.run_id), 30)
    cluster.serve("a", "b", ttl=TTL)
    # No host is to blame: it may go to either.
    assert tried_once_more(store, spec) in ("a", "b")
    assert [one.host_failed for one in history(store, spec) if isinstance(one, Returned)] == [False]


def test_a_killed_follower_is_a_lost_run(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    started(store, spec)
    supervisor = store.record(spec.run_id).supervisor
    assert supervisor
    children = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children").read_text().split()
    kill(int(children[0]))
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.LOST and "the process that followed it was killed" in record.summary
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)


def test_two_queues_share_a_cluster(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec, tmp_path: Path) -> None:
    other = RunStore(tmp_path / "other")
    mine = [replace(make_spec("import time; time.sleep(0.3); report()"), needs="small") for _ in range(3)]
    theirs = [replace(make_spec("import time; time.sleep(0.3); report()"), needs="small") for _ in range(3)]
    for one, another in zip(mine, theirs, strict=True):
        launch(store, one)
        launch(other, another)
    ends = wait(store, [one.run_id for one in mine]) + wait(other, [one.run_id for one in theirs])
    assert [one.outcome for one in ends] == [Outcome.PASS] * 6


def changed(name: str, **values: object) -> Callable[[], None]:
    """Change a host of the hosts file; returns what changes it back."""
    file = paths().hosts_file
    before = next(one for one in read_hosts(file) if one.name == name)
    atomic_write(file, with_host(file.read_text(), replace(before, **values), file))  # type: ignore[arg-type]
    return lambda: atomic_write(file, with_host(file.read_text(), before, file))


def test_hosts_that_cannot_be_used_say_why(cluster: FakeHosts) -> None:
    for name in ("forbids", "none"):
        cluster.add(name, **({"worker": "/nowhere/python"} if name == "none" else {}))
    (cluster.homes / "forbids" / "refuses").write_text("Error: remote port forwarding failed for listen port 0\n")
    found = {one.name: one for one in take_up(["forbids", "none"], cluster.cluster)}
    assert found["forbids"].state is HostState.REFUSED and "forwards no ports" in found["forbids"].why
    assert "ssh me@forbids -t 'cd DIR && ttmatrix'" in found["forbids"].remedy
    assert found["none"].state is HostState.REFUSED and "ttmatrix[dask]" in found["none"].remedy
    cluster.ask("down", "forbids", "none")


def test_an_ended_lease_takes_no_runs(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=10)
    restore = [changed(name, expires=soon) for name in ("a", "b")]
    try:
        long, short = (replace(make_spec("report()"), needs="small", estimate=one) for one in (3600.0, 1.0))
        launch(store, long)
        launch(store, short)
        assert wait(store, [short.run_id])[0].outcome is Outcome.PASS
        assert store.record(long.run_id).state is RunState.QUEUED
    finally:
        for one in restore:
            one()
    assert wait(store, [long.run_id])[0].outcome is Outcome.PASS


def test_a_killed_server_of_processes_is_started_again(
    cluster: FakeHosts, store: RunStore, make_spec: MakeSpec
) -> None:
    first = replace(make_spec("print('ready', flush=True); import time; time.sleep(2); report()"), needs="a")
    started(store, first)
    servers = [one for one in psutil.Process(cluster.pid("a")).children() if "core.runs.cluster.forks" in one.cmdline()]
    assert len(servers) == 1
    servers[0].kill()
    # What goes on does not notice, and the next one finds another server.
    second = replace(make_spec("report()"), needs="a")
    launch(store, second)
    assert [one.outcome for one in wait(store, [first.run_id, second.run_id])] == [Outcome.PASS] * 2
