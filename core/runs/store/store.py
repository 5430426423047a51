# SPDX-License-Identifier: Apache-2.0
"""All runs, one directory each. The directories are the source; the index beside them only avoids reading them."""

import difflib
import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from core import hosts
from core.base.errors import TTMatrixError, UsageError
from core.base.files import FormatError, Malformed, read_bytes, read_text
from core.base.processes import ProcessIdentity, boot_id, is_alive, marks, this_host
from core.base.settings import paths
from core.runs.spec import RUN_VARIABLE, RunSpec, is_run_id, spec_from_json, spec_to_json
from core.runs.store.events import Event, Finished, Queued, Started, append_event, read_events
from core.runs.store.index import Index, Waiting
from core.runs.store.queue import Queue, Ticket
from core.runs.store.record import GONE, Presence, RunRecord, RunState, fold

if TYPE_CHECKING:
    from core.hosts import HostsFile

SPEC = "spec.json"
EVENTS = "events.jsonl"
LOG = "output.log"
ARRIVALS = "arrivals.txt"
EXIT = "exit.json"
JUNIT = "junit.xml"
RESULTS = "results.jsonl"
PROVENANCE = "provenance.json"
SESSION = "session.json"
"""Of a run that a session serves: the process that guards it there (see `core.runs.execution.sessions`)."""
_SURVIVORS_SECONDS = 1.0
_PORTION = 2_000
"""Runs after whose reading or making the index is saved, so that little is lost when this process is killed."""


def read_spec(directory: Path) -> RunSpec:
    """The spec of the run in `directory`. Raises TTMatrixError if it is missing or damaged."""
    file = directory / SPEC
    try:
        return spec_from_json(read_text(file))
    except Malformed as error:
        raise FormatError(file, error, "Remove the directory if nothing else in it is needed.") from error


def read_provenance(directory: Path) -> Mapping[str, object]:
    """The recorded facts about checkout and interpreter when the run in `directory` was requested; empty: none."""
    try:
        raw = json.loads(read_bytes(directory / PROVENANCE))
    except (OSError, ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}


def events_file(directory: Path) -> Path:
    """The file of the events of the run in `directory`."""
    return directory / EVENTS


@dataclass(frozen=True, slots=True)
class Problem:
    """A run directory that cannot be read, and why."""

    directory: Path
    message: str


@dataclass(frozen=True, slots=True)
class _Queued:
    """The state of this machine's queue at one moment."""

    tickets: dict[str, tuple[int, Ticket]]
    """Each ticket with its position."""
    cancelled: frozenset[str]
    served: bool
    """Whether a scheduler is running."""
    hosts: "HostsFile"
    at: datetime
    leased: bool = False
    """Whether a machine of the hosts file is not here for good."""
    filling: bool = False
    """Whether runs may exist whose tickets are yet to come."""
    here: str = field(default_factory=this_host)


@dataclass(frozen=True, slots=True)
class _Active:
    """What is known of a run that has not ended."""

    stamp: int
    """The size of its file of events when they were read."""
    spec: RunSpec
    events: list[Event]
    presence: Presence | None = None
    record: RunRecord | None = None
    """Its record with that presence."""


class RunExists(TTMatrixError):
    """There is a run of that id."""


