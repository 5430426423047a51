# SPDX-License-Identifier: Apache-2.0
"""Faults at the boundary to the system: the n-th call that could change a disk fails."""

import errno
import os
import signal
import stat
import subprocess
from collections.abc import Callable
from enum import StrEnum
from typing import Any

_CALLS = ("open", "write", "fsync", "chmod", "replace", "rename", "link", "truncate", "ftruncate", "unlink", "mkdir")


class Fault(StrEnum):
    """The kinds of failure."""

    KILL_BEFORE = "killed before"
    KILL_AFTER = "killed after"
    TORN = "killed in the middle of"
    FULL = "full disk at"
    READ_ONLY = "read-only at"
    BROKEN = "broken disk at"


SMALL_FILES = "files no larger than"
"""Not injected but enforced by the system: a real error of a real write, also in C code."""

_ERRORS = {Fault.FULL: errno.ENOSPC, Fault.READ_ONLY: errno.EROFS, Fault.BROKEN: errno.EIO}


class Injector:
    """Counts the calls of this process from `arm` on. Use it only in a process forked for it."""

    def __init__(self, fault: Fault, at: int, fired: Callable[[], object] = lambda: None) -> None:
        """`fired` is called right before the fault happens."""
        self._fault = fault
        self._at = at
        self._count = 0
        self._fired = fired

    def arm(self) -> None:
        """Install the counters."""
        if self._fault is Fault.TORN:
            vars(os)["write"] = self._torn(os.write)
            return
        for name in _CALLS:
            setattr(os, name, self._counted(getattr(os, name)))
        vars(subprocess)["run"] = self._counted(subprocess.run)

    def arm_starting(self) -> None:
        """Also count calls that start a process."""
        vars(subprocess)["Popen"] = self._counted(subprocess.Popen)

    @property
    def reached(self) -> bool:
        """Whether there were enough calls to trigger the fault."""
        return self._count >= self._at

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            if self._fault in _ERRORS and _needs_no_room(call.__name__, arguments):
                return call(*arguments, **named)
            self._count += 1
            if self._count != self._at:
                return call(*arguments, **named)
            self._fired()
            if self._fault in _ERRORS:
                number = _ERRORS[self._fault]
                raise OSError(number, os.strerror(number))
            if self._fault is Fault.KILL_AFTER:
                call(*arguments, **named)
            os.kill(os.getpid(), signal.SIGKILL)

        return counted

    def _torn(self, write: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
        """Tear a write to a file only: a small write to a pipe is atomic."""

        def torn(descriptor: int, data: bytes) -> int:
            self._count += _is_file(descriptor)
            if self._count != self._at:
                return write(descriptor, data)
            write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("killed")

        return torn


def _needs_no_room(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether nothing is written to a disk: to pipes, by calls that free space, and by those that open for reading."""
    match name:
        case "unlink":
            return True
        case "write":
            return not _is_file(arguments[0])
        case "open":
            return not arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        case _:
            return False


def _is_file(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
