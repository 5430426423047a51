# SPDX-License-Identifier: Apache-2.0
"""Find out how far a process got before the model killed it, and run it again up to that point.

The work is done in a child, which counts its calls in memory that outlives it.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable, Sequence

from ..processes import die_with_parent

_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)
_COUNT = struct.Struct("q")


class Crashed(Exception):
    """The model has reached the point where the process died the last time."""


class Calls:
    """Counts the calls of a process, in memory that its parent sees too."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _COUNT.size)
        self.limit = 0
        """The number of calls after which `reached` raises Crashed; 0: never."""
        self.why = ""
        """The message of Crashed."""

    @property
    def count(self) -> int:
        return int(_COUNT.unpack_from(self._memory)[0])

    def reached(self, count: int) -> None:
        """Record that this many calls have been made."""
        _COUNT.pack_into(self._memory, 0, count)
        if self.limit and count >= self.limit:
            raise Crashed(self.why)


def run_until_crash(main: Callable[[Sequence[str], Calls], int], argv: Sequence[str]) -> int:
    """Run `main` in a child and return its result. If a signal kills it, run it again up to the last call before.

    A process that dies before its first call, or again, makes this one die in the same way.
    """
    calls = Calls()
    if not hasattr(os, "fork"):
        return main(argv, calls)
    status = _in_child(main, argv, calls)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _CRASHES and calls.count:
        calls.limit = calls.count
        calls.why = f"the process died by {signal.Signals(os.WTERMSIG(status)).name}"
        status = _in_child(main, argv, calls)
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status)


def _in_child(main: Callable[[Sequence[str], Calls], int], argv: Sequence[str], calls: Calls) -> int:
    """The wait status of the child, as from `os.waitpid`."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    die_with_parent(parent)
    sys.exit(main(argv, calls))
