# SPDX-License-Identifier: Apache-2.0
"""The process of a person's cluster: Dask's scheduler, a link to each host, and the socket that receives runs.

Started as `python -m core.runs.cluster.service DIRECTORY` by `ttmatrix hosts up`. It listens on loopback only, and only
accepts certificates of this cluster. It ends with the last host. If it is killed, the workers notice that their links
ended, stop their runs and end.
"""

import asyncio
import itertools
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import dask
from distributed import Client, Future, Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, packed, plain, unpacked
from core.base.locks import LockHeld, locked
from core.base.permissions import keep_private
from core.base.processes import own_identity
from core.base.settings import paths
from core.hosts import read_hosts
from core.runs.cluster.certificates import new_credentials
from core.runs.cluster.link import HostLink
from core.runs.cluster.shim import RESET_FAILED
from core.runs.cluster.status import Cluster, ClusterStatus, HostState
from core.runs.cluster.task import SHARED_CONFIG, TOPIC, run_job
from core.runs.cluster.wire import News, Request, message, receive

TTL = 15.0
"""Seconds without a sign of life after which a host counts as lost."""
_LAST = ("ended", "refused", "away", "lost")
_CONFIG = {
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.comm.require-encryption": True,
    "distributed.scheduler.active-memory-manager.start": False,
}


@dataclass(slots=True)
class _Placed:
    """A run on another machine."""

    key: str
    link: HostLink
    follower: asyncio.StreamWriter | None
    """None: the process that requested it is gone."""
    future: Future | None = None
    heard: int = 0
    """The number of its messages received so far."""


class _Events(SchedulerPlugin):  # type: ignore[misc]
    """Receives events about workers, and their messages, from Dask's scheduler."""

    name = "ttmatrix"

    def __init__(self, service: "Service") -> None:
        self._service = service

    def log_event(self, topic: str, msg: object) -> None:
        if topic == TOPIC and isinstance(msg, bytes):
            self._service.hear(msg)

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        state = scheduler.workers[worker]
        if link := self._service.links.get(str(state.name)):
            link.joined(worker, lambda: float(state.last_seen))

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: object) -> None:
        self._service.lose(worker)


