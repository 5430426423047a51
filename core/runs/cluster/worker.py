# SPDX-License-Identifier: Apache-2.0
"""The worker of a host: `python -m core.runs.cluster.worker`, at the other end of ssh.

It first writes its versions to standard output. Its settings, including the credentials, then arrive on standard input,
followed by a byte now and then. If the input ends or falls silent, the link is gone, so the worker and its runs end.
"""

import asyncio
import logging
import os
import platform
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass

import dask
import distributed
from distributed import Worker

from core import __version__
from core.base.permissions import keep_private
from core.base.processes import total_memory
from core.base.settings import paths
from core.hosts import DEVICE_NODES
from core.runs.cluster.certificates import Credentials
from core.runs.cluster.shim import Setup
from core.runs.cluster.task import SHARED_CONFIG, prepare
from core.runs.cluster.wire import message, receive

MARK = b"TTMATRIX-WORKER"
"""The end of the line before the first message; a login may print other lines before it."""
SILENCES = 2.0
"""The worker ends, with its runs, after this many TTLs without a sign of life from the other side."""
_JOIN_SECONDS = 30
_CLOSE_SECONDS = 10
_CONFIG = {
    # Dask's own pages would listen on every address.
    "distributed.worker.http.routes": [],
    "distributed.worker.daemon": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.comm.timeouts.connect": "10s",
}


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a worker."""

    ttmatrix: str
    distributed: str
    python: str
    pid: int
    memory: int = 0
    """Bytes that the machine has; 0: unknown."""
    devices: int = 0
    """The number of devices that its driver shows."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The settings that a worker receives."""

    name: str
    address: str
    credentials: Credentials
    setup: Setup
    ttl: float
    """Seconds of silence after which a worker counts as lost."""


def own_versions() -> Hello:
    """The versions of this process: both sides must have the same."""
    devices = sum(1 for _ in DEVICE_NODES.glob("*"))
    return Hello(__version__, distributed.__version__, platform.python_version(), os.getpid(), total_memory(), devices)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), sys.stdin)
    os.write(1, MARK + b"\n" + message(own_versions()))
    welcome = await receive(stream, Welcome)
    if welcome is None:
        return
    setup = welcome.setup
    scratch = setup.scratch if str(setup.scratch) != "." else paths().cache / "hosts" / welcome.name
    shutil.rmtree(scratch / "runs", ignore_errors=True)
    scratch.mkdir(parents=True, exist_ok=True)
    prepare(Setup(0, setup.slots, scratch, setup.checkout, setup.python, setup.reset))
    # Its last line is the message shown for a link that ends.
    logging.getLogger("distributed").setLevel(logging.WARNING)
    dask.config.set({**SHARED_CONFIG, **_CONFIG, "distributed.worker.profile.enabled": False})
    worker = Worker(
        welcome.address,
        name=welcome.name,
        nthreads=setup.slots,
        security=welcome.credentials.security(),
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        dashboard=False,
        memory_limit=0,
        death_timeout=_JOIN_SECONDS,
        local_directory=str(scratch / "dask"),
        heartbeat_interval=f"{welcome.ttl / 5:g}s",
    )
    async with worker:
        # Dask's pages: nobody reads them, and they are not protected by TLS.
        worker.http_server.stop()
        gone = asyncio.ensure_future(_until_end(stream, SILENCES * welcome.ttl))
        await asyncio.wait([gone, asyncio.ensure_future(worker.finished())], return_when=asyncio.FIRST_COMPLETED)
        with suppress(Exception):
            # Its runs notice that and end.
            await worker.close(timeout=_CLOSE_SECONDS, executor_wait=True, reason="the link is gone")


async def _until_end(stream: asyncio.StreamReader, silence: float) -> None:
    """Wait until the other side is gone: its end closes the stream, and a dropped link is silent."""
    with suppress(TimeoutError):
        while await asyncio.wait_for(stream.read(1024), silence):
            pass


if __name__ == "__main__":
    keep_private(paths())
    asyncio.run(_serve())
