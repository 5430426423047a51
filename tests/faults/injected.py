# SPDX-License-Identifier: Apache-2.0
"""Faults at the border to the system: at the n-th call that could change a disk, something goes wrong."""

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
    """What goes wrong."""

    KILL_BEFORE = "killed before"
    KILL_AFTER = "killed after"
    TORN = "killed in the middle of"
    FULL = "full disk at"
    READ_ONLY = "read-only at"
    BROKEN = "broken disk at"


SMALL_FILES = "files no larger than"
"""Not injected, but asked of the system: a real error from a real write, in C as well."""

_ERRORS = {Fault.FULL: errno.ENOSPC, Fault.READ_ONLY: errno.EROFS, Fault.BROKEN: errno.EIO}


class Injector:
    """Counts the calls of this process from `arm` on. Only for a process that was forked for it."""

    def __init__(self, fault: Fault, at: int, fired: Callable[[], object] = lambda: None) -> None:
        """`fired` is told right before the fault happens."""
        self._fault = fault
        self._at = at
        self._count = 0
        self._fired = fired

    def arm(self) -> None:
        """Put the counters in place."""
        if self._fault is Fault.TORN:
            vars(os)["write"] = self._torn(os.write)
            return
        for name in _CALLS:
            setattr(os, name, self._counted(getattr(os, name)))
        vars(subprocess)["run"] = self._counted(subprocess.run)

    def arm_starting(self) -> None:
        """Count what starts a process, too."""
        vars(subprocess)["Popen"] = self._counted(subprocess.Popen)

    @property
    def reached(self) -> bool:
        """Whether there were enough calls for the fault to happen."""
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
        """Only of a file: what goes into a pipe at once arrives at once."""

        def torn(descriptor: int, data: bytes) -> int:
            self._count += _is_file(descriptor)
            if self._count != self._at:
                return write(descriptor, data)
            write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("killed")

        return torn


def _needs_no_room(name: str, arguments: tuple[Any, ...]) -> bool:
    """A pipe has no disk that could fail, and a full disk lets go of files."""
    return name == "unlink" or (name == "write" and not _is_file(arguments[0]))


def _is_file(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
