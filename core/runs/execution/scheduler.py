# SPDX-License-Identifier: Apache-2.0
"""Serve the queue of one machine: start runs, watch them, and report their ends.

Started as `python -m core.runs.execution.scheduler STORE` when a run is queued and no scheduler is running. It ends
when nothing is left to do. It may be killed at any time: runs are not affected, and the next one continues from the
files.
"""

import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from core.base.errors import TTMatrixError
from core.base.permissions import keep_private
from core.base.processes import boot_id, free_memory, own_environment, own_identity, spawn_detached
from core.base.settings import paths
from core.hosts import HostsFile
from core.runs.cluster import Cluster
from core.runs.execution.conclude import Remains, conclude
from core.runs.execution.executor import Busy, DaskExecutor, LocalExecutor, Start
from core.runs.execution.follow import CUT, Place, put_aside, read_place
from core.runs.execution.packages import is_left, put_back_command
from core.runs.execution.placement import Going, Line, Slot, next_of
from core.runs.execution.sessions import Sessions, read_guard, session_key
from core.runs.outcome import FAILURES, Outcome
from core.runs.spec import RunSpec
from core.runs.store import (
    SERVICE,
    Finished,
    Queue,
    Queued,
    Returned,
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
from core.sources import Checkout

_TICK = 0.1
_ENDING_TICK = 0.03
_IDLE_SECONDS = 2.0
_OFFICE_SECONDS = 1.0
_LOOKING_SHARE = 10
_SHUNNED_SECONDS = 10.0
_MOST_AT_ONCE = 500
"""Runs whose files are read in one look at the queue: a tenth of a second."""
_MOST_CHARACTERS = 400
"""Of an error in the record of a run."""
_QUEUE_SECONDS = 1.0
"""The queue is read again after this time even if its directory seems unchanged, because disk clocks are coarse."""


class Scheduler:
    """The one process that serves the queue of `store` on this machine."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._queue: Queue = store.queue
        hosts_file = HostsFile(paths().hosts_file)
        self._here = LocalExecutor(hosts_file)
        self._elsewhere = DaskExecutor(self._here, Cluster(), hosts_file)
        self._here.subscribe(self._over)
        self._waiting: dict[str, RunSpec] = {}
        self._line = Line()
        self._returned: dict[str, list[Returned]] = {}
        """By run: when and why it had to wait again."""
        self._sessions = Sessions(store.root)
        self._session_keys: dict[str, str] = {}
        """By run: what its session would be known by; empty: it runs alone."""
        self._shunned: dict[str, float] = {}
        """By host: until when it gets no runs, because it could not start the last one."""
        self._tickets: dict[str, Ticket] = {}
        self._queue_seen = 0
        self._queue_looked = -_QUEUE_SECONDS
        self._queue_pause = 0.0
        self._cancelled: frozenset[str] = frozenset()
        """The runs whose end was requested when the queue was last read."""
        self._more = False
        """Whether there are tickets of runs whose state is not known yet."""
        self._ends: dict[str, Finished] = {}
        self._readers: dict[Path, TreeReader] = {}
        self._trees: dict[str, TreeState] = {}
        """By run: the state of the checkout at the start of each watched run."""
        self._office_checked = time.monotonic()
        self.asked_to_end = False

    def ask_to_end(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """End the active runs, leave the waiting ones, and return from `serve`. Can be used as a signal handler."""
        self.asked_to_end = True

    def serve(self) -> None:
        """Serve until there has been nothing to do for a while."""
        idle_since = time.monotonic()
        self.look_at_queue()
        while time.monotonic() - idle_since < _IDLE_SECONDS:
            if (self.asked_to_end and not self._here.going()) or not self._in_office():
                break
            if self._step():
                idle_since = time.monotonic()
        self._queue.forget_environments()
        self._sessions.close()

    def _in_office(self) -> bool:
        """Whether this is still the scheduler: the whole store may have been removed and created again."""
        now = time.monotonic()
        if now - self._office_checked > _OFFICE_SECONDS:
            self._office_checked = now
            return any(lease.owner == own_identity() for lease in self._queue.leases.held())
        return True

    def _step(self) -> bool:
        """One turn; returns whether there was, or will be, something to do."""
        self._wait()
        self.look_at_queue()
        if self.asked_to_end:
            for watch, _ in self._here.going():
                self._here.stop(watch.spec.run_id, Outcome.CANCELLED)
        self._here.look()
        self.report()
        if not self.asked_to_end:
            self._start_runs()
        self._sessions.tidy(lambda key: any(self._session_keys.get(run_id) == key for run_id in self._waiting))
        return bool(self._more or self._here.going() or self._ends or self._line.heads(lambda _: True))

    def _wait(self) -> None:
        """Wait until a supervisor ends, but never for long."""
        going = [watch for watch, _ in self._here.going()]
        tick = _ENDING_TICK if any(watch.ending for watch in going) else _TICK
        with _exits([watch.supervisor.pid for watch in going]) as poll:
            poll.poll(tick * 1000)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    # The queue

    def look_at_queue(self) -> None:
        """Read changes by other processes; with thousands of tickets not in every turn."""
        now, changed = time.monotonic(), self._queue.changed()
        waited = now - self._queue_looked
        same = changed == self._queue_seen and not self._more
        # Before the tickets: who changes the order and then cancels what runs wants the new order.
        cancelled = self._queue.cancelled()
        if cancelled <= self._cancelled and (waited < self._queue_pause or (same and waited < _QUEUE_SECONDS)):
            return
        self._queue_seen, self._cancelled = changed, cancelled
        self._tickets = {ticket.run_id: ticket for ticket in self._queue.tickets()}
        self._take_in_more(cancelled)
        for run_id, ticket in self._tickets.items():
            if run_id in self._waiting:
                self._line.put(ticket, self._waiting[run_id])
        for run_id in self._waiting.keys() - self._tickets.keys():
            # Without a ticket it is not started.
            self._line.remove(run_id)
        going = {watch.spec.run_id for watch, _ in self._here.going()}
        for run_id in cancelled:
            if run_id in going:
                self._here.stop(run_id, Outcome.CANCELLED)
            elif run_id in self._waiting:
                self._end_unstarted(run_id, Outcome.CANCELLED, "")
            elif run_id not in self._ends:
                self._queue.remove(run_id)
        self._queue_looked = time.monotonic()
        self._queue_pause = min(_QUEUE_SECONDS, max(_TICK, _LOOKING_SHARE * (self._queue_looked - now)))

    def _take_in_more(self, first: Collection[str]) -> None:
        """Find out the state of runs that are new here, `first` before the others, in the order of their turn.

        Of thousands at a time only some: until the next look, those can start, and others can be cancelled.
        """
        going = {watch.spec.run_id for watch, _ in self._here.going()}
        new = [one for one in self._tickets if not any(one in known for known in (self._waiting, going, self._ends))]
        if first:
            new.sort(key=lambda run_id: run_id not in first)
        for run_id in new[:_MOST_AT_ONCE]:
            self._take_in(run_id)
        self._more = len(new) > _MOST_AT_ONCE

    def _take_in(self, run_id: str) -> None:
        """Find out the state of a run, which may be from an earlier scheduler."""
        directory = self._store.directory(run_id)
        try:
            spec = read_spec(directory)
            events = read_events(events_file(directory))
        except TTMatrixError:
            # Listing the runs reports the error; here the run is skipped.
            self._queue.remove(run_id)
            return
        queued = next((event for event in events if isinstance(event, Queued)), None)
        started = next((event for event in events if isinstance(event, Started)), None)
        self._returned[run_id] = [event for event in events if isinstance(event, Returned)]
        if any(isinstance(event, Finished) for event in events):
            self._queue.remove(run_id)
        elif queued is None or queued.boot != boot_id():
            self._ends[spec.run_id] = Finished(time.time(), Outcome.LOST, detail="the machine was restarted")
        elif started is None:
            self._waiting[spec.run_id] = spec
        else:
            self._here.resume(spec, directory, started)
            if (ticket := self._tickets.get(run_id)) and ticket.environment:
                self._forget_environment(ticket)
            if started.tree is not None:
                self._trees[spec.run_id] = started.tree

    # Starts

    def _start_runs(self) -> None:
        while True:
            now = time.monotonic()
            going = [Going(watch.spec, now - watch.begun, host) for watch, host in self._here.going()]
            slots = [*self._here.slots(), *self._elsewhere.slots()]
            slots = [one for one in slots if self._shunned.get(one.host, now) <= now]
            chosen = next_of(self._line, going, free_memory(), slots, datetime.now(UTC), self._avoided())
            if chosen is None or not self._start(chosen.spec, chosen.slot):
                return

    def _avoided(self) -> dict[str, frozenset[str]]:
        """By run: the hosts that lost it; also this machine, once the environment of the run is gone."""
        again = {run_id: self._returned[run_id] for run_id in self._waiting if self._returned.get(run_id)}
        return {
            run_id: frozenset(("", *(one.place for one in events if one.lost and one.host_failed)))
            for run_id, events in again.items()
        }

    def _start(self, spec: RunSpec, slot: Slot) -> bool:
        ticket = self._tickets[spec.run_id]
        try:
            environ = {} if slot.host else self._queue.environment(ticket)
            tree = self._tree(spec)
            executor = self._elsewhere if slot.host else self._here
            session = None if slot.host else self._session(spec, ticket, environ)
            executor.launch(Start(spec, self._store.directory(spec.run_id), environ, tree, session), slot)
        except Busy:
            self._sessions.over(spec.run_id, served=False)
            return False
        except TTMatrixError as error:
            self._end_unstarted(spec.run_id, Outcome.ERROR, f"{error.title}: {error.detail}")
            return True
        self._trees[spec.run_id] = tree
        self._line.remove(spec.run_id)
        del self._waiting[spec.run_id]
        self._forget_environment(ticket)
        return True

    def _session(self, spec: RunSpec, ticket: Ticket, environ: Mapping[str, str]) -> Path | None:
        """The session of pytest that a run shares with others that wait and differ in their test alone."""
        key = self._session_key(spec, ticket)

        def fellows() -> Iterator[RunSpec]:
            tickets = sorted(
                (self._tickets[one] for one in self._waiting if one in self._tickets), key=lambda one: one.rank
            )
            for one in tickets:
                other = self._waiting[one.run_id]
                if other is not spec and not one.held and self._session_key(other, one) == key:
                    yield other

        return self._sessions.place_for(spec, key, fellows, environ)

    def _session_key(self, spec: RunSpec, ticket: Ticket) -> str:
        if spec.run_id not in self._session_keys:
            self._session_keys[spec.run_id] = session_key(spec, ticket.environment, self._store.root)
        return self._session_keys[spec.run_id]

    def _forget_environment(self, ticket: Ticket) -> None:
        """Forget the environment of a run that has started; the file is removed with its last waiting run."""
        spent = self._tickets[ticket.run_id] = replace(ticket, environment="")
        self._queue.forget_environment(spent)
        waiting = (self._tickets[run_id] for run_id in self._waiting if run_id in self._tickets)
        if not any(one.environment == ticket.environment for one in waiting):
            self._queue.forget_environments()

    # Ends

    def _over(self, remains: Remains) -> None:
        spec = remains.spec
        stuck = remains.stopped in (Outcome.HANG, Outcome.TIMEOUT)
        self._sessions.over(spec.run_id, served=read_guard(remains.directory) is not None, stuck=stuck)
        place = read_place(remains.directory)
        if place is not None and not remains.stopped and self._goes_again(spec, remains.directory, place):
            return
        try:
            end = replace(conclude(remains), edited=self._edited(spec, elsewhere=place is not None))
        except Exception as error:  # noqa: BLE001 - what a run leaves behind comes from outside: the queue goes on
            traceback.print_exc()
            end = Finished(
                time.time(),
                remains.stopped or Outcome.ERROR,
                remains.seconds,
                detail=f"its end cannot be judged: {error!r}"[:_MOST_CHARACTERS],
            )
        if place is None and is_left(spec):
            # Its supervisor, which does that, was killed.
            spawn_detached(put_back_command(remains.directory), cwd=Path("/"), env=own_environment(os.environ))
            end = replace(end, packages="its packages are taken back: see the log")
        self._ends[spec.run_id] = end
        if spec.stop_on_failure and end.outcome in FAILURES:
            for run_id, other in list(self._waiting.items()):
                if other.batch == spec.batch:
                    self._end_unstarted(run_id, Outcome.CANCELLED, f"not started after {spec.run_id} failed")

    def _goes_again(self, spec: RunSpec, directory: Path, place: Place) -> bool:
        """Whether a run waits again because its host failed, not the run itself: only once if the run was lost."""
        lost = place.end in ("lost", CUT)
        earlier = self._returned.setdefault(spec.run_id, [])
        if not lost and place.end != "away":
            return False
        if lost and any(one.lost for one in earlier):
            return False
        event = Returned(time.time(), place.host, place.why, lost, host_failed=place.end != CUT)
        try:
            put_aside(directory, len(earlier) + 1)
            append_event(events_file(directory), event)
        except (TTMatrixError, OSError):
            return False
        earlier.append(event)
        if not lost:
            self._shunned[place.host] = time.monotonic() + _SHUNNED_SECONDS
        self._trees.pop(spec.run_id, None)
        self._waiting[spec.run_id] = spec
        if ticket := self._tickets.get(spec.run_id):
            self._line.put(ticket, spec)
        return True

    def _edited(self, spec: RunSpec, *, elsewhere: bool) -> bool:
        """Whether the code of an ended run has changed since its start; a run on another machine has its own copy."""
        tree = self._trees.pop(spec.run_id, None)
        if tree is None or elsewhere:
            return False
        code = self._reader(spec).code_of(spec)
        return (code.loader, code.imports) != (tree.loader, tree.imports)

    def _tree(self, spec: RunSpec) -> TreeState:
        try:
            return self._reader(spec).state_of(spec)
        except TTMatrixError:
            raise
        except Exception as error:  # the files of a checkout come from outside: the queue goes on
            traceback.print_exc()
            why = repr(error)[:_MOST_CHARACTERS]
            raise TTMatrixError("The state of the checkout cannot be read", why) from error

    def _reader(self, spec: RunSpec) -> TreeReader:
        if spec.cwd not in self._readers:
            self._readers[spec.cwd] = TreeReader(Checkout(spec.cwd))
        return self._readers[spec.cwd]

    def _end_unstarted(self, run_id: str, outcome: Outcome, detail: str) -> None:
        del self._waiting[run_id]
        self._line.remove(run_id)
        self._ends[run_id] = Finished(time.time(), outcome, detail=detail)

    def report(self) -> None:
        """Record the ends; one that cannot be written to a full disk is tried again."""
        for run_id, end in list(self._ends.items()):
            directory = self._store.directory(run_id)
            with suppress(TTMatrixError):
                if directory.is_dir():
                    append_event(events_file(directory), end)
                self._queue.remove(run_id)
                self._tickets.pop(run_id, None)
                self._returned.pop(run_id, None)
                self._session_keys.pop(run_id, None)
                del self._ends[run_id]


@contextmanager
def _exits(pids: Sequence[int]) -> Iterator[select.poll]:
    """An object that becomes ready when one of the processes ends."""
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
    """Serve the queue of the run store in `arguments`, unless another scheduler does."""
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
        # A process that queued a run just before the release relied on this scheduler.
        if scheduler.asked_to_end or not store.queue.has_work():
            break
    return 0


if __name__ == "__main__":
    keep_private(paths())
    sys.exit(main(sys.argv[1:]))
