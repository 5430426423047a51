# SPDX-License-Identifier: Apache-2.0
"""When the lines of a log arrived, to the second: its size, noted whenever it has grown, in a file beside it."""

import os
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

STEP_SECONDS = 1.0
"""How often the size is noted while it grows."""


class ArrivalNotes:
    """Notes the size of `log` in `file`, a line for each time: seconds since the epoch and bytes.

    For signal handlers and full disks: nothing is raised, and a note that cannot be written is one less.
    """

    def __init__(self, log: Path, file: Path) -> None:
        self._log = log
        self._file = file
        self._size = 0

    def note(self, now: float) -> None:
        """Note how far the log has come by `now`."""
        with suppress(OSError):
            size = self._log.stat().st_size
            if size != self._size:
                self._size = size
                descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    os.write(descriptor, b"%.2f %d\n" % (now, size))
                finally:
                    os.close(descriptor)


class Arrivals:
    """The notes of one log, read as they grow."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = 0
        self._times: list[float] = []
        self._sizes: list[int] = []

    def poll(self) -> bool:
        """Read what was added; returns whether there was anything. A file that is missing or damaged says nothing."""
        try:
            with self._file.open("rb") as handle:
                handle.seek(self._read)
                data = handle.read()
        except OSError:
            return False
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError):
                at, size = line.split()
                note = float(at), int(size)
                if self._sizes and note[1] < self._sizes[-1]:
                    # The middle of the log was left out: of what stands where before, nothing is known any more.
                    self._times.clear()
                    self._sizes.clear()
                self._times.append(note[0])
                self._sizes.append(note[1])
        return bool(whole)

    def at(self, positions: Sequence[int]) -> list[float | None]:
        """For bytes of the log, when each had arrived at the latest; None: it is not known yet, or never was."""
        found = (bisect_right(self._sizes, position) for position in positions)
        return [self._times[at] if at < len(self._times) else None for at in found]
