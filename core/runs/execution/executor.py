# SPDX-License-Identifier: Apache-2.0
"""Execution of runs: the interface between the queue and this machine or those of a cluster.

The log, files and end of a run arrive in its directory, wherever it runs.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.base.processes import ProcessIdentity, identity, own_identity
from core.hosts import HostsFile, Lease
from core.runs.cluster import Cluster, HostState
from core.runs.execution.conclude import Remains
from core.runs.execution.placement import HERE, Slot
from core.runs.execution.supervisor import start_supervisor
from core.runs.execution.watch import Watch
from core.runs.leases import device_leases
from core.runs.outcome import Outcome
from core.runs.spec import RunSpec
from core.runs.store import Started, TreeState


@dataclass(frozen=True, slots=True)
class Start:
    """A run to be started now."""

    spec: RunSpec
    directory: Path
    environ: Mapping[str, str]
    """The environment that it was requested from."""
    tree: TreeState | None = None
    """The state of the checkout that it starts on."""
    session: Path | None = None
    """The session of pytest that is to run it (`core.runs.execution.sessions`); None: it runs alone."""


class Executor(Protocol):
    """Machines that can execute runs."""

    def slots(self) -> Sequence[Slot]:
        """All usable slots, occupied ones included; those of hosts that are being connected count as occupied."""

    def launch(self, start: Start, slot: Slot) -> None:
        """Start a run; returns at once. Raises TTMatrixError if that fails, and Busy if it has to wait."""

    def stop(self, run_id: str, why: Outcome) -> None:
        """End a run and all its processes, within the graces of its spec; no effect if it is ending or unknown."""

    def subscribe(self, heard: Callable[[Remains], None]) -> None:
        """Call `heard` with each run that is over."""

    def close(self) -> None:
        """Stop watching; the runs continue."""


class Busy(Exception):
    """Another process uses a device."""


class LocalExecutor:
    """This machine: each run has a supervisor, which outlives us. Not for processes with several threads.

    Everything happens in `look`, which must be called often.
    """

    def __init__(self, hosts_file: HostsFile) -> None:
        self._hosts_file = hosts_file
        self._watched: dict[str, Watch] = {}
        self._places: dict[str, str] = {}
        self._heard: Callable[[Remains], None] = lambda _: None

    def slots(self) -> Sequence[Slot]:
        own = next((one for one in self._hosts_file.look().values() if one.here), None)
        if own is None:
            return [HERE]
        lease = Lease(own.name, own.expires) if own.expires else None
        return [Slot(labels=frozenset((own.name, *own.labels)), lease=lease)]

    def launch(self, start: Start, slot: Slot) -> None:
        spec = start.spec
        # Only the other machine knows who uses its devices.
        devices = (*spec.devices, *spec.claims) if not slot.host else ()
        if devices and device_leases().take(devices, own_identity()) is not None:
            raise Busy

        def hand_over(pid: int) -> None:
            # Before the run begins: from then on the devices are those of its supervisor, which outlives us.
            if devices:
                device_leases().take(devices, _identity(pid), instead_of=own_identity())

        begun = time.monotonic()
        pid = start_supervisor(spec, start.directory, start.environ, start.tree, slot.host, hand_over, start.session)
        self._watched[spec.run_id] = Watch(spec, start.directory, _identity(pid), begun, begun)
        self._places[spec.run_id] = slot.host

    def resume(self, spec: RunSpec, directory: Path, started: Started) -> None:
        """Watch a run that an earlier process has launched."""
        now = time.monotonic()
        begun = now - max(0.0, time.time() - started.at)
        self._watched[spec.run_id] = Watch(spec, directory, started.supervisor, begun, now)
        self._places[spec.run_id] = started.place

    def stop(self, run_id: str, why: Outcome) -> None:
        if run_id in self._watched:
            self._watched[run_id].stop(why)

    def subscribe(self, heard: Callable[[Remains], None]) -> None:
        self._heard = heard

    def close(self) -> None:
        self._watched.clear()
        self._places.clear()

    def going(self) -> list[tuple[Watch, str]]:
        """The runs in progress, each with its host."""
        return [(watch, self._places[run_id]) for run_id, watch in self._watched.items()]

    def look(self) -> None:
        """Check for changes and react to them."""
        now = time.monotonic()
        for run_id, watch in list(self._watched.items()):
            watch.look(now)
            if watch.over:
                del self._watched[run_id], self._places[run_id]
                seconds = now - watch.begun
                remains = (watch.spec, watch.directory, watch.exit(), watch.stopped, watch.stuck, seconds, watch.idle)
                self._heard(Remains(*remains))


def _identity(child: int) -> ProcessIdentity:
    found = identity(child)
    if found is None:
        raise RuntimeError("a child that nobody waited for is gone")
    return found


class DaskExecutor:
    """The hosts of the person's cluster. Each run has a local process that follows it (`follow`), and that is watched.

    Dask is not imported: only the process of the cluster does that.
    """

    def __init__(self, here: LocalExecutor, cluster: Cluster, hosts_file: HostsFile) -> None:
        """`here` watches the processes that follow the runs."""
        self._here = here
        self._cluster = cluster
        self._hosts_file = hosts_file

    def slots(self) -> Sequence[Slot]:
        status = self._cluster.status()
        if status is None:
            return []
        known = self._hosts_file.look()
        mine = [host for _, host in self._here.going()]
        found = []
        for one in status.hosts:
            host = known.get(one.name)
            if host is None or one.state not in (HostState.UP, HostState.CONNECTING):
                continue
            # A run that was launched a moment ago is not in the file yet, and others may have runs there.
            taken = max(len(one.runs), mine.count(one.name))
            if one.state is HostState.CONNECTING:
                # Waiting makes sense if a run should avoid the only host that is up so far.
                taken = one.slots
            lease = Lease(one.name, host.expires) if host.expires else None
            labels = frozenset((one.name, *host.labels))
            found += [Slot(one.name, number, labels, lease, number < taken, one.memory) for number in range(one.slots)]
        return found

    def launch(self, start: Start, slot: Slot) -> None:
        self._here.launch(start, slot)

    def stop(self, run_id: str, why: Outcome) -> None:
        self._here.stop(run_id, why)

    def subscribe(self, heard: Callable[[Remains], None]) -> None:
        self._here.subscribe(heard)

    def close(self) -> None:
        self._here.close()
