# SPDX-License-Identifier: Apache-2.0
"""What a Dask worker does for a run: starts its shim, passes its messages on as events, and ends it when asked to."""

import threading
from contextlib import suppress

from distributed import Worker, get_worker
from distributed.core import Status

from core.errors import TTMatrixError
from core.files import packed, unpacked
from core.runs.cluster.forks import Shim, ShimServer
from core.runs.cluster.shim import Setup
from core.runs.cluster.wire import Job, News, message, read_message

TOPIC = "ttmatrix"
"""Of the events with which workers answer: each is a packed `News`."""

_POLL = 0.1
_MOST_WAITING = 64
"""Messages that wait for the network; beyond, the run waits for it too."""
_GOES_ON = (Status.running, Status.paused)

# Of the process: one worker is one host.
_setup: list[Setup] = []
_shims = ShimServer()


def prepare(setup: Setup) -> None:
    """Say where the worker of this process is; before its first task."""
    _setup[:] = [setup]
    _shims.start()


def run_job(packed_job: bytes, slot: int, key: str) -> None:
    """Run one job to its end; the task that has the key `key` in Dask. What happens goes out as events."""
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
    """Until the run is over, the task is cancelled, or the worker is closing: then nobody hears of the run."""
    asked = False
    while not over.wait(_POLL):
        if worker.status not in _GOES_ON:
            return
        task = worker.state.tasks.get(key)
        if not asked and (task is None or task.state in ("cancelled", "resumed", "released")):
            # Cancelling does nothing to a thread: it has to look.
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
