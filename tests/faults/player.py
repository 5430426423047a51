# SPDX-License-Identifier: Apache-2.0
"""Run command lines of ttmatrix in their own processes, forked from a warm interpreter, which can be killed anytime."""

import ctypes
import io
import mmap
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.cli import main

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""
_POLL_SECONDS = 0.002
_PATIENCE_SECONDS = 120.0
_UNEXPECTED = 70


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code, or minus the signal's number, and its output."""

    code: int
    said: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


def adopt_orphans() -> None:
    """From now on, orphaned descendants of this process become its children."""
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


class Flag:
    """A bit shared by a process and its forks."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def __bool__(self) -> bool:
        return self._memory[0] != 0

    def set(self) -> None:
        self._memory[0] = 1


class Player:
    """One command line in a process of its own."""

    def __init__(
        self,
        argv: tuple[object, ...],
        output: Path,
        environ: Mapping[str, str],
        arm: Callable[[], None] = lambda: None,
    ) -> None:
        """`arm` is called first in the new process."""
        self._output = output
        self.pid = os.fork()
        if self.pid == 0:
            _play([str(word) for word in argv], output, environ, arm)

    def is_over(self, seconds: float) -> bool:
        """Whether it ended within `seconds`; it is not reaped."""
        deadline = time.monotonic() + seconds
        while True:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)

    def kill(self) -> None:
        """Kill only this process: its children continue."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> Ended:
        """Wait for its end."""
        if not self.is_over(_PATIENCE_SECONDS):
            self.kill()
            raise AssertionError(f"{self._output.read_text()}: it did not end")
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return Ended(code, self._output.read_text(errors="replace"))


def wait_for_orphans() -> None:
    """Wait until no started process is left; needs `adopt_orphans`."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _play(argv: list[str], output: Path, environ: Mapping[str, str], arm: Callable[[], None]) -> None:
    code = _UNEXPECTED
    try:
        os.environ.update(environ)
        sink = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(sink, stream)
        sys.stdin = io.StringIO()
        sys.stdout, sys.stderr = (os.fdopen(stream, "w", buffering=1) for stream in (1, 2))
        arm()
        code = main(argv, lambda request: _UNEXPECTED)
    except BaseException:  # noqa: BLE001 - it is what is looked for
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
