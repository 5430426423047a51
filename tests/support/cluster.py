# SPDX-License-Identifier: Apache-2.0
"""A cluster of hosts that are directories of this machine: real workers, a real Dask, and a fake local `ssh`."""

import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.files import atomic_write
from core.base.processes import ProcessIdentity, is_alive, own_environment, spawn_detached
from core.base.settings import HOME_VARIABLE, paths
from core.hosts import Host, with_host
from core.runs.cluster import Cluster, HostState, Request, message

ROOT = Path(__file__).parents[2]
NO_DASK = "needs the extra `dask`: pip install 'ttmatrix[dask]'"

# Like ssh with these options: prints the forwarded port, and runs the command in a shell in the person's home.
SSH = """\
#!/bin/sh
port= target= command=
while [ $# -gt 0 ]; do
    case $1 in
        -R) port=${2##*:}; shift 2 ;;
        -o|-F|-p) shift 2 ;;
        --) target=$2; shift 2 ;;
        -*) shift ;;
        *) command=$1; shift ;;
    esac
done
name=${target#*@}
home=@HOMES@/$name
[ -f "$home/refuses" ] && { cat "$home/refuses" >&2; exit 255; }
[ -z "$port" ] && [ -f "$home/hangs" ] && { echo $$ >> "$home/checks"; exec sleep 600; }
[ -n "$port" ] && echo "Allocated port $port for remote forward to 127.0.0.1:$port" >&2
export HOME="$home" TTMATRIX_HOME="$home/ttmatrix" TTMATRIX_LEASES="$home"
cd "$home"
[ -n "$port" ] && echo $$ >> "$home/pids"
exec sh -c "$command"
"""

# A worker in a fork of an interpreter that has Dask loaded: the command of ssh ends with it.
WORKER = """\
#!/bin/sh
exec @WARM@ -c "
import os, runpy
with open('pids', 'a') as pids:
    print(os.getpid(), file=pids)
runpy.run_module('core.runs.cluster.worker', run_name='__main__', alter_sys=True)
"
"""


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for a condition; fails if it does not become true."""
    pause, passed = threading.Event(), 0.0
    while not condition():
        assert passed < seconds, "it does not come true"
        pause.wait(0.05)
        passed += 0.05


class FakeHosts:
    """Hosts by name, each with its own home."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch, warm: Path | None = None) -> None:
        """`warm` is an interpreter with Dask loaded, for the cluster and its workers; None: each loads it."""
        self._python = str(warm or sys.executable)
        self._worker = ""
        self.homes = directory / "homes"
        self._bin = directory / "bin"
        self._bin.mkdir(parents=True)
        ssh = self._bin / "ssh"
        ssh.write_text(SSH.replace("@HOMES@", str(self.homes)))
        ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
        if warm is not None:
            worker = self._bin / "worker"
            worker.write_text(WORKER.replace("@WARM@", str(warm)))
            worker.chmod(worker.stat().st_mode | stat.S_IXUSR)
            self._worker = str(worker)
        monkeypatch.setenv("PATH", f"{self._bin}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        self.cluster = Cluster()

    def add(self, name: str, **changes: object) -> Host:
        """Add a host with an interpreter to the hosts file."""
        (self.homes / name).mkdir(parents=True, exist_ok=True)
        host = Host(name, f"me@{name}", **{"python": sys.executable, "worker": self._worker, **changes})  # type: ignore[arg-type]
        file = paths().hosts_file
        file.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text() if file.exists() else ""
        atomic_write(file, with_host(text, host, file))
        return host

    def serve(self, *names: str, ttl: float = 15.0) -> None:
        """Start the cluster and wait until these hosts are up."""
        if self.cluster.status() is None:
            command = [self._python, "-m", "core.runs.cluster.service", str(self.cluster.directory), f"{ttl:g}"]
            self.cluster.directory.mkdir(parents=True, exist_ok=True)
            child = spawn_detached(
                command, cwd=ROOT, env={**own_environment(os.environ), **self._environment()}, output=self.cluster.log
            )
            child.reap_in_background()
            until(self.cluster.status, 30)
        self.ask("up", *names)
        until(lambda: all(self.state(name) is HostState.UP for name in names), 40)

    def _environment(self) -> dict[str, str]:
        names = ("PATH", "PYTHONPATH", HOME_VARIABLE)
        return {name: os.environ[name] for name in names if name in os.environ}

    def ask(self, kind: str, *names: str) -> None:
        """Send the cluster the request of `ttmatrix hosts up` or `down`."""
        with self.cluster.connected() as stream:
            stream.write(message(Request(kind, hosts=names)))
            stream.read(4)

    def state(self, name: str) -> HostState | None:
        """The state of a host."""
        status = self.cluster.status()
        host = status.host(name) if status else None
        return host.state if host else None

    def pid(self, name: str) -> int:
        """The newest process that was started by `ssh`, or that it was replaced by: the worker."""
        return int((self.homes / name / "pids").read_text().split()[-1])

    @property
    def process(self) -> ProcessIdentity:
        """The cluster's process."""
        status = self.cluster.status()
        assert status is not None
        return status.process

    def close(self) -> None:
        """End the cluster, and everything left of the hosts."""
        status = self.cluster.status()
        if status is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(status.process.pid, signal.SIGTERM)
            until(lambda: not is_alive(status.process), 30)
        for pids in (*self.homes.glob("*/pids"), *self.homes.glob("*/checks")):
            for pid in map(int, pids.read_text().split()):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)


@contextlib.contextmanager
def fake_hosts(directory: Path, warm: Path | None = None) -> Iterator[FakeHosts]:
    """Provide hosts until the block ends, with their own TTMATRIX_HOME; `warm` as for FakeHosts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(directory / "home"))
        hosts = FakeHosts(directory, patch, warm)
        try:
            yield hosts
        finally:
            hosts.close()