class Service:
    """The cluster with the files in the directory of `cluster`."""

    def __init__(self, cluster: Cluster, ttl: float = TTL) -> None:
        self._cluster = cluster
        self._ttl = ttl
        self.links: dict[str, HostLink] = {}
        self._placed: dict[str, _Placed] = {}
        self._numbers = itertools.count(1)
        self._ours, self._theirs = new_credentials()
        self._over = asyncio.Event()
        self._scheduler: Scheduler
        self._client: Client
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Serve until the last host is down, or the process is asked to end."""
        for signum in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(signum, self._over.set)
        security = self._ours.security()
        own = {
            "distributed.scheduler.worker-ttl": f"{self._ttl:g}s",
            "temporary-directory": str(self._cluster.directory),
        }
        logging.getLogger("distributed").setLevel(logging.WARNING)
        dask.config.set({**SHARED_CONFIG, **_CONFIG, **own})
        async with (
            Scheduler(
                protocol="tls",
                host="127.0.0.1",
                port=0,
                security=security,
                dashboard=False,
                dashboard_address="127.0.0.1:0",
            ) as self._scheduler,
            Client(self._scheduler.address, security=security, asynchronous=True, set_as_default=False) as self._client,
        ):
            # Dask's pages: nobody reads them, and they are not protected by TLS.
            self._scheduler.http_server.stop()
            self._scheduler.add_plugin(_Events(self))
            server = await asyncio.start_unix_server(self._attend, sock=self._listen())
            self._write()
            async with server:
                await self._over.wait()
            await asyncio.gather(*(link.close() for link in self.links.values()))
            self._cluster.status_file.unlink(missing_ok=True)

    def _listen(self) -> socket.socket:
        """A socket that only the person's own processes can reach: its directory is closed to all others."""
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        (self._cluster.directory / "socket").unlink(missing_ok=True)
        with self._cluster.address() as name:
            listening.bind(name)
        return listening

    def _write(self) -> None:
        """Publish the state of the hosts."""
        status = ClusterStatus(own_identity(), tuple(link.status for link in self.links.values()))
        with suppress(TTMatrixError, OSError):
            atomic_write(self._cluster.status_file, json.dumps(plain(status)))

    # Requests

    async def _attend(self, stream: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        try:
            request = await receive(stream, Request)
            if request is None:
                return
            if request.kind == "launch":
                await self._follow(request, stream, to)
                return
            await self._change(request)
            to.write(message(News("done")))
            await to.drain()
        except (Malformed, TTMatrixError, ConnectionError) as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            to.close()
            if not self.links:
                self._over.set()

    async def _change(self, request: Request) -> None:
        if request.kind == "down":
            await asyncio.gather(*(self._down(name) for name in request.hosts))
            return
        for host in read_hosts(paths().hosts_file):
            if host.name not in request.hosts or host.here:
                continue
            there = self.links.get(host.name)
            if there and there.host == host and there.state in (HostState.UP, HostState.CONNECTING):
                continue
            await self._down(host.name)
            link = HostLink(host, lambda: str(self._scheduler.address), self._theirs, self._ttl)
            link.changed = self._write
            self.links[host.name] = link
        self._write()

    async def _down(self, name: str) -> None:
        if link := self.links.get(name):
            await link.close()
            self.lose(link.worker)
            self.links.pop(name, None)
            self._write()

    # Runs

    async def _follow(self, request: Request, stream: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        """Start a run and forward its messages until it has ended, or until the requesting process is gone."""
        job, link = request.job, self.links.get(request.host)
        if job is None:
            return
        slot = link.free_slot() if link else None
        going = any(key.partition(".")[0] == job.id for key in self._placed)
        if link is None or slot is None or going:
            why = (
                "it is still running there" if going else link.why or "no slot is free" if link else "the host is down"
            )
            to.write(message(News("away", job.id, text=why)))
            await to.drain()
            return
        # Distinguishes this attempt from all others: late messages of an earlier attempt are ignored.
        key = f"{job.id}.{next(self._numbers)}"
        placed = self._placed[key] = _Placed(key, link, to)
        link.runs[key] = slot
        self._write()
        placed.future = self._client.submit(
            run_job,
            packed(replace(job, id=key)),
            slot,
            key,
            key=key,
            workers=[link.worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        placed.future.add_done_callback(lambda _: None)
        watching = asyncio.ensure_future(self._notice_end(placed))
        self._connections.add(watching)
        watching.add_done_callback(self._connections.discard)
        while await receive(stream, Request) is not None:
            await self._cancel(placed)
        placed.follower = None
        if key in self._placed:
            await self._cancel(placed)

    async def _cancel(self, placed: _Placed) -> None:
        if placed.future is not None:
            await self._client.cancel([placed.future], force=True)

    async def _notice_end(self, placed: _Placed) -> None:
        """End a run whose task ended without a last message, because its shim was killed."""
        assert placed.future is not None
        with suppress(Exception):
            await placed.future
        if not placed.future.cancelled():
            self._end(placed, News("lost", text="its process there was killed"))

    def hear(self, data: bytes) -> None:
        """Forward a worker's message about a run."""
        with suppress(Malformed):
            news = unpacked(data, News)
            placed = self._placed.get(news.job)
            if placed is None:
                return
            if news.number != placed.heard:
                news = News("lost", news.job, text="some of its messages are missing")
            placed.heard += 1
            if news.kind in _LAST:
                self._end(placed, news)
            else:
                self._tell(placed, news)

    def lose(self, worker: str) -> None:
        """Handle the loss of the worker at an address of Dask, with all its runs."""
        for placed in list(self._placed.values()):
            if worker and placed.link.worker == worker:
                self._end(placed, News("lost", text="the connection to it is gone"))
        for link in self.links.values():
            if worker and link.worker == worker:
                link.left()

    def _end(self, placed: _Placed, news: News) -> None:
        if self._placed.pop(placed.key, None) is None:
            return
        placed.link.runs.pop(placed.key, None)
        if news.name == RESET_FAILED:
            placed.link.quarantine(f"reset failed: {news.text}")
        self._tell(placed, news)
        if placed.follower is not None:
            placed.follower.close()
        self._write()

    def _tell(self, placed: _Placed, news: News) -> None:
        if placed.follower is not None:
            placed.follower.write(message(news))


async def _main(directory: Path, ttl: float) -> None:
    await Service(Cluster(directory), ttl).serve()


def main(arguments: Sequence[str]) -> int:
    """Serve the cluster in the directory in `arguments`, which may also give the TTL, unless another process does."""
    directory = Path(arguments[0])
    ttl = float(arguments[1]) if len(arguments) > 1 else TTL
    os.umask(0o077)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    directory.chmod(0o700)
    try:
        with locked(Cluster(directory).lock, "serving hosts", wait=0):
            asyncio.run(_main(directory, ttl))
    except LockHeld:
        return 0
    return 0


if __name__ == "__main__":
    keep_private(paths())
    sys.exit(main(sys.argv[1:]))
