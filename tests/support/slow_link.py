# SPDX-License-Identifier: Apache-2.0
"""A slow connection: runs a program on its own terminal, and forwards input and output with a delay.

python -m tests.support.slow_link SECONDS COMMAND...
"""

import fcntl
import os
import pty
import select
import signal
import sys
import termios
import time
import tty
from collections import deque
from collections.abc import Sequence


class Way:
    """One direction of the connection: bytes come out in order, each delayed."""

    def __init__(self, source: int, target: int, seconds: float) -> None:
        self.source = source
        self._target = target
        self._seconds = seconds
        self._under_way: deque[tuple[float, bytes]] = deque()

    def take(self) -> bool:
        """Read available bytes; returns whether there may be more."""
        try:
            data = os.read(self.source, 1 << 16)
        except OSError:
            return False
        self._under_way.append((time.monotonic() + self._seconds, data))
        return bool(data)

    def deliver(self) -> float | None:
        """Forward what is due; returns how long the next bytes must wait, None if there are none."""
        while self._under_way:
            left = self._under_way[0][0] - time.monotonic()
            if left > 0:
                return left
            data = self._under_way.popleft()[1]
            while data:
                data = data[os.write(self._target, data) :]
        return None


def relay(seconds: float, argv: Sequence[str]) -> int:
    """Run `argv` behind the connection and return its exit code."""
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(argv[0], list(argv))
    _take_size(master)
    signal.signal(signal.SIGWINCH, lambda *_: _take_size(master))
    before = termios.tcgetattr(0)
    tty.setraw(0)
    ways = [Way(0, master, seconds), Way(master, 1, seconds)]
    try:
        open_ways = list(ways)
        while ways[1] in open_ways or ways[1].deliver() is not None:
            waits = [left for way in ways if (left := way.deliver()) is not None]
            ready = select.select([way.source for way in open_ways], [], [], min(waits, default=None))[0]
            open_ways = [way for way in open_ways if way.source not in ready or way.take()]
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _take_size(master: int) -> None:
    fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))


if __name__ == "__main__":
    sys.exit(relay(float(sys.argv[1]), sys.argv[2:]))
