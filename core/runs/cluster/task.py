# SPDX-License-Identifier: Apache-2.0
"""The task of a Dask worker for a run: start its shim, forward its messages as events, and end it on request."""

import threading
from contextlib import suppress

from distributed import Worker, get_worker
from distributed.core import Status

from core.base.errors import TTMatrixError
from core.base.files import packed, unpacked
from core.runs.cluster.forks import Shim, ShimServer
from core.runs.cluster.shim import Setup
from core.runs.cluster.wire import Job, News, message, read_message

TOPIC = "ttmatrix"
"""The topic of the events with which workers answer: each is a packed `News`."""
SHARED_CONFIG = {
    # Messages of workers are forwarded at once, and not stored.
    "distributed.admin.low-level-log-length": 0,
    # By default a process checks its event loop fifty times a second and its memory twice: 2 % of a core.
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask's settings in the service and in the workers."""

_POLL = 0.1
_MOST_WAITING = 64
"""Messages that may wait for the network; with more, the run waits too."""
_GOES_ON = (Status.running, Status.paused)

# Global to the process: one worker is one host.
_setup: list[Setup] = []
_shims = ShimServer()


def prepare(setup: Setup) -> None:
    """Set the place of the worker of this process; before its first task."""
    _setup[:] = [setup]
    _shims.start()


def run_job(packed_job: bytes, slot: int, key: str) -> None:
    """Run one job to its end; `key` is that of its task in Dask. Messages are sent as events."""
    worker: Worker = get_worker()
    job = unpacked(packed_job, Job)
    try:
        child = _shims.shim()
    except TTMatrixError as error:
        worker.log_event(TOPIC, packed(News("refused", job.id, 0, text=f"{error.title}: {error.detail}")))
        return
    over = threading.Event()
    reader = threading.Thread(target=_pass_on, args=(worker, child, over), name=f"events-{key}", daemon=True)
    reader.start()
    try:
        setup = _setup[0]
        with suppress(BrokenPipeError):
            child.to.write(message(Setup(slot, setup.slots, setup.scratch, setup.checkout, setup.python, setup.reset)))
            child.to.write(message(job))
            child.to.flush()
        _attend(worker, child, over, key)
    finally:
        with suppress(OSError):
            child.to.close()
        reader.join()
        child.close()


def _attend(worker: Worker, child: Shim, over: threading.Event, key: str) -> None:
    """Wait until the run is over, the task is cancelled, or the worker is closing, so that nobody listens any more."""
    asked = False
    while not over.wait(_POLL):
        if worker.status not in _GOES_ON:
            return
        task = worker.state.tasks.get(key)
        if not asked and (task is None or task.state in ("cancelled", "resumed", "released")):
            # Cancelling does not interrupt a thread: it has to check.
            asked = True
            child.terminate()


def _pass_on(worker: Worker, child: Shim, over: threading.Event) -> None:
    pause = threading.Event()
    try:
        while (news := read_message(child.said, News)) is not None:
            worker.log_event(TOPIC, packed(news))
            while len(worker.batched_stream.buffer) > _MOST_WAITING and worker.status in _GOES_ON:
                pause.wait(_POLL / 10)
    finally:
        over.set()
