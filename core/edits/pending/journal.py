# SPDX-License-Identifier: Apache-2.0
"""The journal of one checkout on disk: it is append-only, and all instances share it."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from core.base.errors import TTMatrixError
from core.base.files import Stamp, atomic_write, drop_leftovers, opened, read_text, stamp
from core.base.locks import LockHeld, locked
from core.edits.pending.codec import VERSION, from_line, header, to_line, version_in
from core.edits.pending.events import JournalEvent
from core.edits.pending.state import PendingState, apply, events_for, fold

Intent = Callable[[PendingState], JournalEvent | None]
"""Makes the event for a request, fitting the state at the time it is recorded; None: nothing to do."""

_LOCK_SECONDS = 2.0
"""How long another instance may hold the file before `problem` reports it."""
_POLL_SECONDS = 0.02
_COMPACT_FROM = 1 << 18
"""Bytes below which a journal is not compacted."""
_COMPACT_RATIO = 2
"""Ratio of present to necessary lines from which a journal is compacted."""


class Journal:
    """Every event is on the disk before `state` shows it, and events of other instances arrive with `catch_up`.

    The file is shared: an event is made and added under a lock, after what others have added, so that two instances
    cannot contradict each other. If the disk fails, `problem` says so, work continues in memory, and is saved as soon
    as the disk works again. The same applies while another instance holds the file.
    """

    def __init__(self, file: Path, root: Path, *, wait: float | None = None) -> None:
        """Read the journal of the checkout at `root`; it opens whatever the file contains.

        `wait` is how many seconds `record` waits for another instance that holds the file; None: 2.
        """
        self.state = PendingState()
        self.notices: list[str] = []
        """Messages for the person about the state in which the file was found. The caller reports and clears them."""
        self.problem: TTMatrixError | None = None
        """Why events cannot be saved at present; None: they are saved."""
        self._file = file
        self._root = str(root)
        self._saved = self.state
        """The state in the file."""
        self._waiting: list[Intent] = []
        """Requests that are not in the file yet, because the disk failed."""
        self._made: tuple[PendingState, list[JournalEvent | None], PendingState] = self._saved, [], self._saved
        """The result of these requests: the state before, an event for each, and the state after."""
        self._first: bytes | None = None
        """The first line of the file, which differs for every file."""
        self._looked: Stamp | None = None
        self._offset = self._lines = 0
        self._wait = _LOCK_SECONDS if wait is None else wait
        self._held_since: float | None = None
        """When another instance was first found to hold the file; None: none does."""
        # Threads write and commit while the screen records decisions.
        self._mutex = threading.RLock()
        with self._mutex:
            self._save(durable=True)
        self.flush()

    def record(self, intent: Intent, *, durable: bool = True) -> JournalEvent | None:
        """Record the event of `intent`, apply it to `state` and return it.

        Without `durable` the line may be lost if the machine crashes, but not if the process does.
        """
        with self._mutex:
            self._waiting.append(intent)
            event = self._save(durable=durable)[-1]
        self.flush(self._wait)
        return event

    def flush(self, wait: float = _LOCK_SECONDS) -> None:
        """Wait up to `wait` seconds for another instance that holds the file, so that nothing stays in memory only."""
        deadline, pause = time.monotonic() + wait, threading.Event()
        while self._held_since is not None and time.monotonic() < deadline:
            # Without the mutex, so that no other thread of ours has to wait too.
            pause.wait(_POLL_SECONDS)
            with self._mutex:
                self._save(durable=True)

    def catch_up(self) -> bool:
        """Read the events of other instances; returns whether there were any. Costs one stat of the file."""
        with self._mutex:
            try:
                if self._held_since is None and stamp(self._file) == self._looked:
                    return False
            except OSError:
                return False
            before = self._saved
            self._save(durable=False)
            return self._saved is not before

    def _save(self, *, durable: bool) -> list[JournalEvent | None]:
        """Read new events and append the waiting ones; returns the waiting ones."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with locked(self._file.with_suffix(".lock"), "keeping a change", wait=0):
                self._synchronise()
                made, state = self._make()
                self._append([event for event in made if event is not None], durable=durable)
                self._saved, self._waiting, self._made = state, [], (state, [], state)
                with suppress(TTMatrixError):
                    self._compact()
                self._looked = stamp(self._file)
        except LockHeld as error:
            self._held(error)
            made, state = self._make()
        except (OSError, TTMatrixError) as error:
            self._held_since = None
            self._fail(error)
            made, state = self._make()
        else:
            self._held_since = self.problem = None
        self.state = state
        return made

    def _make(self) -> tuple[list[JournalEvent | None], PendingState]:
        """An event for each waiting intent, and the state after them; made again if others added events."""
        before, made, state = self._made if self._made[0] is self._saved else (self._saved, [], self._saved)
        for intent in self._waiting[len(made) :]:
            event = intent(state)
            made.append(event)
            state = state if event is None else apply(state, event)
        self._made = before, made, state
        return made, state

    def _held(self, error: LockHeld) -> None:
        now = time.monotonic()
        self._held_since = now if self._held_since is None else self._held_since
        if now - self._held_since >= _LOCK_SECONDS:
            self._fail(error)

    def _fail(self, error: OSError | TTMatrixError) -> None:
        words = error.strerror if isinstance(error, OSError) else str(error)
        self.problem = TTMatrixError(
            "Pending changes cannot be saved",
            f"{self._file}: {words or error}",
            "They last until this session ends; files that are written stay written.",
        )

    # All below is done under the lock.

    def _synchronise(self) -> None:
        """Bring the known state of the file up to date; a missing file is created."""
        if self._first is None:
            drop_leftovers(self._file)
        if not self._file.exists():
            self._rewrite(self._saved)
        with opened(self._file) as handle:
            first = handle.readline()
            if first != self._first:
                if problem := _foreign(first):
                    self._set_aside(problem, self._saved)
                    return
                self._first, self._offset, self._lines, self._saved = first, len(first), 0, PendingState()
            handle.seek(self._offset)
            if data := handle.read():
                self._take(data)

    def _take(self, data: bytes) -> None:
        """Apply further lines of the file; an unfinished last line is removed."""
        whole, _, torn = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        events: list[JournalEvent] = []
        for line in lines:
            try:
                events.append(from_line(line.decode()))
            except ValueError as error:
                self._set_aside(f"a line of it cannot be understood ({error})", fold(self._saved, events))
                return
        self._saved = fold(self._saved, events)
        self._offset += len(data) - len(torn)
        self._lines += len(lines)
        if torn:
            os.truncate(self._file, self._offset)
            self.notices.append(
                "The last step was cut off while it was saved, and is lost; everything before it is there."
            )

    def _set_aside(self, why: str, state: PendingState) -> None:
        """Rename the file, so that nothing is lost, and begin a new one with the part that was understood."""
        number = 1
        while (aside := self._file.with_suffix(f".set-aside-{number}")).exists():
            number += 1
        self._file.rename(aside)
        self.notices.append(f"The journal of pending changes was set aside: {why}. It is saved as {aside}.")
        self._rewrite(state)

    def _rewrite(self, state: PendingState) -> None:
        events = events_for(state)
        first = f"{header(self._root, uuid4().hex)}\n"
        data = (first + "".join(f"{to_line(event)}\n" for event in events)).encode()
        atomic_write(self._file, data)
        self._saved, self._lines = state, len(events)
        self._first, self._offset = first.encode(), len(data)

    def _compact(self) -> None:
        pending = self._saved.pending
        needed = len(pending.past) + 2 * len(pending.future) + 8
        if self._offset > _COMPACT_FROM and self._lines > _COMPACT_RATIO * needed:
            self._rewrite(self._saved)

    def _append(self, events: Sequence[JournalEvent], *, durable: bool) -> None:
        if not events:
            return
        data = "".join(f"{to_line(event)}\n" for event in events).encode()
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            _write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        except OSError:
            # A line that was only written in part must not stay before the next line.
            os.ftruncate(descriptor, self._offset)
            raise
        finally:
            os.close(descriptor)
        self._offset += len(data)
        self._lines += len(events)


def journal_texts(directory: Path) -> Iterator[str]:
    """The texts of all journals in `directory`, including those set aside. Raises TTMatrixError as `read_text`."""
    for file in sorted(directory.glob("*")):
        if file.suffix == ".jsonl" or ".set-aside-" in file.name:
            yield read_text(file, None)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _foreign(first: bytes) -> str:
    """Why a file with this first line cannot be used as a journal; empty: it can."""
    if not first.endswith(b"\n"):
        return "its first line is cut off"
    try:
        version = version_in(first.decode())
    except ValueError as error:
        return f"it cannot be read ({error})"
    return "" if version == VERSION else f"it is of version {version}, written by another ttmatrix"
