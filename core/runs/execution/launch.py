# SPDX-License-Identifier: Apache-2.0
"""Queue runs that outlive this process, end them, and wait for them."""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.errors import TTMatrixError
from core.proc import Child, marked, own_environment, send_signal, spawn_detached
from core.runs.environment import run_environment
from core.runs.execution.supervisor import scheduler_command
from core.runs.outcome import Outcome
from core.runs.spec import RUN_VARIABLE, RunSpec
from core.runs.store import (
    Finished,
    RunRecord,
    RunState,
    RunStore,
    Started,
    Ticket,
    append_event,
    events_file,
    read_events,
)

_POLL = 0.1
_LOOKING_SHARE = 10
_START_PATIENCE = 20.0
_END_MARGIN = 10.0
_LOG_BYTES = 1_000_000
_LOG_LINES = 5


def launch(store: RunStore, spec: RunSpec, environ: Mapping[str, str] = os.environ) -> RunRecord:
    """As `launch_all`, for one run."""
    return launch_all(store, [spec], environ)[0]


def launch_all(
    store: RunStore,
    specs: Sequence[RunSpec],
    environ: Mapping[str, str] = os.environ,
    *,
    priority: int = 0,
    provenance: str = "",
) -> list[RunRecord]:
    """Queue runs in this order and make sure that a scheduler runs; they get the part of `environ` that they need.

    `provenance` is the text of a file that is written beside each spec. Raises TTMatrixError if a run exists already or
    no scheduler can be started.
    """
    if not specs:
        return []
    now = time.time()
    tickets = [Ticket(spec.run_id, now + number * 1e-6, priority) for number, spec in enumerate(specs)]
    created: list[str] = []
    with store.queue.filling():
        try:
            for spec in specs:
                store.create(spec, provenance)
                created.append(spec.run_id)
            store.queue.put(tickets, run_environment(environ))
        except TTMatrixError:
            _take_back(store, created)
            raise
    try:
        tend(store)
    except TTMatrixError as error:
        for spec in specs:
            end = Finished(time.time(), Outcome.ERROR, detail=f"{error.title}: {error.detail}")
            append_event(events_file(store.directory(spec.run_id)), end)
            store.queue.remove(spec.run_id)
        raise
    return store.some(spec.run_id for spec in specs)


def _take_back(store: RunStore, run_ids: Sequence[str]) -> None:
    """Remove runs that could not be queued; one that a scheduler has started meanwhile stays."""
    for run_id in run_ids:
        with suppress(TTMatrixError, OSError):
            store.queue.remove(run_id)
            if not any(isinstance(event, Started) for event in read_events(events_file(store.directory(run_id)))):
                store.forget(run_id)


def tend(store: RunStore) -> None:
    """Start a scheduler if runs wait and none is running. Raises TTMatrixError if it cannot be started."""
    queue = store.queue
    if queue.served or not queue.has_work():
        return
    if queue.log.is_file() and queue.log.stat().st_size > _LOG_BYTES:
        queue.log.unlink(missing_ok=True)
    begin = queue.log.stat().st_size if queue.log.is_file() else 0
    environ = own_environment(os.environ)
    scheduler = spawn_detached(scheduler_command(store.root), cwd=Path("/"), env=environ, output=queue.log)
    try:
        _await_service(store, scheduler, begin)
    finally:
        scheduler.reap_in_background()


def cancel_all(store: RunStore, run_ids: Sequence[str]) -> list[RunRecord]:
    """End runs and return once that is done; runs that have ended are not changed.

    Active runs get the graces of their specs. Raises UsageError for an unknown run, TTMatrixError if one survives.
    """
    records = [store.record(run_id) for run_id in run_ids]
    going = [record.spec.run_id for record in records if record.state is not RunState.FINISHED]
    waiting = store.queue.names()
    for run_id in going:
        if run_id in waiting:
            store.queue.cancel(run_id)
    patience = max((sum(record.spec.graces) for record in records), default=0.0) + _END_MARGIN
    wait(store, going, until=time.monotonic() + patience)
    for record in store.some(going):
        if record.state is RunState.LOST:
            # Nobody else will ever end these processes, and nobody else knows them.
            for process in marked(RUN_VARIABLE, record.spec.run_id):
                send_signal(process, signal.SIGKILL)
    records = store.some(record.spec.run_id for record in records)
    for record in records:
        if record.active:
            raise TTMatrixError(
                f"Run {record.spec.run_id} did not stop",
                f"Its processes on {record.host} are still running, or nothing there ends them.",
                f"See {store.queue.log}",
            )
    return records


def wait(
    store: RunStore,
    run_ids: Sequence[str],
    on_change: Callable[[RunRecord], None] | None = None,
    poll: float = _POLL,
    until: float | None = None,
) -> list[RunRecord]:
    """Block until none of the runs is active; returns them in the order given.

    `on_change` is called with each run at first, and then whenever its record changes; `poll` is in seconds, `until` in
    those of the monotonic clock. Raises TTMatrixError if no scheduler serves the queue any more.
    """
    seen: dict[str, RunRecord] = {}
    pause = threading.Event()
    while True:
        begin = time.monotonic()
        tend(store)
        records = store.some(run_ids)
        for record in records:
            if on_change and seen.get(record.spec.run_id) is not record and seen.get(record.spec.run_id) != record:
                on_change(record)
            seen[record.spec.run_id] = record
        tickets = store.queue.names()
        pending = any(record.active or record.spec.run_id in tickets for record in records)
        if not pending or (until is not None and time.monotonic() > until):
            return records
        # Checking thousands of runs takes processor time, which the runs need more.
        pause.wait(max(poll, _LOOKING_SHARE * (time.monotonic() - begin)))


def _await_service(store: RunStore, scheduler: Child, log_begin: int) -> None:
    deadline = time.monotonic() + _START_PATIENCE
    while time.monotonic() < deadline:
        ended = scheduler.wait(0.01)
        # Another process may have started one meanwhile, or everything is done by now.
        if store.queue.served or ended == 0:
            return
        if ended is not None:
            break
    with store.queue.log.open("rb") as log:
        log.seek(log_begin)
        words = log.read(_LOG_BYTES).decode("utf-8", "replace").strip().splitlines()[-_LOG_LINES:]
    raise TTMatrixError("The run scheduler did not start", "\n".join(words), f"See {store.queue.log}")
