# SPDX-License-Identifier: Apache-2.0
"""Serve the queue of one machine: start what may start, watch what goes on, report what has ended.

Started as `python -m core.runs.execution.scheduler STORE` when a run is queued and no scheduler is there. It ends when
nothing is left to do. It may be killed at any time: runs do not notice, and the next one goes on from the disk.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from core import hosts
from core.errors import TTMatrixError
from core.private import keep_private
from core.proc import boot_id, free_memory, identity, own_identity
from core.runs.execution.conclude import Remains, conclude
from core.runs.execution.supervisor import start_supervisor
from core.runs.execution.watch import Watch
from core.runs.leases import EVERYTHING, device_leases
from core.runs.outcome import FAILURES, Outcome
from core.runs.spec import RunSpec
from core.runs.store import (
    Finished,
    Queue,
    Queued,
    RunStore,
    Started,
    Ticket,
    TreeState,
    append_event,
    events_file,
    read_events,
    read_spec,
)
from core.runs.tree import TreeReader
from core.settings import paths
from core.sources import Checkout

_GROWING_SECONDS = 30.0
"""For so long after its start, a run is taken to have most of its memory still to ask for."""


@dataclass(frozen=True, slots=True)
class Going:
    """A run that has started."""

    spec: RunSpec
    seconds: float
    """How long ago."""


def next_run(waiting: Iterable[RunSpec], going: Sequence[Going], free_memory: int) -> RunSpec | None:
    """The first of `waiting` that may start now; `free_memory` is in bytes.

    Runs of different slots do not block each other; within one, a job waiting for memory blocks later jobs (no
    overtaking).
    """
    promised = sum(one.spec.memory for one in going if one.seconds < _GROWING_SECONDS)
    short: set[str] = set()
    full: set[tuple[str, int]] = set()
    for spec in waiting:
        # Of thousands that wait, nearly all are decided by one look at those before them.
        if spec.slots in short or (spec.slots, spec.slot_count) in full:
            continue
        if not _has_slot(spec, going):
            full.add((spec.slots, spec.slot_count))
            continue
        if not _has_devices(spec, going):
            continue
        # One run at a time may try without knowing: one has to be first.
        if any(one.spec.slots == spec.slots for one in going) and free_memory - promised < spec.memory:
            short.add(spec.slots)
            continue
        return spec
    return None


def _has_slot(spec: RunSpec, going: Sequence[Going]) -> bool:
    return not spec.slot_count or sum(one.spec.slots == spec.slots for one in going) < spec.slot_count


def _has_devices(spec: RunSpec, going: Sequence[Going]) -> bool:
    taken = {device for one in going for device in one.spec.devices}
    if not spec.devices or not taken:
        return True
    return EVERYTHING not in taken.union(spec.devices) and taken.isdisjoint(spec.devices)


SERVICE = "scheduler"
"""What the one process that serves a queue leases."""

_TICK = 0.1
_LADDER_TICK = 0.03
_IDLE_SECONDS = 2.0
_OFFICE_SECONDS = 1.0
_LOOKING_SHARE = 10
_QUEUE_SECONDS = 1.0
"""After so long the queue is looked at even where its directory seems untouched: clocks of disks are coarse."""


class Scheduler:
    """The one process that serves the queue of `store` on this machine."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._queue: Queue = store.queue
        self._watched: dict[str, Watch] = {}
        self._waiting: dict[str, RunSpec] = {}
        self._tickets: dict[str, Ticket] = {}
        self._queue_seen = 0
        self._queue_looked = -_QUEUE_SECONDS
        self._queue_pause = 0.0
        self._ends: dict[str, Finished] = {}
        self._readers: dict[Path, TreeReader] = {}
        self._trees: dict[str, TreeState] = {}
        """By run, the state of the checkout that those which are watched started on."""
        self._office_checked = time.monotonic()
        self._machine_lease = hosts.MachineLease(paths().hosts_file)
        self.asked_to_end = False

    def ask_to_end(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """End the runs that go on, leave those that wait, and return from `serve`. Fit to be a signal handler."""
        self.asked_to_end = True

    def serve(self) -> None:
        """Go on until there has been nothing to do for a while."""
        idle_since = time.monotonic()
        self._look_at_queue()
        while time.monotonic() - idle_since < _IDLE_SECONDS:
            if (self.asked_to_end and not self._watched) or not self._in_office():
                break
            if self._step():
                idle_since = time.monotonic()
        self._queue.forget_environments()

    def _in_office(self) -> bool:
        """Whether this is still the scheduler: the whole store may have been removed and made again."""
        now = time.monotonic()
        if now - self._office_checked > _OFFICE_SECONDS:
            self._office_checked = now
            return any(lease.owner == own_identity() for lease in self._queue.leases.held())
        return True

    def _step(self) -> bool:
        """One turn; returns whether there was, or will be, something to do."""
        self._wait()
        self._look_at_queue()
        now = time.monotonic()
        for watch in list(self._watched.values()):
            if self.asked_to_end:
                watch.stop(Outcome.CANCELLED)
            watch.look(now)
            if watch.over:
                self._conclude(watch, now)
        self._report()
        if not self.asked_to_end:
            self._start_runs()
        return bool(self._watched or self._ends or any(True for _ in self._candidates()))

    def _wait(self) -> None:
        """Wait until a supervisor ends, but never for long."""
        tick = _LADDER_TICK if any(watch.ending for watch in self._watched.values()) else _TICK
        with _exits([watch.supervisor.pid for watch in self._watched.values()]) as poll:
            poll.poll(tick * 1000)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    # The queue

    def _look_at_queue(self) -> None:
        """Take in what others have changed; with thousands of tickets that is not for every turn."""
        now, changed = time.monotonic(), self._queue.changed()
        waited = now - self._queue_looked
        if waited < self._queue_pause or (changed == self._queue_seen and waited < _QUEUE_SECONDS):
            return
        self._queue_seen = changed
        self._tickets = {ticket.run_id: ticket for ticket in self._queue.tickets()}
        for run_id in list(self._tickets):
            if not any(run_id in known for known in (self._waiting, self._watched, self._ends)):
                self._take_in(run_id)
        for run_id in self._queue.cancelled():
            if run_id in self._watched:
                self._watched[run_id].stop(Outcome.CANCELLED)
            elif run_id in self._waiting:
                self._end_unstarted(run_id, Outcome.CANCELLED, "")
            elif run_id not in self._ends:
                self._queue.remove(run_id)
        self._queue_looked = time.monotonic()
        self._queue_pause = min(_QUEUE_SECONDS, max(_TICK, _LOOKING_SHARE * (self._queue_looked - now)))

    def _take_in(self, run_id: str) -> None:
        """Find out how far a run is, also one of an earlier scheduler."""
        directory = self._store.directory(run_id)
        try:
            spec = read_spec(directory)
            events = read_events(events_file(directory))
        except TTMatrixError:
            # Listing the runs reports it; here it is skipped.
            self._queue.remove(run_id)
            return
        queued = next((event for event in events if isinstance(event, Queued)), None)
        started = next((event for event in events if isinstance(event, Started)), None)
        if any(isinstance(event, Finished) for event in events):
            self._queue.remove(run_id)
        elif queued is None or queued.boot != boot_id():
            self._ends[spec.run_id] = Finished(time.time(), Outcome.LOST, detail="the machine was restarted")
        elif started is None:
            self._waiting[spec.run_id] = spec
        else:
            now = time.monotonic()
            begun = now - max(0.0, time.time() - started.at)
            self._watched[spec.run_id] = Watch(spec, directory, started.supervisor, begun, now)
            if (ticket := self._tickets.get(run_id)) and ticket.environment:
                self._forget_environment(ticket)
            if started.tree is not None:
                self._trees[spec.run_id] = started.tree

    def _candidates(self) -> Iterator[Ticket]:
        tickets = self._tickets.values()
        return (ticket for ticket in tickets if not ticket.held and ticket.run_id in self._waiting)

    # Starts

    def _start_runs(self) -> None:
        while True:
            now = time.monotonic()
            going = [Going(watch.spec, now - watch.begun) for watch in self._watched.values()]
            waiting = self._in_time([self._waiting[ticket.run_id] for ticket in self._candidates()])
            spec = next_run(waiting, going, free_memory())
            if spec is None or not self._start(spec, self._tickets[spec.run_id]):
                return

    def _in_time(self, waiting: list[RunSpec]) -> list[RunSpec]:
        """Those that will have ended before the lease of this machine does; the others wait until it is extended."""
        lease, now = self._machine_lease.look(), datetime.now(UTC)
        return waiting if lease is None else [spec for spec in waiting if lease.fits(spec.estimate, now)]

    def _start(self, spec: RunSpec, ticket: Ticket) -> bool:
        directory = self._store.directory(spec.run_id)
        try:
            environ = self._queue.environment(ticket)
            if spec.devices and device_leases().take(spec.devices, own_identity()) is not None:
                return False
        except TTMatrixError as error:
            self._end_unstarted(spec.run_id, Outcome.ERROR, f"{error.title}: {error.detail}")
            return True
        tree = self._trees[spec.run_id] = self._reader(spec).state_of(spec)
        begun = time.monotonic()
        supervisor = identity(start_supervisor(spec, directory, environ, tree))
        if supervisor is None:
            raise RuntimeError("a child that nobody waited for is gone")
        del self._waiting[spec.run_id]
        watch = self._watched[spec.run_id] = Watch(spec, directory, supervisor, begun, begun)
        if spec.devices:
            try:
                # From now on they are its own: it lives as long as anything of the run does.
                device_leases().take(spec.devices, supervisor, instead_of=own_identity())
            except TTMatrixError as error:
                print(f"{spec.run_id}: {error.title}: {error.detail}", file=sys.stderr, flush=True)
                watch.stop(Outcome.ERROR)
        self._forget_environment(ticket)
        return True

    def _forget_environment(self, ticket: Ticket) -> None:
        """Of a run that has started; with that of the last that waits for it, the file goes."""
        spent = self._tickets[ticket.run_id] = replace(ticket, environment="")
        self._queue.forget_environment(spent)
        waiting = (self._tickets[run_id] for run_id in self._waiting if run_id in self._tickets)
        if not any(one.environment == ticket.environment for one in waiting):
            self._queue.forget_environments()

    # Ends

    def _conclude(self, watch: Watch, now: float) -> None:
        del self._watched[watch.spec.run_id]
        end = conclude(
            Remains(
                watch.spec, watch.directory, watch.exit(), watch.stopped, watch.stuck, now - watch.begun, watch.idle
            )
        )
        self._ends[watch.spec.run_id] = replace(end, edited=self._edited(watch.spec))
        if watch.spec.stop_on_failure and end.outcome in FAILURES:
            for run_id, spec in list(self._waiting.items()):
                if spec.batch == watch.spec.batch:
                    self._end_unstarted(run_id, Outcome.CANCELLED, f"not started after {watch.spec.run_id} failed")

    def _edited(self, spec: RunSpec) -> bool:
        """Whether the code of a run that is over is not the one that it started on."""
        tree = self._trees.pop(spec.run_id, None)
        if tree is None:
            return False
        code = self._reader(spec).code_of(spec)
        return (code.loader, code.imports) != (tree.loader, tree.imports)

    def _reader(self, spec: RunSpec) -> TreeReader:
        if spec.cwd not in self._readers:
            self._readers[spec.cwd] = TreeReader(Checkout(spec.cwd))
        return self._readers[spec.cwd]

    def _end_unstarted(self, run_id: str, outcome: Outcome, detail: str) -> None:
        del self._waiting[run_id]
        self._ends[run_id] = Finished(time.time(), outcome, detail=detail)

    def _report(self) -> None:
        """Record the ends; what a full disk refuses is tried again."""
        for run_id, end in list(self._ends.items()):
            directory = self._store.directory(run_id)
            with suppress(TTMatrixError):
                if directory.is_dir():
                    append_event(events_file(directory), end)
                self._queue.remove(run_id)
                self._tickets.pop(run_id, None)
                del self._ends[run_id]


@contextmanager
def _exits(pids: Sequence[int]) -> Iterator[select.poll]:
    """Something to wait on that becomes ready when one of the processes ends."""
    poll = select.poll()
    descriptors: list[int] = []
    try:
        for pid in pids:
            with suppress(ProcessLookupError):
                descriptors.append(os.pidfd_open(pid))
                poll.register(descriptors[-1], select.POLLIN)
        yield poll
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def main(arguments: Sequence[str]) -> int:
    """Serve the queue of the run store that `arguments` name, unless another scheduler does already."""
    store = RunStore(Path(arguments[0]))
    leases = store.queue.leases
    me = own_identity()
    scheduler = Scheduler(store)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, scheduler.ask_to_end)
    while leases.take([SERVICE], me) is None:
        scheduler.serve()
        leases.release(me)
        # A process that queued a run just before the release relied on us.
        if scheduler.asked_to_end or not store.queue.has_work():
            break
    return 0


if __name__ == "__main__":
    keep_private(paths())
    sys.exit(main(sys.argv[1:]))
