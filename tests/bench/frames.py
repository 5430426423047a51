# SPDX-License-Identifier: Apache-2.0
"""A terminal that knows when a program has painted: times from a key press to the mark that closes its frame.

Textual brackets each frame if the terminal supports synchronised output. We are that terminal,
so a measured wait is what a person would see, not a guess from a period of silence.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

_ANSWER = b"\x1b[?2026;2$y"
_END = b"\x1b[?2026l"
_ENDS_SECONDS = 5.0
"""The longest that an app takes to give its terminal back and end."""


class Frame(NamedTuple):
    """The time from the request to a complete frame."""

    clock: float
    """Seconds until the terminal had received all of it."""
    processor: float
    """Seconds of processor time of the program, with all its threads, for it."""


class FrameTerminal:
    """Runs `argv` on a terminal of 160 x 50 cells; all times are in seconds."""

    def __init__(self, argv: Sequence[str], settle: float = 1.5) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        # An app that is installed is compiled, and so is one that was started before.
        env = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.painted = bytearray()
        """Everything that the program has written to its terminal."""
        self._tail = b""
        # Before it is asked for: on a busy machine an answer might come after the first frame, which would not count.
        os.write(self._master, _ANSWER)
        self._key = Frame(time.monotonic(), 0.0)
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
        os.close(slave)
        frames = self._frames(first=60, quiet=settle)
        assert frames, f"{argv} painted nothing"
        self.first_frame = frames[0]
        """From the start of the process to its first complete frame."""

    def __enter__(self) -> "FrameTerminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # An app that is killed leaves a note, which the next one on a terminal of that name would read.
        self.process.terminate()
        late = time.monotonic() + _ENDS_SECONDS
        with suppress(OSError):  # the terminal of a program that has ended
            while (left := late - time.monotonic()) > 0 and select.select([self._master], [], [], left)[0]:
                os.read(self._master, 1 << 16)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        os.close(self._master)

    @property
    def memory_mb(self) -> float:
        """Resident memory of the program."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    @property
    def processor(self) -> float:
        """Processor time of the program so far, in seconds; exact even while a thread is running."""
        # clock_getcpuclockid(3), which Python has for threads only: CPUCLOCK_SCHED of the process.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def press(self, keys: bytes, quiet: float = 0.2) -> list[Frame]:
        """Write `keys` at once and return the times of the resulting frames, until none came for `quiet`.

        Frames that follow a key press later must not be counted for the next key.
        """
        self._key = Frame(time.monotonic(), self.processor)
        os.write(self._master, keys)
        return self._frames(first=5, quiet=quiet)

    def drain(self, seconds: float) -> None:
        """Read what it paints for that long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._frames(first=left, quiet=0.0)

    def _frames(self, first: float, quiet: float) -> list[Frame]:
        """The frames that come: waits `first` for the first one, then until nothing comes for `quiet`."""
        ends: list[Frame] = []
        while select.select([self._master], [], [], quiet if ends else first)[0]:
            try:
                chunk = os.read(self._master, 1 << 16)
            except OSError:
                break
            now = Frame(time.monotonic() - self._key.clock, self.processor - self._key.processor)
            self.painted += chunk
            joined = self._tail + chunk
            ends += [now] * joined.count(_END)
            self._tail = joined[-(len(_END) - 1) :]
        return ends
