# SPDX-License-Identifier: Apache-2.0
"""The queue of one machine: a ticket for every run that has not ended; every user may hold, move or cancel it."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock

from core.errors import TTMatrixError
from core.files import Malformed, decoded, plain, typed
from core.runs.leases import LeaseFile

_TICKET = ".json"
_CANCEL = ".cancel"


@dataclass(frozen=True, slots=True)
class Ticket:
    """The place of one run in the queue. Of a run that has started only its name matters."""

    run_id: str
    order: float = 0.0
    """Smaller goes first among those of the same priority."""
    priority: int = 0
    """Greater goes first."""
    held: bool = False
    """On hold: it is not started until it is released."""
    environment: str = ""
    """Names the environment that the run was asked for from."""

    @property
    def rank(self) -> tuple[int, float, str]:
        """Sorts tickets by whose turn it is."""
        return -self.priority, self.order, self.run_id


class Queue:
    """The tickets in `directory`, one small file each, so that several processes can change them at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._environments = directory / "environments"
        self._read: dict[str, tuple[tuple[int, int], Ticket]] = {}

    @property
    def leases(self) -> LeaseFile:
        """The leases of the process that serves the queue."""
        return LeaseFile(self.directory / "scheduler")

    @property
    def served(self) -> bool:
        """Whether there is such a process."""
        return bool(self.leases.held())

    @property
    def log(self) -> Path:
        """What that process has to say beside its duty."""
        return self.directory / "scheduler.log"

    def put(self, tickets: Iterable[Ticket], environment: Mapping[str, str]) -> None:
        """Add or replace tickets of runs asked for from `environment`. Raises TTMatrixError where the disk refuses."""
        text = json.dumps(dict(environment), sort_keys=True)
        name = hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
        try:
            self._environments.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._environments.chmod(0o700)
            with self._guard():
                self._write_private(self._environments / f"{name}.json", text)
                for ticket in tickets:
                    self._write(replace(ticket, environment=name))
        except OSError as error:
            raise TTMatrixError(f"Cannot queue in {self.directory}", error.strerror or str(error)) from error

    def change(self, ticket: Ticket) -> None:
        """Replace the ticket of a run that is still queued. Raises TTMatrixError where the disk refuses."""
        if self._ticket(ticket.run_id).exists():
            try:
                self._write(ticket)
            except OSError as error:
                raise TTMatrixError(f"Cannot change {ticket.run_id}", error.strerror or str(error)) from error

    def hold(self, run_id: str, held: bool) -> None:
        """Hold a queued run, or release it. Raises TTMatrixError where the disk refuses."""
        for ticket in self.tickets():
            if ticket.run_id == run_id:
                self.change(replace(ticket, held=held))

    def put_first(self, run_id: str) -> None:
        """Let a run that waits go before all others. Raises TTMatrixError where the disk refuses."""
        tickets = self.tickets()
        if tickets[0].run_id != run_id:
            self.change(moved(tickets, run_id, tickets[0].run_id))

    def put_last(self, run_id: str) -> None:
        """Let a run that waits go behind all others. Raises TTMatrixError where the disk refuses."""
        self.change(moved(self.tickets(), run_id, None))

    def cancel(self, run_id: str) -> None:
        """Ask for the end of a run that waits or goes on. Raises TTMatrixError where the disk refuses."""
        try:
            # A file of its own: no change of the ticket at the same moment can undo it.
            (self.directory / f"{run_id}{_CANCEL}").touch()
        except OSError as error:
            raise TTMatrixError(f"Cannot cancel {run_id}", error.strerror or str(error)) from error

    def remove(self, run_id: str) -> None:
        """The run has ended."""
        self._ticket(run_id).unlink(missing_ok=True)
        (self.directory / f"{run_id}{_CANCEL}").unlink(missing_ok=True)
        self._read.pop(run_id, None)

    def tickets(self) -> list[Ticket]:
        """All tickets in the order of their turn; one that cannot be read keeps its place by its name alone."""
        found: dict[str, tuple[tuple[int, int], Ticket]] = {}
        for entry in self._entries():
            if entry.name.endswith(_TICKET):
                run_id = entry.name.removesuffix(_TICKET)
                with suppress(FileNotFoundError):
                    status = entry.stat()
                    # Two changes may fall into one tick of the disk's clock, but never into one file.
                    stamp = (status.st_mtime_ns, status.st_ino)
                    known = self._read.get(run_id)
                    found[run_id] = known if known and known[0] == stamp else (stamp, _read_ticket(run_id, entry.path))
        self._read = found
        return sorted((ticket for _, ticket in found.values()), key=lambda ticket: ticket.rank)

    def changed(self) -> int:
        """Differs from an earlier answer where a ticket came, went or was replaced since."""
        try:
            return self.directory.stat().st_mtime_ns
        except OSError:
            return 0

    def has_work(self) -> bool:
        """Whether there is a run that is not on hold, or that is to be cancelled."""
        cancelled = self.cancelled()
        return any(not ticket.held or ticket.run_id in cancelled for ticket in self.tickets())

    def names(self) -> frozenset[str]:
        """The runs that have a ticket."""
        return frozenset(entry.name.removesuffix(_TICKET) for entry in self._entries() if entry.name.endswith(_TICKET))

    def cancelled(self) -> frozenset[str]:
        """The runs whose end was asked for."""
        return frozenset(entry.name.removesuffix(_CANCEL) for entry in self._entries() if entry.name.endswith(_CANCEL))

    def environment(self, ticket: Ticket) -> dict[str, str]:
        """What the run of `ticket` was asked for from; raises TTMatrixError where that is not known any more."""
        file = self._environments / f"{ticket.environment}.json"
        try:
            return decoded(file.read_bytes(), dict[str, str])
        except (OSError, Malformed) as error:
            raise TTMatrixError(f"The environment of {ticket.run_id} is lost", f"{file}: {error}") from error

    def forget_environment(self, ticket: Ticket) -> None:
        """Note that a run has started: it has its environment now, which is not read again."""
        with suppress(TTMatrixError):
            self.change(replace(ticket, environment=""))

    def forget_environments(self) -> None:
        """Remove the environments that no ticket names: they may hold secrets."""
        # Looking costs little where there is nothing, which is nearly always.
        if not any(self._environments.glob("*")):
            return
        with suppress(OSError), self._guard(wait=0):
            used = {ticket.environment for ticket in self.tickets()}
            for file in self._environments.iterdir():
                if file.stem not in used or file.suffix != _TICKET:
                    file.unlink(missing_ok=True)

    def _guard(self, wait: float = -1) -> FileLock:
        """While it is locked, no environment comes, is named or goes; `wait` is in seconds, and raises TimeoutError."""
        return FileLock(self.directory / "environments.lock", timeout=wait)

    def _ticket(self, run_id: str) -> Path:
        return self.directory / f"{run_id}{_TICKET}"

    def _write(self, ticket: Ticket) -> None:
        # The name of the file says which run it is.
        text = json.dumps({name: value for name, value in plain(ticket).items() if name != "run_id"})
        staging = self.directory / f".{ticket.run_id}.{os.getpid()}"
        staging.write_text(text, encoding="utf-8")
        staging.replace(self._ticket(ticket.run_id))

    def _write_private(self, file: Path, text: str) -> None:
        if file.exists():
            return
        staging = file.with_suffix(f".{os.getpid()}")
        staging.unlink(missing_ok=True)
        # Nobody else's from its first byte on.
        descriptor = os.open(staging, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
        staging.replace(file)

    def _entries(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.directory) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TTMatrixError(f"Cannot read {self.directory}", error.strerror or str(error)) from error


def moved(tickets: list[Ticket], run_id: str, before: str | None) -> Ticket:
    """The ticket of `run_id`, changed so that it goes right before the run `before`, or last of all.

    `tickets` are in the order of their turn and hold both runs.
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
        return typed({**decoded(Path(path).read_bytes(), dict[str, object]), "run_id": run_id}, Ticket)
    except (OSError, Malformed):
        return Ticket(run_id)
