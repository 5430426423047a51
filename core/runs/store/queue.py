# SPDX-License-Identifier: Apache-2.0
"""The queue of one machine: a ticket for every run that has not ended; every user may hold, move or cancel it."""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded, packed, plain, read_bytes, typed, unpacked
from core.runs.leases import LeaseFile

SERVICE = "scheduler"
"""The lease of the one process that serves a queue."""

_WORTH_CACHING = 200
"""Reading fewer tickets than this takes a few hundredths of a second."""
_CLOCK_TICK = 50_000_000
"""Nanoseconds within which changes of a directory may look like one."""
_TICKET = ".json"


@dataclass(frozen=True, slots=True)
class Ticket:
    """The place of one run in the queue. Once the run has started, only the ticket's name matters."""

    run_id: str
    order: float = 0.0
    """The lower number goes first among those of the same priority."""
    priority: int = 0
    """The higher number goes first."""
    held: bool = False
    """On hold: it is not started until it is released."""
    environment: str = ""
    """The key of the environment that the run was requested from."""

    @property
    def rank(self) -> tuple[int, float, str]:
        """Sort key: the order of turns."""
        return -self.priority, self.order, self.run_id


_Stamped = tuple[tuple[int, int], Ticket]
"""A ticket with what identifies its file: the time of its last change and its number."""


@dataclass(frozen=True, slots=True)
class _Listing:
    """Tickets as one process read them, for the next one."""

    settled: int
    """The time of the directory's last change before that, if no later one can have the same; else 0."""
    tickets: dict[str, _Stamped]
    """In the order of their turn."""


