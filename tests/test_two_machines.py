# SPDX-License-Identifier: Apache-2.0
"""Two machines behind real OpenSSH: runs of a checkout with edits go there, one link is cut, listeners are closed."""

import json
import os
import shutil
import signal
import socket
import ssl
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.base.files import atomic_write
from core.base.processes import marked
from core.base.settings import HOME_VARIABLE, paths
from core.hosts import Host, with_host
from core.runs import RUN_VARIABLE, Outcome, RunSpec
from core.runs.cluster import Cluster, HostState, take_down, take_up
from core.runs.cluster.service import TTL
from core.runs.execution import cancel_all, launch_all, wait
from core.runs.planning import with_needs
from core.runs.store import RunStore
from core.sources import Checkout
from tests.core.runs.conftest import MakeSpec, make_spec, store  # noqa: F401 - fixtures
from tests.support.cluster import NO_DASK, ROOT, until
from tests.support.git import committed_checkout
from tests.support.sshd import Server, ssh_server
from tests.support.tree import sample

pytestmark = [
    pytest.mark.slow("two sshd, workers and runs are real processes"),
    pytest.mark.timeout(150),
    pytest.mark.usefixtures("cold_schedulers"),
]

WORKER = """\
#!/bin/sh
export HOME={home} TTMATRIX_HOME={home}/ttmatrix TTMATRIX_LEASES={home} PYTHONPATH={root}
exec {python} "$@"
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return committed_checkout(sample(tmp_path_factory.mktemp("here") / "tt-xla"))


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, checkout: Checkout) -> Iterator[dict[str, Host]]:
    """Two sshd, each with its own home and clone."""
    pytest.importorskip("distributed", reason=NO_DASK)
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    with ssh_server(one) as first, ssh_server(other) as second, pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(one / "state"))
        found = {"one": _machine("one", first, checkout), "other": _machine("other", second, checkout)}
        file, text = paths().hosts_file, ""
        for host in found.values():
            text = with_host(text, host, file)
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, text)
        states = take_up(list(found))
        assert [one.state for one in states] == [HostState.UP] * 2, states
        yield found
        take_down(list(found))
        until(lambda: Cluster().status() is None, 30)


def _machine(name: str, server: Server, checkout: Checkout) -> Host:
    home = server.directory / "home"
    shutil.copytree(checkout.root, home / "tt-xla")
    worker = home / "worker"
    worker.write_text(WORKER.format(home=home, root=ROOT, python=sys.executable))
    worker.chmod(0o755)
    archs = {"one": ("n150",), "other": ("n150", "p150")}
    return server.host(
        name, labels=archs[name], checkout=str(home / "tt-xla"), python=sys.executable, worker=str(worker)
    )


@pytest.fixture(autouse=True)
def nothing_left(
    machines: dict[str, Host],
    store: RunStore,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Share the state of the module between tests, and check that none leaves a run."""
    monkeypatch.setenv(HOME_VARIABLE, str(Path(machines["one"].worker).parents[1] / "state"))
    yield
    cancel_all(store, [record.spec.run_id for record in store.records() if record.active])


def of(checkout: Checkout, spec: RunSpec, arch: str, code: str) -> RunSpec:
    """A device run of that checkout, which prints its loader's last line."""
    argv = (sys.executable, "-c", code, str(checkout.root / "third_party" / "tt_forge_models"))
    return replace(spec, cwd=checkout.root, argv=argv, arch=arch, devices=("*",), slot_count=0)


def state_of(name: str) -> HostState | None:
    status = Cluster().status()
    found = status.host(name) if status else None
    return found.state if found else None


LOADER = """
import pathlib, sys, time
loader = next(pathlib.Path(sys.argv[1]).rglob("loader.py"))
print(loader, loader.read_text().splitlines()[-1], flush=True)
"""