class RunStore:
    """The runs under `root`. Several processes may use one store at the same time."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._place = str(self.root)
        self.queue = Queue(self.root / "queue" / this_host())
        self._index = Index(self.root / "index.sqlite")
        self._finished: dict[str, RunRecord] = {}
        self._active: dict[str, _Active] = {}
        self._recalled_waiting = False
        self._unsaved = 0
        self._found_survivors: Mapping[str, frozenset[ProcessIdentity]] = {}
        self._looked_for_survivors = -_SURVIVORS_SECONDS

    def directory(self, run_id: str) -> Path:
        """The directory of the run with the full id `run_id`."""
        return self.root / run_id

    def create(self, spec: RunSpec, provenance: str = "", *, log: str = "", events: Sequence[Event] = ()) -> Path:
        """Make the directory of a new run; it appears complete or not at all.

        `provenance` is the text of a file beside the spec; `log` and `events` are those of a run that is over already.
        One that shall be queued is created in `Queue.filling`, or it seems lost until it has its ticket. Raises
        RunExists if there is such a run, TTMatrixError if the directory cannot be written.
        """
        directory = self.directory(spec.run_id)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            staging = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
            try:
                (staging / SPEC).write_text(spec_to_json(spec), encoding="utf-8")
                if provenance:
                    (staging / PROVENANCE).write_text(provenance, encoding="utf-8")
                if log:
                    (staging / LOG).write_text(log, encoding="utf-8")
                queued = Queued(time.time(), this_host(), boot_id())
                for event in (queued, *events):
                    append_event(staging / EVENTS, event)
                # The system does not let a directory replace one that holds files.
                staging.rename(directory)
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise
        except OSError as error:
            kind = RunExists if error.errno in (errno.ENOTEMPTY, errno.EEXIST) else TTMatrixError
            raise kind(f"Cannot create run {spec.run_id}", error.strerror or str(error)) from error
        if not events:
            self._note(spec.run_id, _Active(_stamp(str(directory / EVENTS)), spec, [queued]))
        return directory

    def _note(self, run_id: str, known: _Active) -> None:
        """Remember what was read or made, also for other processes."""
        self._active[run_id] = known
        self._unsaved += 1
        if self._unsaved >= _PORTION:
            self.save_index()

    def records(self) -> list[RunRecord]:
        """Every readable run, newest first."""
        return self.scan()[0]

    def scan(self) -> tuple[list[RunRecord], list[Problem]]:
        """Every run, newest first, and the run directories that cannot be read."""
        tickets = self.queue.tickets()
        # The last scheduler may have been killed before it did this.
        self.queue.forget_environments(tickets)
        names = self._run_ids()
        self._recall(names)
        self._recall_waiting(names)
        return self._scanned(names, cache(partial(self._queued, tickets)))

    def ended(self) -> list[RunRecord]:
        """Every readable run without a place in the queue, newest first: nothing of it will change any more.

        Thousands of waiting runs take no time here.
        """
        names = self._run_ids()
        self._recall(names)
        return self._scanned(names - self.queue.names(), cache(self._queued))[0]

    def _scanned(self, names: set[str], queued: Callable[[], _Queued]) -> tuple[list[RunRecord], list[Problem]]:
        later = cache(self._queued_later)
        records: list[RunRecord] = []
        problems: list[Problem] = []
        for name in sorted(names, reverse=True):
            try:
                records.append(self._finished.get(name) or self._read(name, queued, later))
            except TTMatrixError as error:
                problems.append(Problem(self.root / name, str(error)))
        self.save_index()
        # Among runs of the same second, only this gives the order.
        records.sort(key=_by_creation, reverse=True)
        return records, problems

    def record(self, run_id: str) -> RunRecord:
        """The run whose id is `run_id` or is the only one that begins with it. Raises UsageError if there is none."""
        if is_run_id(run_id) and self.directory(run_id).is_dir():
            return self.some([run_id])[0]
        ids = self._run_ids()
        found = sorted(name for name in ids if run_id and name.startswith(run_id))
        if len(found) == 1:
            return self.some(found)[0]
        if found:
            raise UsageError(f"{len(found)} runs begin with {run_id}", _few(found), "Give more of the id.")
        close, newest = difflib.get_close_matches(run_id, ids, n=3, cutoff=0.5), sorted(ids, reverse=True)[:3]
        hint = f"The newest: {_few(newest)}." if newest else "There are no runs yet."
        hint = f"Closest: {_few(close)}." if close else hint
        raise UsageError(f"No run {run_id}", f"Looked in {self.root}.", hint)

    def some(self, run_ids: Iterable[str]) -> list[RunRecord]:
        """The runs with these full ids, in the order given. Raises TTMatrixError if one cannot be read."""
        queued, later = cache(self._queued), cache(self._queued_later)
        return [self._finished.get(run_id) or self._read(run_id, queued, later) for run_id in run_ids]

    def queued(self) -> list[RunRecord]:
        """The queued runs in the order of their turn. Raises TTMatrixError if one cannot be read."""
        tickets = self.queue.tickets()
        self._recall_waiting({ticket.run_id for ticket in tickets})
        queued, later = cache(partial(self._queued, tickets)), cache(self._queued_later)
        records = [self._read(ticket.run_id, queued, later) for ticket in tickets]
        return [record for record in records if record.state is RunState.QUEUED]

    def forget(self, run_id: str) -> None:
        """Remove a run that has ended, with all its files. Raises TTMatrixError if that fails."""
        try:
            shutil.rmtree(self.directory(run_id))
        except OSError as error:
            raise TTMatrixError(f"Cannot remove run {run_id}", error.strerror or str(error)) from error
        self._finished.pop(run_id, None)

    def _recall(self, names: set[str]) -> None:
        """Load ended runs from the index, except those whose directories are gone."""
        if not self._finished:
            self._finished = {
                run_id: record for run_id, record in self._index.load(self.root).items() if run_id in names
            }
        for run_id in self._finished.keys() - names:
            del self._finished[run_id]

    def _recall_waiting(self, names: set[str]) -> None:
        """Load queued runs from the index, except those that are not among `names`."""
        if not self._recalled_waiting:
            self._recalled_waiting = True
            indexed = self._index.load_waiting()
            self._active = {
                id: _Active(one.stamp, one.spec, [one.queued]) for id, one in indexed.items()
            } | self._active
        for run_id in self._active.keys() - names:
            del self._active[run_id]

    def save_index(self) -> None:
        """Save what is known of runs, so that other processes need not read their files."""
        self._unsaved = 0
        waiting = {
            run_id: Waiting(one.spec, one.events[0], one.stamp)
            for run_id, one in self._active.items()
            if len(one.events) == 1 and isinstance(one.events[0], Queued)
        }
        self._index.save(self._finished, waiting)

    @cached_property
    def _hosts_file(self) -> "HostsFile":
        return hosts.HostsFile(paths().hosts_file)

    def _queued(self, in_order: Sequence[Ticket] | None = None) -> _Queued:
        in_order = self.queue.tickets() if in_order is None else in_order
        tickets = {ticket.run_id: (turn, ticket) for turn, ticket in enumerate(in_order)}
        # Only needed while runs wait.
        served = bool(tickets) and self.queue.served
        leased = bool(tickets) and any(one.expires for one in self._hosts_file.look().values())
        return _Queued(tickets, self.queue.cancelled(), served, self._hosts_file, datetime.now(UTC), leased)

    def _queued_later(self) -> _Queued:
        """The state a moment later, for runs that seem lost in the first."""
        filling = self.queue.is_filling()
        return replace(self._queued(), filling=filling)

    def _run_ids(self) -> set[str]:
        try:
            return {entry.name for entry in os.scandir(self.root) if is_run_id(entry.name) and entry.is_dir()}
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise TTMatrixError(f"Cannot read {self.root}", error.strerror or str(error)) from error

    def _read(self, name: str, queued: Callable[[], _Queued], later: Callable[[], _Queued]) -> RunRecord:
        record = self._folded(name, queued)
        if record.state is RunState.LOST:
            # It may have reported its end and exited between our two looks, or be about to get its ticket.
            record = self._folded(name, later)
        if record.state is RunState.FINISHED:
            self._finished[name] = record
            self._active.pop(name, None)
        return record

    def _folded(self, name: str, look: Callable[[], _Queued]) -> RunRecord:
        stamp = _stamp(f"{self._place}/{name}/{EVENTS}")
        known = self._active.get(name)
        if known is None or known.stamp != stamp:
            directory = self.directory(name)
            spec = known.spec if known else read_spec(directory)
            known = _Active(stamp, spec, read_events(events_file(directory)))
            self._note(name, known)
        if any(isinstance(event, Finished) for event in known.events):
            # It does not depend on the queue any more, whose thousands of tickets need not be read.
            return fold(known.spec, self.root, known.events)
        queued = look()
        presence = self._presence(name, known.events, queued)
        if presence.turn is not None and queued.leased:
            ending = queued.hosts.ending(known.spec.needs, known.spec.estimate, queued.at)
            presence = replace(presence, leases=ending)
        if known.record is None or presence != known.presence:
            record = fold(known.spec, self.root, known.events, presence)
            known = _Active(known.stamp, known.spec, known.events, presence, record)
        self._active[name] = known
        assert known.record is not None, "it was made just now"
        return known.record

    def _presence(self, run_id: str, events: list[Event], queued: _Queued) -> Presence:
        presence = _presence(run_id, events, queued)
        if presence.watched or not _began_here(events):
            return presence
        pids = sorted(process.pid for process in self._survivors().get(run_id, ()))
        return replace(presence, survivors=tuple(pids))

    def _survivors(self) -> Mapping[str, frozenset[ProcessIdentity]]:
        """The living processes of every run, searched only once in a while, because all processes are examined."""
        now = time.monotonic()
        if now - self._looked_for_survivors > _SURVIVORS_SECONDS:
            self._found_survivors, self._looked_for_survivors = marks(RUN_VARIABLE), now
        return self._found_survivors


def _presence(run_id: str, events: list[Event], queued: _Queued) -> Presence:
    place = next((event for event in events if isinstance(event, Queued)), None)
    if place is None:
        return GONE
    if place.host != queued.here:
        # The processes of another machine cannot be seen here, so its word is taken.
        return Presence(watched=True)
    if place.boot != boot_id():
        return GONE
    # Of thousands of waiting runs, nothing else is known.
    started = next((event for event in events if isinstance(event, Started)), None) if len(events) > 1 else None
    if run_id not in queued.tickets:
        return Presence(watched=queued.filling and started is None)
    turn, ticket = queued.tickets[run_id]
    # The scheduler will report the end in a moment.
    watched = started is None or queued.served or is_alive(started.supervisor)
    return Presence(watched, ticket.held, run_id in queued.cancelled, turn)


def _began_here(events: list[Event]) -> bool:
    """Whether it was started since the boot of this machine and has no recorded end."""
    place = next((event for event in events if isinstance(event, Queued)), None)
    here = place is not None and (place.host, place.boot) == (this_host(), boot_id())
    begun = any(isinstance(event, Started) for event in events)
    return here and begun and not any(isinstance(event, Finished) for event in events)


def _stamp(file: str) -> int:
    """A number that changes with every event, because events are only appended."""
    try:
        # Of thousands of runs: a path object would take longer than the question.
        return os.stat(file).st_size  # noqa: PTH116
    except OSError:
        return -1


def _by_creation(record: RunRecord) -> str:
    return record.spec.created


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


_OURS = frozenset({SPEC, EVENTS, EXIT, LOG, ARRIVALS, PROVENANCE, SESSION})


def artefacts(record: RunRecord) -> list[str]:
    """Names of the files, relative to the directory of the run, sorted. The record's own files are left out."""
    paths = (path for path in record.directory.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(record.directory).as_posix() for path in paths)
    return sorted(name for name in names if name not in _OURS)


def find_artefact(record: RunRecord, name: str) -> Path:
    """The file of that name. Raises UsageError, with the existing names, if the run has none."""
    known = artefacts(record)
    if name not in known:
        raise UsageError(f"Run {record.spec.run_id} has no artefact {name}", f"It has: {', '.join(known) or 'none'}.")
    return record.directory / name
