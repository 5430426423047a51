# SPDX-License-Identifier: Apache-2.0
"""Start runs that outlive us, stop them, and wait for them."""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.errors import TTMatrixError
from core.proc import STOP_GRACES, is_alive, spawn_detached, stop_tree, this_host
from core.runs.environment import supervisor_environment
from core.runs.events import CancelRequested, Finished, Queued, append_event
from core.runs.outcome import Outcome
from core.runs.record import RunRecord, RunState
from core.runs.spec import RunSpec
from core.runs.store import RunStore, events_file

_POLL = 0.2
_REPORT_MARGIN = 10.0


def launch(store: RunStore, spec: RunSpec) -> RunRecord:
    """Record the run and give it to a supervisor of its own; returns at once.

    Raises TTMatrixError where the run exists already or no process can be started.
    """
    directory = store.create(spec)
    journal = events_file(directory)
    # -P: the working directory must not lend its modules to the supervisor.
    argv = [sys.executable, "-P", "-m", "core.runs.supervisor", str(directory)]
    try:
        supervisor = spawn_detached(
            argv,
            cwd=Path("/"),
            env=supervisor_environment(os.environ),
            output=directory / "supervisor.log",
        )
    except TTMatrixError as error:
        append_event(journal, Finished(time.time(), Outcome.ERROR, detail=f"{error.title}: {error.detail}"))
        raise
    supervisor.reap_in_background()
    # The supervisor reports the same as soon as it can; should it fail before, the run is seen to be lost.
    append_event(journal, Queued(time.time(), supervisor.identity, this_host()))
    return store.record(spec.run_id)


def cancel(store: RunStore, run_id: str, graces: Sequence[float] = STOP_GRACES) -> RunRecord:
    """End the run and return once its supervisor has reported that; a finished run stays as it is.

    Where the supervisor was killed, what it left behind is stopped from here, with `graces` as in `stop_tree`.
    Raises UsageError for an unknown run, TTMatrixError where the run goes on all the same.
    """
    record = store.record(run_id)
    if record.state is RunState.FINISHED:
        return record
    append_event(events_file(record.directory), CancelRequested(time.time()))
    record = _await_end(store, record.spec.run_id, sum(STOP_GRACES) + _REPORT_MARGIN)
    if record.active:
        raise TTMatrixError(
            f"Run {record.spec.run_id} does not stop",
            f"Its supervisor, process {record.supervisor and record.supervisor.pid} on {record.host}, is silent.",
            f"See {record.directory / 'supervisor.log'}",
        )
    return _settle(store, record, graces) if record.state is RunState.LOST else record


def wait(
    store: RunStore,
    run_ids: Sequence[str],
    on_change: Callable[[RunRecord], None] | None = None,
    poll: float = _POLL,
) -> list[RunRecord]:
    """Block until none of the runs is active; returns them in the order given.

    `on_change` hears of each run at first and then whenever its record differs; `poll` is in seconds.
    """
    seen: dict[str, RunRecord] = {}
    pause = threading.Event()
    while True:
        records = [store.record(run_id) for run_id in run_ids]
        for record in records:
            if on_change and seen.get(record.spec.run_id) != record:
                on_change(record)
            seen[record.spec.run_id] = record
        if not any(record.active for record in records):
            return records
        pause.wait(poll)


def _await_end(store: RunStore, run_id: str, patience: float) -> RunRecord:
    deadline = time.monotonic() + patience
    pause = threading.Event()
    while (record := store.record(run_id)).active and time.monotonic() < deadline:
        pause.wait(_POLL)
    return record


def _settle(store: RunStore, record: RunRecord, graces: Sequence[float]) -> RunRecord:
    """End what a killed supervisor left behind and report in its place."""
    child = record.child
    orphaned = child is not None and is_alive(child)
    if child is not None and not stop_tree(child, graces):
        raise TTMatrixError(
            f"Run {record.spec.run_id} does not stop",
            f"Processes of group {child.pid} survive every signal.",
            "They may be stuck in a driver; look at them with: ps -o pid,stat,wchan,cmd",
        )
    now = time.time()
    outcome = Outcome.CANCELLED if orphaned else Outcome.LOST
    seconds = now - record.started if orphaned and record.started is not None else 0.0
    append_event(events_file(record.directory), Finished(now, outcome, seconds))
    return store.record(record.spec.run_id)
