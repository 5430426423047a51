# SPDX-License-Identifier: Apache-2.0
"""The parent of one run: starts it, waits for it and for processes it leaves behind, and records how it ended.

A scheduler can be killed at any moment. The supervisor lives as long as any process of its run, no descendant can
escape from it, and it starts a new scheduler if the old one dies.
"""

import ctypes
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded, plain, read_bytes
from core.base.processes import Child, own_environment, own_identity, spawn_detached
from core.payload.ttmatrix_payload.plugins.spool import SPOOL, SPOOL_VARIABLE, Log, Spool
from core.runs.environment import child_environment
from core.runs.execution import packages
from core.runs.execution.follow import follow
from core.runs.execution.sessions import attend
from core.runs.log import STEP_SECONDS, ArrivalNotes, LogLimit
from core.runs.spec import RunSpec
from core.runs.store import ARRIVALS, EVENTS, EXIT, LOG, Started, TreeState, append_event

# From linux/prctl.h.
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36

_FIRST_FREE_DESCRIPTOR = 3
_EXIT_BYTES = 1024
_SPOOL_SECONDS = 0.1
"""How often what pytest captures is copied into the log."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How the process of a run ended."""

    at: float
    """Seconds since the epoch."""
    code: int | None
    """Minus the signal's number if a signal ended it; None: it could not be started."""
    error: str = ""
    """Why it could not be started."""
    peak_memory: int | None = None
    """Bytes: the largest resident memory of one of its processes; None: unknown."""


def scheduler_command(root: Path) -> list[str]:
    """The command of the scheduler for the run store at `root`."""
    # -P: Python must not import modules from the working directory.
    return [sys.executable, "-P", "-m", "core.runs.execution.scheduler", str(root)]


def start_supervisor(
    spec: RunSpec,
    directory: Path,
    environ: Mapping[str, str],
    tree: TreeState | None = None,
    place: str = "",
    prepare: Callable[[int], None] = lambda _: None,
    session: Path | None = None,
) -> int:
    """Fork a supervisor for the run in `directory`; only for a process with one thread. Returns its pid.

    `environ` is the environment that the run was requested from, `tree` the state of the checkout at its start, `place`
    its host; empty: this machine. `session` is the one of pytest that is to run it. Before anything begins, `prepare`
    is called with the pid; nothing begins if it fails, or if this process is killed before it is done.
    """
    parent = os.getpid()
    wait, go = os.pipe()
    pid = os.fork()
    if pid:
        os.close(wait)
        return _let_go(pid, go, prepare)
    try:
        os.close(go)
        if not os.read(wait, 1):
            os._exit(0)
        _Supervisor(spec, directory, environ, tree, place, session).mind(parent)
    except BaseException:  # noqa: BLE001 - nothing of the scheduler's may run in this process any more
        traceback.print_exc()
        os._exit(1)


def _let_go(pid: int, go: int, prepare: Callable[[int], None]) -> int:
    try:
        prepare(pid)
        # Killed meanwhile, it is noticed as any other supervisor is.
        with suppress(BrokenPipeError):
            os.write(go, b"!")
    except BaseException:
        os.close(go)
        os.waitpid(pid, 0)
        raise
    os.close(go)
    return pid


def read_exit(directory: Path) -> Exit | None:
    """How the process of the run in `directory` ended; None if it has not, or its end was not seen."""
    try:
        return decoded(read_bytes(directory / EXIT), Exit)
    except (OSError, Malformed):
        return None


def copy_captured(directory: Path, spool: Spool, *, whole: bool = False, last: bool = False) -> None:
    """Copy into the log of a run what it has written while pytest captured it; `last` removes the spool.

    For signal handlers and full disks: nothing is raised. `whole` is as for `Spool.copy`.
    """
    if spool.exists:
        with suppress(OSError), (directory / LOG).open("a+b", buffering=0) as file:
            log = Log(file.fileno())
            if last:
                spool.close(log)
            else:
                spool.copy(log, whole=whole, wait=False)


