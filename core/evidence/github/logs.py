# SPDX-License-Identifier: Apache-2.0
"""Logs of jobs of CI: the end of each, fetched once into a file that can be followed while it grows."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, read_bytes, read_loosely, read_text
from core.base.locks import locked
from core.evidence.ci_runs import CiJob
from core.evidence.github.transport import Transport
from core.runs import plain_line

LOG_BYTES = 8 * 2**20
"""What is fetched and stored of a log: its end."""
_STAMP = re.compile(rb"(?m)^(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT[\d:.]+Z ?")
_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/actions/", re.ASCII)
_LONGEST_LINE = 2**20
"""Bytes: what is longer is written before its end has come."""
_LINE_CHARACTERS = 500
_AT_ONCE_BYTES, _AT_ONCE_SECONDS = 256 * 1024, 0.2
"""What arrives is written in pieces of that size, or that often."""
_PART = ".part"


class LogPart(NamedTuple):
    """How much of a log is here."""

    begin: int
    """Where in the log the stored part begins."""
    next: int
    """What comes next of the log."""
    total: int
    """The size of the log in bytes; 0: unknown."""
    written: int
    """The size of the file so far."""

    @property
    def done(self) -> int:
        """How many bytes of what is wanted have arrived."""
        return self.next - self.begin

    @property
    def wanted(self) -> int:
        """How many bytes are wanted; 0: unknown."""
        return max(0, self.total - self.begin)


def repository_of(job: CiJob) -> str:
    """The repository that a job belongs to; empty: its page does not say."""
    found = _REPOSITORY.match(job.url)
    return found[1] if found else ""


def logs_directory(store: Path, repository: str) -> Path:
    """Where the logs of a repository are, beside the evidence in the file `store`."""
    return store.with_name(f"{store.stem}-github-{repository.replace('/', '+')}-logs")


def log_file(store: Path, job: CiJob) -> Path:
    """Where the log of a job is, or would be."""
    return logs_directory(store, repository_of(job)) / f"{job.id}.log"


def is_whole(file: Path) -> bool:
    """Whether all of a log is here that is stored of it."""
    return file.is_file() and not file.with_suffix(_PART).exists()


def read_lines(file: Path) -> list[str]:
    """The lines of a stored log, plain and not too long, numbered as in the file."""
    return [plain_line(line, _LINE_CHARACTERS) for line in read_loosely(file).removesuffix("\n").split("\n")]


def fetch_log(
    transport: Transport, job: CiJob, file: Path, say: Callable[[LogPart], None] = lambda part: None
) -> LogPart:
    """Have the end of the log of a job in `file`, which grows meanwhile. What was interrupted goes on where it was.

    `say` is called with each piece. Raises Expired, Refused, and LockHeld while another process fetches it.
    """
    with locked(file.with_suffix(".lock"), "fetching a log", wait=0):
        if is_whole(file):
            size = file.stat().st_size
            return LogPart(0, size, size, size)
        growing = _Growing(file, say)
        if not growing.complete:
            transport.read_from(f"repos/{repository_of(job)}/actions/jobs/{job.id}/logs", growing)
        growing.end()
        return growing.part


class _Growing:
    """Writes a log to its file, without the times that GitHub puts before each line, a piece at a time."""

    def __init__(self, file: Path, say: Callable[[LogPart], None]) -> None:
        self._file, self._say = file, say
        self._marker = file.with_suffix(_PART)
        self._rest = b""
        self._at = 0
        """Where in the log the next piece begins."""
        self._asked_again = False
        self._written_at = 0.0
        self.part = self._known()

    def _known(self) -> LogPart:
        """How far an earlier call came."""
        try:
            part = LogPart(*decoded(read_text(self._marker), list[int]))
        except (TTMatrixError, Malformed, TypeError):
            return LogPart(0, 0, 0, 0)
        here = self._file.is_file() and self._file.stat().st_size >= part.written
        return part if here else LogPart(0, 0, 0, 0)

    @property
    def complete(self) -> bool:
        """Whether all has come already."""
        return 0 < self.part.total <= self.part.next

    def next(self) -> int:
        """What to ask for next."""
        rest, self._rest = self._rest, b""
        self._write(rest[: rest.rfind(b"\n") + 1])
        return self.part.next

    def begin(self, start: int, total: int) -> bool:
        """An answer comes that begins at `start` of `total` bytes (0: unknown); whether it is to be read."""
        part = self.part
        if start > part.next or (part.total and total != part.total):
            self.forget()
            if start:
                return False
            part = self.part
        if not part.written and total > LOG_BYTES and not self._asked_again:
            self._asked_again = True
            self.part = LogPart(total - LOG_BYTES, total - LOG_BYTES, total, 0)
            return False
        self.part = self.part._replace(total=total)
        self._rest, self._at = b"", start
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._marked()
        with self._file.open("ab") as out:
            out.truncate(self.part.written)
        return True

    def forget(self) -> None:
        """What is here is part of another log."""
        self.part, self._rest, self._asked_again = LogPart(0, 0, 0, 0), b"", False

    def take(self, piece: bytes) -> None:
        """The next bytes of the log."""
        begin, self._at = self._at, self._at + len(piece)
        # A server that cannot begin in the middle sends what is here once more.
        data = self._rest + piece[max(0, self.part.next + len(self._rest) - begin) :]
        whole = data.rfind(b"\n") + 1 or (len(data) if len(data) > _LONGEST_LINE else 0)
        soon = len(data) < _AT_ONCE_BYTES and time.monotonic() < self._written_at + _AT_ONCE_SECONDS
        whole = 0 if soon else whole
        self._rest = data[whole:]
        self._write(data[:whole])

    def _write(self, data: bytes) -> None:
        if not data:
            return
        try:
            self._add(data)
        except OSError as error:
            raise TTMatrixError(
                "A log cannot be stored", error.strerror or str(error), "Make room, and try again."
            ) from error
        self._written_at = time.monotonic()
        self._say(self.part)

    def _add(self, data: bytes) -> None:
        part, begin = self.part, self.part.begin
        shown = data
        if not part.written and part.next == begin and begin:
            # It begins in the middle of a line.
            note = f"[the last {part.wanted:,} of {part.total:,} bytes of this log]\n"
            shown = note.encode() + data[data.find(b"\n") + 1 :]
        text = _STAMP.sub(b"", shown)
        with self._file.open("ab") as out:
            out.write(text)
        self.part = part._replace(next=part.next + len(data), written=part.written + len(text))
        if self.part.written > 2 * LOG_BYTES:
            self._shorten()
        self._marked()

    def _shorten(self) -> None:
        """Keep the end of a log whose size nobody has said."""
        data = read_bytes(self._file, None)[-LOG_BYTES:]
        data = b"[the end of this log]\n" + data[data.find(b"\n") + 1 :]
        atomic_write(self._file, data)
        self.part = self.part._replace(written=len(data))

    def _marked(self) -> None:
        atomic_write(self._marker, json.dumps(self.part))

    def end(self) -> None:
        """All has come."""
        rest, self._rest = self._rest, b""
        self._write(rest if rest.endswith(b"\n") or not rest else rest + b"\n")
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch()
        self._marker.unlink(missing_ok=True)
        self._say(self.part)
