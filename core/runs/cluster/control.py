# SPDX-License-Identifier: Apache-2.0
"""Take hosts up and down: start the process of the cluster, and send it requests."""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import read_loosely
from core.base.optional_packages import require_extra
from core.base.processes import Child, own_environment, spawn_detached
from core.runs.cluster.status import Cluster, HostState, HostStatus
from core.runs.cluster.wire import News, Request, message, read_message

_START_SECONDS = 30.0
_UP_SECONDS = 120.0
_POLL = 0.1
_LOG_BYTES = 1_000_000
_LAST_LINES = 5


def take_up(
    names: Sequence[str], cluster: Cluster | None = None, said: Callable[[HostStatus], object] = lambda _: None
) -> list[HostStatus]:
    """Take hosts up and wait until each is up or has failed; `said` is called with each change.

    Raises TTMatrixError if the extra is missing or the cluster does not start.
    """
    cluster = cluster or Cluster()
    if cluster.status() is None:
        _start(cluster)
    _ask(cluster, "up", names)
    deadline, pause = time.monotonic() + _UP_SECONDS, threading.Event()
    last: dict[str, HostStatus] = {}
    while True:
        found = {one.name: one for one in _hosts(cluster) if one.name in names}
        for name, one in found.items():
            if last.get(name) != one:
                said(one)
        last = found
        waits = len(found) < len(names) or any(one.state is HostState.CONNECTING for one in found.values())
        if not waits or time.monotonic() > deadline:
            return [found[name] for name in names if name in found]
        pause.wait(_POLL)


def take_down(names: Sequence[str], cluster: Cluster | None = None) -> list[str]:
    """Take hosts down; what runs there ends, and is run again elsewhere. Returns the names of those that were up."""
    cluster = cluster or Cluster()
    there = [one.name for one in _hosts(cluster) if one.name in names]
    if there:
        _ask(cluster, "down", there)
    return there


def _hosts(cluster: Cluster) -> Sequence[HostStatus]:
    status = cluster.status()
    return status.hosts if status else ()


def _start(cluster: Cluster) -> None:
    require_extra("dask", "Hosts need the extra `dask`")
    try:
        cluster.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if cluster.log.is_file() and cluster.log.stat().st_size > _LOG_BYTES:
            cluster.log.unlink()
    except OSError as error:
        raise TTMatrixError(f"Cannot write {cluster.directory}", error.strerror or str(error)) from error
    # -P: Python must not import modules from the working directory.
    command = [sys.executable, "-P", "-m", "core.runs.cluster.service", str(cluster.directory)]
    child = spawn_detached(command, cwd=Path("/"), env=own_environment(os.environ), output=cluster.log)
    try:
        _await(cluster, child)
    finally:
        child.reap_in_background()


def _await(cluster: Cluster, child: Child) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while cluster.status() is None:
        if (child.wait(_POLL) is not None and cluster.status() is None) or time.monotonic() > deadline:
            words = read_loosely(cluster.log, None).strip().splitlines()[-_LAST_LINES:]
            raise TTMatrixError("The process for hosts did not start", "\n".join(words), f"See {cluster.log}")


def _ask(cluster: Cluster, kind: str, names: Sequence[str]) -> None:
    with cluster.connected() as stream:
        stream.write(message(Request(kind, hosts=tuple(names))))
        read_message(stream, News)
