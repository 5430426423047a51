# SPDX-License-Identifier: Apache-2.0
"""Queue runs that outlive this process, end them, and wait for them."""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import opened
from core.base.processes import Child, marked, own_environment, own_identity, send_signal, spawn_detached
from core.runs.environment import run_environment
from core.runs.escalation import CLEANING_SECONDS
from core.runs.execution.packages import PUT_BACK_SECONDS
from core.runs.execution.supervisor import scheduler_command
from core.runs.outcome import Outcome
from core.runs.spec import RUN_VARIABLE, RunSpec, renamed
from core.runs.store import (
    SERVICE,
    Finished,
    Queued,
    Returned,
    RunExists,
    RunRecord,
    RunState,
    RunStore,
    Started,
    Ticket,
    append_event,
    events_file,
    read_events,
)

_PORTION = 200
_MOST_NAMES = 10
_POLL = 0.1
_ENDING_POLL = 0.03
_FEW = 20
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
    refused: list[TTMatrixError] | None = None,
) -> list[RunRecord]:
    """Queue runs in this order and make sure that a scheduler runs; they get the part of `environ` that they need.

    `provenance` is the text of a file that is written beside each spec. A run whose id is taken gets another one.
    Each run starts by itself: why others cannot is added to `refused`. Raises TTMatrixError if none can be queued, if
    one cannot and there is no such list, and if no scheduler can be started.
    """
    refusals: list[TTMatrixError] = []
    known, now, queued = run_environment(environ), time.time(), list[str]()
    others, batches = list(specs), dict[str, str]()
    while others:
        # In portions, so that the first of thousands run while the last are being written.
        now_queued, others = others[:_PORTION], others[_PORTION:]
        tickets: list[Ticket] = []
        with store.queue.filling():
            for spec in now_queued:
                try:
                    made = _created(store, replace(spec, batch=batches.get(spec.batch, spec.batch)), provenance)
                except TTMatrixError as error:
                    refusals.append(error)
                    continue
                # A batch has the id of its first run, which may have become another one.
                batches[spec.batch] = made.batch
                tickets.append(Ticket(made.run_id, now + (len(queued) + len(tickets)) * 1e-6, priority))
            queued += _put(store, tickets, known, refusals)
        _tend_or_end(store, queued)
    if refusals and (refused is None or not queued):
        raise refusals[0]
    if refused is not None:
        refused += refusals
    records = store.some(queued)
    if len(records) > _PORTION:
        store.save_index()
    return records


def _created(store: RunStore, spec: RunSpec, provenance: str) -> RunSpec:
    """The run as it was created: under another id if another process has just taken its own."""
    for _ in range(_MOST_NAMES):
        try:
            store.create(spec, provenance)
        except RunExists:
            other = renamed(spec, datetime.now(UTC))
            spec = replace(other, batch=other.run_id) if spec.batch == spec.run_id else other
        else:
            return spec
    store.create(spec, provenance)
    return spec


def _put(
    store: RunStore, tickets: Sequence[Ticket], environment: Mapping[str, str], refusals: list[TTMatrixError]
) -> list[str]:
    """Queue created runs; returns those that are queued. The others are removed again."""
    try:
        store.queue.put(tickets, environment)
    except TTMatrixError as error:
        there = store.queue.names()
        without = [ticket.run_id for ticket in tickets if ticket.run_id not in there]
        _take_back(store, without)
        refusals += [error] * len(without)
        return [ticket.run_id for ticket in tickets if ticket.run_id in there]
    return [ticket.run_id for ticket in tickets]


def _tend_or_end(store: RunStore, run_ids: Sequence[str]) -> None:
    try:
        tend(store)
    except TTMatrixError as error:
        for run_id in run_ids:
            end = Finished(time.time(), Outcome.ERROR, detail=f"{error.title}: {error.detail}")
            append_event(events_file(store.directory(run_id)), end)
            store.queue.remove(run_id)
        raise


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
    queue, ending = store.queue, [run_id for run_id in going if store.queue.has(run_id)]
    for run_id in ending:
        queue.cancel(run_id)
    if len(ending) <= _FEW:
        _end_here(store, ending)
    patience = max((_patience(record.spec) for record in records), default=0.0) + _END_MARGIN
    _await_ends(store, ending, time.monotonic() + patience)
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


def _end_here(store: RunStore, run_ids: Sequence[str]) -> None:
    """End those that wait if no scheduler serves the queue: starting one for that takes longer than a second."""
    me = own_identity()
    if store.queue.leases.take([SERVICE], me) is not None:
        return
    try:
        for run_id in run_ids:
            file = events_file(store.directory(run_id))
            if all(isinstance(event, Queued | Returned) for event in read_events(file)):
                append_event(file, Finished(time.time(), Outcome.CANCELLED))
                store.queue.remove(run_id)
    finally:
        store.queue.leases.release(me)
    # Who queued a run meanwhile relied on this process.
    tend(store)


def _await_ends(store: RunStore, run_ids: Sequence[str], until: float) -> None:
    """Block until the scheduler has reported the ends of these runs; only they are looked at, of however many."""
    pause, left = threading.Event(), list(run_ids)
    while (left := [run_id for run_id in left if store.queue.has(run_id)]) and time.monotonic() < until:
        tend(store)
        pause.wait(_ENDING_POLL)


def _patience(spec: RunSpec) -> float:
    """Seconds until a run that is ended has ended, with its own ways of cleaning up."""
    return sum(spec.graces) + CLEANING_SECONDS + (PUT_BACK_SECONDS if spec.requirements else 0.0)


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
        tend(store)
        begin = time.monotonic()
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
    with opened(store.queue.log) as log:
        log.seek(log_begin)
        words = log.read(_LOG_BYTES).decode("utf-8", "replace").strip().splitlines()[-_LOG_LINES:]
    raise TTMatrixError("The run scheduler did not start", "\n".join(words), f"See {store.queue.log}")