class _Supervisor:
    def __init__(
        self,
        spec: RunSpec,
        directory: Path,
        environ: Mapping[str, str],
        tree: TreeState | None,
        place: str,
        session: Path | None,
    ) -> None:
        self._spec = spec
        self._session = session
        self._place = place
        self._directory = directory
        self._environ = environ
        self._tree = tree
        self._libc = ctypes.CDLL(None)
        self._arrivals = ArrivalNotes(directory / LOG, directory / ARRIVALS)
        self._limit = LogLimit(directory / LOG, spec.log_limit)
        self._spool = Spool(directory / SPOOL)
        self._next_look = 0.0
        self._exit = -1
        self._child: Child | None = None

    def mind(self, parent: int) -> NoReturn:
        os.setsid()
        self._redirect()
        # Reserve space now: the end of a run must be recorded even if the run filled the disk.
        self._exit = os.open(self._directory / EXIT, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.pwrite(self._exit, b" " * _EXIT_BYTES, 0)
        self._take_signals()
        # Its command line is that of the scheduler, so its process name has to differ.
        self._libc.prctl(_PR_SET_NAME, b"ttmatrix-watch", 0, 0, 0)
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGUSR1, 0, 0, 0)
        if os.getppid() != parent:
            self._replace_scheduler()
        # Before anything runs, so that the next scheduler never starts the run again.
        started = Started(time.time(), own_identity(), self._spec.command, self._tree, self._place)
        append_event(self._directory / EVENTS, started)
        try:
            self._put_packages_back()
            if self._installs:
                packages.note(self._spec)
            child = self._fork_follower() if self._place or self._session else self._spawn()
        except (TTMatrixError, OSError) as error:
            why = f"{error.title}: {error.detail}" if isinstance(error, TTMatrixError) else str(error)
            self._write(Exit(time.time(), None, why))
            os._exit(0)
        self._watch_log()
        self._reap(child)
        self._put_packages_back()
        os._exit(0)

    @property
    def _installs(self) -> bool:
        return bool(self._spec.requirements) and not self._place

    def _put_packages_back(self) -> None:
        """Put back the packages that this run, or an earlier one that was killed, has changed."""
        if self._installs:
            packages.put_back_of(self._spec, self._directory, self._environ)

    def _spawn(self) -> int:
        # Keep the reference: otherwise Python would reap the child, and its exit code would be lost.
        self._child = spawn_detached(
            self._spec.command,
            cwd=self._spec.cwd,
            env=child_environment(self._environ, self._spec.env, self._spec.paths),
            output=self._directory / LOG,
            # If we are killed together with the scheduler, nothing else would end it.
            ends_with_us=True,
        )
        return self._child.identity.pid

    def _fork_follower(self) -> int:
        """The follower of a run elsewhere: a fork costs a hundredth of a process that imports all this."""
        parent = os.getpid()
        pid = os.fork()
        if pid:
            return pid
        try:
            os.setsid()
            self._libc.prctl(_PR_SET_NAME, b"ttmatrix-follow", 0, 0, 0)
            self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)
            for signum in (signal.SIGHUP, signal.SIGUSR1):
                signal.signal(signum, signal.SIG_IGN)
            log = os.open(self._directory / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            os.dup2(log, 1)
            os.dup2(log, 2)
            if self._session:
                attend(self._spec, self._directory, self._session, self._environ)
            follow(self._spec, self._directory, self._place)
        except BaseException:  # noqa: BLE001 - nothing of the supervisor's may run in this process any more
            traceback.print_exc()
            os._exit(1)

    def _watch_log(self) -> None:
        """Record the growth of the log from time to time, keep it below its limit, and copy what pytest captures."""
        # A timer costs nothing between its ticks, and children do not inherit it.
        signal.signal(signal.SIGALRM, lambda *_: self._tick())
        step = _SPOOL_SECONDS if SPOOL_VARIABLE in self._spec.env else STEP_SECONDS
        signal.setitimer(signal.ITIMER_REAL, step, step)

    def _tick(self) -> None:
        copy_captured(self._directory, self._spool, whole=True)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + STEP_SECONDS
            self._look_at_log()

    def _look_at_log(self) -> None:
        self._limit.enforce()
        self._arrivals.note(time.time())

    def _redirect(self) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.closerange(_FIRST_FREE_DESCRIPTOR, os.sysconf("SC_OPEN_MAX"))

    def _take_signals(self) -> None:
        # A handler, unlike SIG_IGN, is not inherited by the run.
        for signum in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, lambda *_: None)
        signal.signal(signal.SIGUSR1, lambda *_: self._replace_scheduler())

    def _replace_scheduler(self) -> None:
        """Start a scheduler that is not a descendant of ours, so that it neither delays nor ends with the run."""
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        pid = os.fork()
        if pid == 0:
            with suppress(TTMatrixError):
                root = self._directory.parent
                spawn_detached(scheduler_command(root), cwd=Path("/"), env=own_environment(os.environ))
            os._exit(0)
        os.waitpid(pid, 0)
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def _reap(self, child: int) -> None:
        """Wait for the child, and then for all processes that it left behind."""
        while True:
            try:
                pid, status, used = os.wait4(-1, 0)
            except ChildProcessError:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                copy_captured(self._directory, self._spool, last=True)
                return
            if pid == child:
                copy_captured(self._directory, self._spool)
                self._look_at_log()
                # Linux counts it in KiB: the largest value of a process and of the children it has waited for.
                self._write(Exit(time.time(), os.waitstatus_to_exitcode(status), peak_memory=used.ru_maxrss * 1024))

    def _write(self, end: Exit) -> None:
        text = json.dumps({"version": 1, **plain(replace(end, error=end.error[: _EXIT_BYTES // 2]))})
        os.pwrite(self._exit, text.encode().ljust(_EXIT_BYTES), 0)