class Queue:
    """The tickets in `directory`, one small file each, so that several processes can change them at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._environments = directory / "environments"
        self._filling = directory / "filling.lock"
        self._cache = directory / "cache" / "tickets"
        self._cancelled = directory / "cancelled"
        self._read: dict[str, _Stamped] | None = None
        self._in_order: tuple[int, Sequence[Ticket]] | None = None
        """All tickets, with the time of the directory's last change before they were read."""

    @property
    def leases(self) -> LeaseFile:
        """The leases of the process that serves the queue."""
        return LeaseFile(self.directory / "scheduler")

    @property
    def served(self) -> bool:
        """Whether such a process is running."""
        return bool(self.leases.held())

    @property
    def log(self) -> Path:
        """The log of that process."""
        return self.directory / "scheduler.log"

    @contextmanager
    def filling(self) -> Iterator[None]:
        """While the block runs, a run may exist whose ticket is yet to come. Raises TTMatrixError if writing fails."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._filling)
            lock.acquire()
        except OSError as error:
            raise TTMatrixError(f"Cannot queue in {self.directory}", error.strerror or str(error)) from error
        try:
            yield
        finally:
            lock.release()

    def is_filling(self) -> bool:
        """Whether some process is in such a block."""
        try:
            descriptor = os.open(self._filling, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            # Shared: those who only look are not in each other's way.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            os.close(descriptor)
        return False

    def put(self, tickets: Iterable[Ticket], environment: Mapping[str, str]) -> None:
        """Add or replace tickets of runs requested from `environment`. Raises TTMatrixError if writing fails."""
        text = json.dumps(dict(environment), sort_keys=True)
        name = hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
        try:
            self._environments.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._environments.chmod(0o700)
            # Now: making one later looks like a change of the queue.
            for directory in (self._cache.parent, self._cancelled):
                directory.mkdir(exist_ok=True)
            with self._guard():
                self._write_private(self._environments / f"{name}.json", text)
                for ticket in tickets:
                    self._write(replace(ticket, environment=name))
        except OSError as error:
            raise TTMatrixError(f"Cannot queue in {self.directory}", error.strerror or str(error)) from error

    def change(self, ticket: Ticket) -> None:
        """Replace the ticket of a run that is still queued. Raises TTMatrixError if it cannot be written."""
        if self._ticket(ticket.run_id).exists():
            try:
                self._write(ticket)
            except OSError as error:
                raise TTMatrixError(f"Cannot change {ticket.run_id}", error.strerror or str(error)) from error

    def hold(self, run_id: str, held: bool) -> None:
        """Hold a queued run, or release it. Raises TTMatrixError if its ticket cannot be written."""
        file = self._ticket(run_id)
        if file.exists():
            self.change(replace(_read_ticket(run_id, str(file)), held=held))

    def put_first(self, run_id: str) -> None:
        """Move a waiting run before all others. Raises TTMatrixError if its ticket cannot be written."""
        tickets = self._tickets_with(run_id)
        if tickets and tickets[0].run_id != run_id:
            self.change(moved(tickets, run_id, tickets[0].run_id))

    def put_last(self, run_id: str) -> None:
        """Move a waiting run behind all others. Raises TTMatrixError if its ticket cannot be written."""
        if tickets := self._tickets_with(run_id):
            self.change(moved(tickets, run_id, None))

    def _tickets_with(self, run_id: str) -> list[Ticket]:
        """All tickets, if that run is still waiting; else none."""
        tickets = self.tickets()
        return tickets if any(ticket.run_id == run_id for ticket in tickets) else []

    def cancel(self, run_id: str) -> None:
        """Request the end of a waiting or active run. Raises TTMatrixError if the request cannot be written."""
        try:
            # A separate file, so that no change of the ticket at the same time can undo it; in a directory of its own,
            # so that it is seen at once, however many tickets there are.
            self._cancelled.mkdir(exist_ok=True)
            (self._cancelled / run_id).touch()
        except OSError as error:
            raise TTMatrixError(f"Cannot cancel {run_id}", error.strerror or str(error)) from error

    def remove(self, run_id: str) -> None:
        """Remove the ticket of a run that has ended."""
        self._ticket(run_id).unlink(missing_ok=True)
        (self._cancelled / run_id).unlink(missing_ok=True)
        if self._read is not None:
            self._read.pop(run_id, None)

    def tickets(self) -> list[Ticket]:
        """All tickets in the order of their turn; an unreadable one gets its place by its name alone."""
        changed = self.changed()
        if self._in_order and changed == self._in_order[0]:
            return [*self._in_order[1]]
        # A change right after this one may have the same time on the disk's clock.
        settled = changed if time.time_ns() - changed > _CLOCK_TICK else 0
        first = self._read is None
        listing = self._cached() if self._read is None else _Listing(0, self._read)
        if not settled or listing.settled != settled:
            listing, opened = self._looked_through(listing.tickets, settled)
            # One that has them in memory need not save each change.
            if opened >= _WORTH_CACHING or (first and settled and len(listing.tickets) >= _WORTH_CACHING):
                self._save_cache(listing)
        self._read = listing.tickets
        tickets = tuple(ticket for _, ticket in listing.tickets.values())
        self._in_order = (settled, tickets) if settled else None
        return [*tickets]

    def _looked_through(self, known: Mapping[str, _Stamped], settled: int) -> tuple[_Listing, int]:
        """All tickets in order, and how many were read: of the `known` ones those whose files have changed."""
        found: dict[str, _Stamped] = {}
        opened = 0
        for entry in self._entries():
            if entry.name.endswith(_TICKET):
                run_id = entry.name.removesuffix(_TICKET)
                with suppress(FileNotFoundError):
                    status = entry.stat()
                    # Two changes may have the same time on the disk's clock, but never the same file.
                    stamp = (status.st_mtime_ns, status.st_ino)
                    one = known.get(run_id)
                    if one is None or one[0] != stamp:
                        one, opened = (stamp, _read_ticket(run_id, entry.path)), opened + 1
                    found[run_id] = one
        in_order = dict(sorted(found.items(), key=lambda one: one[1][1].rank))
        return _Listing(settled, in_order), opened

    def _cached(self) -> _Listing:
        """What a process last read of thousands of tickets; each counts only while its file is the same."""
        try:
            return unpacked(read_bytes(self._cache, None), _Listing)
        except (OSError, Malformed):
            return _Listing(0, {})

    def _save_cache(self, tickets: _Listing) -> None:
        # In a directory of its own, because a change of this one means a change of the queue.
        with suppress(OSError):
            self._cache.parent.mkdir(exist_ok=True)
            staging = self._cache.with_suffix(f".{os.getpid()}")
            staging.write_bytes(packed(tickets))
            staging.replace(self._cache)

    def changed(self) -> int:
        """A number that differs from an earlier one if a ticket was added, removed or replaced since."""
        try:
            return self.directory.stat().st_mtime_ns
        except OSError:
            return 0

    def has_work(self) -> bool:
        """Whether there is a run that is not on hold, or that shall be cancelled."""
        cancelled = self.cancelled()
        return any(not ticket.held or ticket.run_id in cancelled for ticket in self.tickets())

    def has(self, run_id: str) -> bool:
        """Whether a run has a ticket."""
        return self._ticket(run_id).exists()

    def names(self) -> frozenset[str]:
        """The runs that have a ticket."""
        return frozenset(entry.name.removesuffix(_TICKET) for entry in self._entries() if entry.name.endswith(_TICKET))

    def cancelled(self) -> frozenset[str]:
        """The runs whose end was requested."""
        return frozenset(entry.name for entry in self._entries(self._cancelled))

    def environment(self, ticket: Ticket) -> dict[str, str]:
        """The environment that the run of `ticket` was requested from. Raises TTMatrixError if it is unknown by now."""
        file = self._environments / f"{ticket.environment}.json"
        try:
            return decoded(read_bytes(file, None), dict[str, str])
        except (OSError, Malformed) as error:
            raise TTMatrixError(f"The environment of {ticket.run_id} is lost", f"{file}: {error}") from error

    def forget_environment(self, ticket: Ticket) -> None:
        """Record that a run has started: it has its environment now, which is not needed again."""
        with suppress(TTMatrixError):
            self.change(replace(ticket, environment=""))

    def forget_environments(self, tickets: Iterable[Ticket] | None = None) -> None:
        """Remove the environments that no ticket refers to: they may contain secrets.

        `tickets` are all tickets as they were a moment ago.
        """
        # The check is cheap if there is nothing to remove, which is nearly always the case.
        there = {file.name for file in self._environments.glob("*")}
        if not there or there <= {f"{ticket.environment}{_TICKET}" for ticket in tickets or ()}:
            return
        with suppress(OSError), self._guard(wait=0):
            used = {ticket.environment for ticket in self.tickets()}
            for file in self._environments.iterdir():
                if file.stem not in used or file.suffix != _TICKET:
                    file.unlink(missing_ok=True)

    def _guard(self, wait: float = -1) -> FileLock:
        """While this is locked, no environment is added, referred to or removed. Raises TimeoutError after `wait` s."""
        return FileLock(self.directory / "environments.lock", timeout=wait)

    def _ticket(self, run_id: str) -> Path:
        return self.directory / f"{run_id}{_TICKET}"

    def _write(self, ticket: Ticket) -> None:
        # The name of the file is the run id.
        text = json.dumps({name: value for name, value in plain(ticket).items() if name != "run_id"})
        staging = self.directory / f".{ticket.run_id}.{os.getpid()}"
        staging.write_text(text, encoding="utf-8")
        staging.replace(self._ticket(ticket.run_id))

    def _write_private(self, file: Path, text: str) -> None:
        if file.exists():
            return
        staging = file.with_suffix(f".{os.getpid()}")
        staging.unlink(missing_ok=True)
        # Private from its first byte on.
        descriptor = os.open(staging, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
        staging.replace(file)

    def _entries(self, directory: Path | None = None) -> list[os.DirEntry[str]]:
        directory = directory or self.directory
        try:
            with os.scandir(directory) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TTMatrixError(f"Cannot read {directory}", error.strerror or str(error)) from error


def moved(tickets: list[Ticket], run_id: str, before: str | None) -> Ticket:
    """The ticket of `run_id`, changed so that the run is right before the run `before`, or the last of all.

    `tickets` are in the order of their turn and include both runs.
    """
    mine = next(ticket for ticket in tickets if ticket.run_id == run_id)
    rest = [ticket for ticket in tickets if ticket.run_id != run_id]
    place = next((index for index, ticket in enumerate(rest) if ticket.run_id == before), len(rest))
    above = rest[place - 1] if place else None
    below = rest[place] if place < len(rest) else None
    if below is None:
        last = above or mine
        return replace(mine, priority=last.priority, order=max(mine.order, last.order + 1))
    if above is None or above.priority != below.priority:
        return replace(mine, priority=below.priority, order=below.order - 1)
    return replace(mine, priority=below.priority, order=(above.order + below.order) / 2)


def _read_ticket(run_id: str, path: str) -> Ticket:
    try:
        return typed({**decoded(read_bytes(path), dict[str, object]), "run_id": run_id}, Ticket)
    except (OSError, Malformed):
        return Ticket(run_id)
