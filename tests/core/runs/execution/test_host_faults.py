# SPDX-License-Identifier: Apache-2.0
"""Failures while runs execute on other hosts: no run counts twice or is lost silently, and nothing is left over."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from core.base.files import atomic_write
from core.base.processes import identity, is_alive, marked, run_command
from core.base.settings import HOME_VARIABLE, paths
from core.hosts import read_hosts, with_host
from core.runs import RUN_VARIABLE, Outcome, RunSpec
from core.runs.cluster import HostState, take_up
from core.runs.execution import cancel_all, tend, wait
from core.runs.execution.launch import launch
from core.runs.spec import spec_to_json
from core.runs.store import Finished, Returned, RunState, RunStore, Started, Ticket, events_file
from core.runs.store.events import parse_line
from tests.core.runs.conftest import MakeSpec
from tests.support.cluster import ROOT, FakeHosts, fake_hosts, until

pytestmark = [pytest.mark.slow("schedulers, workers and their runs are real processes"), pytest.mark.timeout(120)]

TTL = 5.0


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, warm_dask: Path) -> Iterator[FakeHosts]:
    with fake_hosts(tmp_path_factory.mktemp("hosts"), warm_dask) as found:
        for name in ("a", "b"):
            found.add(name, labels=("small",))
        yield found


@pytest.fixture(autouse=True)
def cluster(hosts: FakeHosts, store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    """Both hosts are up, and each test leaves nothing behind."""
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
    """Launch it; returns the host on which it runs."""
    launch(store, spec)
    until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
    return store.record(spec.run_id).place


def history(store: RunStore, spec: RunSpec) -> list[object]:
    """All events, including those of attempts without a result."""
    lines = events_file(store.directory(spec.run_id)).read_text().splitlines()
    return [parse_line(line) for line in lines]


def tried_once_elsewhere(store: RunStore, spec: RunSpec, first: str) -> None:
    """Like `tried_once_more`, on the other host."""
    assert tried_once_more(store, spec) == ("b" if first == "a" else "a")


def tried_once_more(store: RunStore, spec: RunSpec) -> str:
    """It passed, counts once, and nothing of the first attempt is left; returns its host."""
    host = tried_again(store, spec)
    assert [type(event) for event in history(store, spec)].count(Returned) == 1
    return host


def tried_again(store: RunStore, spec: RunSpec) -> str:
    """Like `tried_once_more`, but several attempts may have ended without a result."""
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.PASS
    kinds = [type(event) for event in history(store, spec)]
    assert kinds.count(Finished) == 1 and kinds.count(Started) == kinds.count(Returned) + 1 > 1
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
        # If the link ended it, no process is left to wake.
        if identity(frozen):
            kill(frozen, signal.SIGCONT)
    tried_once_elsewhere(store, spec, first)


def test_a_worker_that_hears_nothing_ends_with_its_runs(cluster: FakeHosts, store: RunStore, spec: RunSpec) -> None:
    first = started(store, spec)
    worker, service = identity(cluster.pid(first)), cluster.process.pid
    assert worker
    # As when the network drops the link silently: neither side sees an end.
    kill(service, signal.SIGSTOP)
    try:
        until(lambda: not is_alive(worker) and not marked(RUN_VARIABLE, spec.run_id), 40)
    finally:
        kill(service, signal.SIGCONT)
    # The other host has heard nothing either: the run may have been there briefly.
    assert tried_again(store, spec) in ("a", "b")
    until(lambda: cluster.state(first) is HostState.UP)


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
    # No process of it continues there.
    until(lambda: not any(one and is_alive(one) for one in workers) and not marked(RUN_VARIABLE, spec.run_id), 30)
    cluster.serve("a", "b", ttl=TTL)
    # No host is at fault: the run may go to either.
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


@pytest.mark.parametrize(("minutes", "estimate"), [(10, 3600.0), (-10, None)], ids=["ending", "ended"])
def test_what_a_lease_leaves_no_time_for_waits(
    cluster: FakeHosts, store: RunStore, make_spec: MakeSpec, minutes: float, estimate: float | None
) -> None:
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=minutes)
    restore = [changed(name, expires=end) for name in ("a", "b")]
    long, short = (replace(make_spec("report()"), needs="small", estimate=one) for one in (estimate, 1.0))
    try:
        launch(store, long)
        launch(store, short)
        assert store.record(long.run_id).summary == "waiting: it would not end before the lease of a or b does"
        if minutes > 0:
            assert wait(store, [short.run_id])[0].outcome is Outcome.PASS
        waiting = [long] if minutes > 0 else [long, short]
        assert {store.record(one.run_id).state for one in waiting} == {RunState.QUEUED}
    finally:
        for one in restore:
            one()
    assert [one.outcome for one in wait(store, [long.run_id, short.run_id])] == [Outcome.PASS] * 2


def test_a_killed_server_of_processes_is_started_again(
    cluster: FakeHosts, store: RunStore, make_spec: MakeSpec
) -> None:
    first = replace(make_spec("print('ready', flush=True); import time; time.sleep(2); report()"), needs="a")
    started(store, first)
    servers = [one for one in psutil.Process(cluster.pid("a")).children() if "core.runs.cluster.forks" in one.cmdline()]
    assert len(servers) == 1
    servers[0].kill()
    # Running processes do not notice, and the next run finds another server.
    second = replace(make_spec("report()"), needs="a")
    launch(store, second)
    assert [one.outcome for one in wait(store, [first.run_id, second.run_id])] == [Outcome.PASS] * 2


def test_a_worker_of_another_version_is_refused(cluster: FakeHosts) -> None:
    other = cluster.homes / "other" / "python"
    cluster.add("other", worker=str(other))
    start = "import core, runpy; core.__version__ = '0.0.1'; runpy.run_module('core.runs.cluster.worker', run_name='__main__')"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}"\n')
    other.chmod(0o755)
    (found,) = take_up(["other"], cluster.cluster)
    assert found.state is HostState.REFUSED and found.why.startswith("it has ttmatrix 0.0.1; here it is ")
    assert found.remedy.startswith("Install ttmatrix ") and found.remedy.endswith(" there")
    cluster.ask("down", "other")
    until(lambda: not [one for one in psutil.process_iter(["cmdline"]) if start in (one.info["cmdline"] or ())], 20)


def test_a_check_that_hangs_ends_with_the_host(cluster: FakeHosts) -> None:
    cluster.add("silent")
    cluster.serve("silent")
    worker = cluster.pid("silent")
    (cluster.homes / "silent" / "hangs").touch()
    kill(worker)
    until(lambda: cluster.state("silent") is HostState.QUARANTINED)
    checks = cluster.homes / "silent" / "checks"
    until(lambda: checks.exists() and checks.read_text().endswith("\n"))
    check = identity(int(checks.read_text()))
    assert check is not None
    cluster.ask("down", "silent")
    # The cluster has answered, so that it waits for nothing: the check has gone.
    assert not is_alive(check) and cluster.state("silent") is None


@pytest.mark.parametrize("had", [True, False])
def test_a_host_comes_back_with_the_devices_that_it_had(
    cluster: FakeHosts, tmp_path: Path, warm_dask: Path, had: bool
) -> None:
    """This machine has none: a host accepted without one can still do what it could before."""
    name = f"devices-{had}".lower()
    worker, nodes = tmp_path / "python", tmp_path / "nodes"
    nodes.mkdir()
    if had:
        (nodes / "0").touch()
    start = (
        f"import runpy, pathlib; from core.hosts import model; model.DEVICE_NODES = pathlib.Path('{nodes}'); "
        "runpy.run_module('core.runs.cluster.worker', run_name='__main__')"
    )
    worker.write_text(f'#!/bin/sh\nexec {warm_dask} -c "{start}"\n')
    worker.chmod(0o755)
    cluster.add(name, labels=("n150",), worker=str(worker))
    cluster.serve(name)
    kill(cluster.pid(name))
    if had:

        def refused() -> bool:
            status = cluster.cluster.status()
            host = status.host(name) if status else None
            return host is not None and host.state is HostState.QUARANTINED and host.why.startswith("devices: ")

        until(refused)
        # A person may declare it right anyway.
        assert [one.state for one in take_up([name], cluster.cluster)] == [HostState.UP]
    else:
        until(lambda: cluster.state(name) is HostState.LOST)
        until(lambda: cluster.state(name) is HostState.UP)
    cluster.ask("down", name)


APP = """
import sys, time
from pathlib import Path
from core.runs.execution.launch import launch
from core.runs.spec import spec_from_json
from core.runs.store.store import RunStore
launch(RunStore(Path(sys.argv[1])), spec_from_json(Path(sys.argv[2]).read_text()))
print("queued", flush=True)
time.sleep(600)
"""


def test_a_killed_app_leaves_its_runs_alone(
    cluster: FakeHosts, store: RunStore, make_spec: MakeSpec, tmp_path: Path
) -> None:
    spec = replace(make_spec("import time; print('ready', flush=True); time.sleep(2); report()"), needs="small")
    (tmp_path / "spec.json").write_text(spec_to_json(spec))
    command = [sys.executable, "-c", APP, str(store.root), str(tmp_path / "spec.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as app:
        assert app.stdout is not None and app.stdout.readline() == b"queued\n"
        until(lambda: store.record(spec.run_id).log.exists() and "ready" in store.record(spec.run_id).log.read_text())
        app.kill()
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.PASS and record.log.read_text().count("ready") == 1
    assert [type(event) for event in history(store, spec)].count(Started) == 1


@pytest.mark.parametrize("which", ["the scheduler of the queue", "both it and the supervisor"])
def test_a_killed_client(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec, which: str) -> None:
    code = "import time; print('ready', flush=True); time.sleep(3); report()"
    spec = replace(make_spec(code), needs="small")
    started(store, spec)
    supervisor = store.record(spec.run_id).supervisor
    (lease,) = store.queue.leases.held()
    assert supervisor
    kill(lease.owner.pid)
    if which.startswith("both"):
        kill(supervisor.pid)
    (record,) = wait(store, [spec.run_id])
    # With its supervisor gone, nobody can say how it ended.
    assert record.outcome is (Outcome.LOST if which.startswith("both") else Outcome.PASS)
    assert [type(event) for event in history(store, spec)].count(Finished) == 1
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)


SMALL_DISK = """\
#!/bin/sh
mkdir -p $HOME/ttmatrix
exec unshare -Urm sh -c 'mount -t tmpfs -o size=4m tmpfs $HOME/ttmatrix && exec {python} "$@"' sh "$@"
"""


def test_a_full_disk_there(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec) -> None:
    worker = cluster.homes / "little" / "python"
    cluster.add("little", worker=str(worker))
    worker.write_text(SMALL_DISK.format(python=sys.executable))
    worker.chmod(0o755)
    cluster.serve("little")
    fills = f"open(sys.argv[1] + '/core', 'wb').write(bytes({6 << 20}))"
    full, sent, after = (replace(make_spec(), needs="little") for _ in range(3))
    places = {spec.run_id: str(store.directory(spec.run_id)) for spec in (full, sent, after)}
    full = replace(
        full, argv=(sys.executable, "-c", f"import sys; print('begun', flush=True); {fills}", places[full.run_id])
    )
    launch(store, full)
    (record,) = wait(store, [full.run_id])
    assert record.outcome is Outcome.ERROR and "begun" in record.log.read_text()
    assert "No space left on device" in record.log.read_text()
    # Its input does not fit either: the run reports that, and does not start.
    store.create(sent)
    Path(places[sent.run_id], "input").write_bytes(bytes(6 << 20))
    store.queue.put([Ticket(sent.run_id, time.time())], {})
    tend(store)
    (record,) = wait(store, [sent.run_id])
    assert record.outcome is Outcome.ERROR and "No space left on device" in record.summary
    # Nothing of both is left there.
    launch(store, replace(after, argv=make_spec("report()", token=after.nonce).argv))
    assert wait(store, [after.run_id])[0].outcome is Outcome.PASS
    cluster.ask("down", "little")
    assert cluster.state("a") is HostState.UP


def test_a_full_disk_here(cluster: FakeHosts, store: RunStore, make_spec: MakeSpec) -> None:
    store.root.mkdir()
    mounted = run_command(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(store.root)], cwd=Path("/"))
    if mounted.returncode:
        pytest.skip(f"no disk of 4 MiB: {mounted.stderr.strip()}")
    try:
        spec = replace(make_spec(f"print('x' * {6 << 20}); report()"), needs="small")
        launch(store, spec)
        log = store.directory(spec.run_id) / "output.log"
        place = store.directory(spec.run_id) / "place.json"
        until(lambda: place.exists() and '"ended"' in place.read_text())
        # Its end waits for room, and is not lost.
        if store.record(spec.run_id).active:
            log.unlink()
        (record,) = wait(store, [spec.run_id])
        assert record.outcome is Outcome.ERROR
        assert "bytes of its log are lost here: No space left on device" in place.read_text()
        assert [type(event) for event in history(store, spec)].count(Finished) == 1
        until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)
    finally:
        run_command(["umount", "-l", str(store.root)], cwd=Path("/"))


def test_a_device_is_put_right_by_the_hook_and_by_nothing_else(
    cluster: FakeHosts, store: RunStore, make_spec: MakeSpec
) -> None:
    home = cluster.homes / "resets"
    notes, python = home / "notes", home / "python"
    hook = f"echo called >> {notes}; test ! -e {home}/fails || {{ touch {home}/broken; exit 1; }}"
    cluster.add("resets", reset=hook, python=str(python), worker=sys.executable)
    python.write_text(f'#!/bin/sh\ntest ! -e {home}/broken && exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    cluster.serve("resets")
    passes, crashes, again = (
        replace(make_spec(code), needs="resets") for code in ("report()", *["import os; os.abort()"] * 2)
    )
    launch(store, passes)
    wait(store, [passes.run_id])
    assert not notes.exists()
    launch(store, crashes)
    (record,) = wait(store, [crashes.run_id])
    assert record.outcome is Outcome.CRASH and notes.read_text() == "called\n"
    assert "[reset: echo called" in record.log.read_text() and cluster.state("resets") is HostState.UP
    (home / "fails").touch()
    launch(store, again)
    (record,) = wait(store, [again.run_id])
    # The run counts as what it was; the host gets no other one until its check passes.
    assert record.outcome is Outcome.CRASH
    assert "ended with exit code 1" in (record.directory / "place.json").read_text()
    until(lambda: cluster.state("resets") is HostState.QUARANTINED)
    cluster.ask("down", "resets")