def test_runs_go_where_their_arch_is_on_the_code_of_here(
    machines: dict[str, Host],
    checkout: Checkout,
    store: RunStore,  # noqa: F811
    make_spec: MakeSpec,  # noqa: F811
) -> None:
    loader = next(checkout.models.rglob("loader.py"))
    before = loader.read_text()
    loader.write_text(f"{before}# an edit of today\n")
    try:
        specs = [of(checkout, make_spec(), arch, LOADER) for arch in ("n150", "p150")]
        specs = with_needs(specs, list(machines.values()))
        launch_all(store, specs)
        records = wait(store, [spec.run_id for spec in specs])
    finally:
        loader.write_text(before)
    assert [record.place for record in records] == ["one", "other"]
    for record in records:
        path, _, last = record.log.read_text().strip().partition(" ")
        assert last == "# an edit of today" and not path.startswith(str(checkout.root))
        code = json.loads((record.directory / "code.json").read_text())
        assert code["edited"] == [str(loader.relative_to(checkout.root))] and len(code["commit"]) == 40
    assert all("an edit of today" not in path.read_text() for path in Path(machines["one"].checkout).rglob("loader.py"))


def link_to(machine: Host) -> int:
    """The process of the ssh that connects to a machine."""
    status = Cluster().status()
    assert status
    children = psutil.Process(status.process.pid).children()
    # The host check uses another ssh.
    (link,) = (one for one in children if {machine.ssh_config, "-R"} <= set(one.cmdline()))
    return link.pid


def test_a_cut_link_sends_the_run_elsewhere(
    machines: dict[str, Host],
    checkout: Checkout,
    store: RunStore,  # noqa: F811
    make_spec: MakeSpec,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    marker = tmp_path_factory.mktemp("marker") / "was-here"
    waits = f"if not (it := pathlib.Path({str(marker)!r})).exists(): it.touch(); time.sleep(600)"
    (spec,) = with_needs([of(checkout, make_spec(), "n150", f"{LOADER}\n{waits}")], list(machines.values()))
    launch_all(store, [spec])
    until(marker.exists)
    assert store.record(spec.run_id).place == "one"
    os.kill(link_to(machines["one"]), signal.SIGKILL)
    (record,) = wait(store, [spec.run_id])
    assert record.place == "other" and record.outcome is not Outcome.LOST
    until(lambda: not marked(RUN_VARIABLE, spec.run_id), 20)
    # The link is restored, and the host gets runs again: it had no devices before either.
    until(lambda: state_of("one") is HostState.UP)


def test_a_link_that_falls_silent_is_noticed_and_comes_back(machines: dict[str, Host]) -> None:
    # No end is reported: this is what a network does that drops packets.
    link = link_to(machines["other"])
    os.kill(link, signal.SIGSTOP)
    until(lambda: state_of("other") is HostState.LOST, 3 * TTL)
    status = Cluster().status()
    found = status.host("other") if status else None
    assert found and found.why == f"it has not answered for {TTL:g} s"
    until(lambda: state_of("other") is HostState.UP)
    assert link_to(machines["other"]) != link


def test_listeners_are_on_loopback_and_take_nobody_without_a_certificate(machines: dict[str, Host]) -> None:
    status = Cluster().status()
    assert status
    processes = [psutil.Process(status.process.pid)]
    homes = {str(Path(host.worker).parent) for host in machines.values()}
    for one in psutil.process_iter(["cmdline", "environ"]):
        # Workers of tests that run beside this one are not counted.
        home = (one.info["environ"] or {}).get("HOME")
        if "core.runs.cluster.worker" in (one.info["cmdline"] or ()) and home in homes:
            processes.append(one)
    listening = [at.laddr for one in processes for at in one.net_connections("tcp") if at.status == "LISTEN"]
    assert len(listening) >= 3 and {at.ip for at in listening} == {"127.0.0.1"}
    stranger = ssl.create_default_context()
    stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
    refused = 0
    for at in listening:
        with socket.create_connection((at.ip, at.port), timeout=10) as plain:
            try:
                with stranger.wrap_socket(plain) as secure:
                    secure.sendall(b"hello")
                    refused += secure.recv(64) == b""
            except (ssl.SSLError, ConnectionError):
                refused += 1
    assert refused == len(listening)


def test_no_secret_is_in_arguments_environments_or_logs(machines: dict[str, Host]) -> None:
    status = Cluster().status()
    assert status
    for one in psutil.process_iter(["cmdline", "environ"]):
        said = " ".join([*(one.info["cmdline"] or ()), *(one.info["environ"] or {}).values()])
        assert "PRIVATE KEY-----" not in said
    files = [path for path in Cluster().directory.rglob("*") if path.is_file()]
    assert files and not any(b"PRIVATE KEY" in path.read_bytes() for path in files)
    assert Cluster().directory.stat().st_mode & 0o077 == 0
