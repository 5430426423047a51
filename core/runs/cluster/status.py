# SPDX-License-Identifier: Apache-2.0
"""The cluster of a person as seen by other processes here: a file with the state of the hosts, and a socket.

Its process is `core.runs.cluster.service`. A single one serves all checkouts of a person.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, Stamp, decoded, read_bytes, stamp
from core.base.processes import ProcessIdentity, is_alive
from core.base.settings import paths


class HostState(StrEnum):
    """The state of a host, which decides how it can be used."""

    CONNECTING = "connecting"
    UP = "up"
    LOST = "lost"
    """The link or the worker is gone; it will be tried again."""
    QUARANTINED = "quarantined"
    """It is reachable, but a run failed there, and its check has not passed since."""
    REFUSED = "refused"
    """A problem that a person has to solve."""


@dataclass(frozen=True, slots=True)
class HostStatus:
    """One host of the cluster."""

    name: str
    state: HostState
    why: str
    since: float
    """Seconds since the epoch."""
    slots: int
    runs: tuple[str, ...] = ()
    """The runs on it, by run id."""
    remedy: str = ""
    memory: int = 0
    """Bytes that the machine has; 0: unknown."""


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """All hosts that are up or shall be."""

    process: ProcessIdentity
    hosts: tuple[HostStatus, ...] = ()

    def host(self, name: str) -> HostStatus | None:
        """The host of that name, if it shall be up."""
        return next((one for one in self.hosts if one.name == name), None)


class Cluster:
    """The cluster whose files are in `directory`."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or paths().state / "cluster"
        self._seen: Stamp | None = None
        self._status: ClusterStatus | None = None

    @property
    def status_file(self) -> Path:
        return self.directory / "status.json"

    @property
    def log(self) -> Path:
        """The log of its process."""
        return self.directory / "cluster.log"

    @property
    def lock(self) -> Path:
        """The lock that its process holds."""
        return self.directory / "cluster.lock"

    def status(self) -> ClusterStatus | None:
        """The state of the hosts; None: no cluster is running."""
        try:
            seen = stamp(self.status_file)
            if seen != self._seen:
                self._status, self._seen = decoded(read_bytes(self.status_file, None), ClusterStatus), seen
        except (OSError, Malformed):
            self._seen = self._status = None
        found = self._status
        return found if found is not None and is_alive(found.process) else None

    @contextmanager
    def connected(self) -> Iterator[socket.SocketIO]:
        """A stream to and from its process. Raises TTMatrixError if there is no process."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            try:
                with self.address() as name:
                    link.connect(name)
            except OSError as error:
                raise TTMatrixError(
                    "No hosts are up", error.strerror or str(error), "Start them: ttmatrix hosts up"
                ) from error
            with link.makefile("rwb", buffering=0) as stream:
                yield stream

    @contextmanager
    def address(self) -> Iterator[str]:
        """A short path of the socket, whatever the directory: the system allows no more than 107 bytes."""
        descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield f"/proc/self/fd/{descriptor}/socket"
        finally:
            os.close(descriptor)
