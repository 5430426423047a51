# SPDX-License-Identifier: Apache-2.0
"""The only door to other processes: short commands with their output, and long ones that outlive us."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from core.errors import TTMatrixError

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
STOP_GRACES = (10.0, 5.0, 5.0)
"""Seconds a process may take to end after each of `STOP_SIGNALS`."""

_COMMAND_GRACES = (1.0, 2.0, 5.0)
_START_TOLERANCE = 2.0
_POLL = 0.05


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a finished command ended. Output is text; bytes that are not UTF-8 are replaced."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str


class CommandRunner(Protocol):
    """Runs one short command to its end; tests put a fake in its place."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout: float | None = None,
    ) -> CommandResult: ...


def run_command(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float | None = None,
) -> CommandResult:
    """Run `argv` (never through a shell) in `cwd`; `env` is added to our own environment. Line ends stay as they are.

    The command has a session of its own and so no terminal: what would ask a question there fails instead of waiting.
    Raises TTMatrixError where the command cannot be started, and where it has not ended after `timeout` seconds: then
    it is stopped with everything it started. Look at `returncode` for the rest.
    """
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error
    with process:
        try:
            out, err = process.communicate(stdin.encode("utf-8"), timeout)
        except subprocess.TimeoutExpired as error:
            _stop(process)
            words = " ".join(argv[:2])
            raise TTMatrixError(f"{words} did not end", f"It was stopped after {timeout:g} s.") from error
        except BaseException:
            _stop(process)
            raise
    return CommandResult(
        tuple(argv), process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    )


def _stop(process: "subprocess.Popen[bytes]") -> None:
    known = identity(process.pid)
    if known is not None:
        stop_tree(known, _COMMAND_GRACES)


@dataclass(frozen=True, slots=True)
class BinaryResult:
    """How a finished command ended whose output is data and no text."""

    returncode: int
    stdout: bytes
    stderr: str


class BinaryRunner(Protocol):
    """As `CommandRunner`, for data."""

    def __call__(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes) -> BinaryResult: ...


def run_binary(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes) -> BinaryResult:
    """As `run_command`, with every byte of the input and the output as it is."""
    try:
        done = subprocess.run(
            list(argv), cwd=cwd, env={**os.environ, **env}, input=stdin, capture_output=True, check=False
        )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error
    return BinaryResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def run_own(module: str, *arguments: str) -> bytes:
    """Run a module of ours in a process of its own, to its end, and return what it writes to standard output.

    Raises TTMatrixError with what it said where it fails.
    """
    home = str(Path(__file__).parents[1])
    inherited = os.environ.get("PYTHONPATH")
    path = f"{home}{os.pathsep}{inherited}" if inherited else home
    # -P: the working directory must not lend its modules to it.
    argv = [sys.executable, "-P", "-m", module, *arguments]
    done = run_binary(argv, cwd=Path("/"), env={"PYTHONPATH": path}, stdin=b"")
    if done.returncode != 0:
        words = done.stderr.strip()
        raise TTMatrixError(f"{module} failed", words or f"It ended with exit status {done.returncode}.")
    return done.stdout


def run_in_terminal(argv: Sequence[str], *, cwd: Path) -> int:
    """Hand our own terminal to an interactive program, such as an editor, and return its exit code.

    Raises TTMatrixError where it cannot be started.
    """
    try:
        return subprocess.run(list(argv), cwd=cwd, check=False).returncode
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error


def this_host() -> str:
    """The machine we are on. Home directories are shared between machines, processes are not."""
    return socket.gethostname()


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """Names one process of this host for good: a pid alone goes to another process sooner or later."""

    pid: int
    start_time: float
    """Seconds since the epoch."""


def identity(pid: int) -> ProcessIdentity | None:
    """The identity of the process that has `pid` now; None where there is none."""
    try:
        return ProcessIdentity(pid, psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def own_identity() -> ProcessIdentity:
    """The identity of this very process."""
    return ProcessIdentity(os.getpid(), psutil.Process().create_time())


def is_alive(process: ProcessIdentity) -> bool:
    """Whether that process, and not a later one with its pid, still runs. A zombie does not."""
    found = _find(process)
    return found is not None and _runs(found)


class Child:
    """A process started by `spawn_detached`: its identity, and its exit code once it ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        # The pid cannot be given away before `wait` reaped it, so this reads the child and nobody else.
        self.identity = ProcessIdentity(process.pid, psutil.Process(process.pid).create_time())

    def wait(self, timeout: float | None = None) -> int | None:
        """The exit code (minus the signal's number where one ended it), or None after `timeout` seconds."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def reap_in_background(self) -> None:
        """Collect the child whenever it ends, so that a long-living parent keeps no zombie."""
        threading.Thread(target=self._process.wait, name=f"reap-{self.identity.pid}", daemon=True).start()


def spawn_detached(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: Path | None = None) -> Child:
    """Start `argv` in a session of its own, with no terminal, reading nothing.

    `env` is the whole environment. Both output streams are appended to `output`, or dropped.
    Raises TTMatrixError where the command or `output` cannot be opened.
    """
    try:
        with (output or Path(os.devnull)).open("ab") as sink:
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", f"{error.strerror}: {error.filename}") from error
    return Child(process)


def stop_tree(root: ProcessIdentity, graces: Sequence[float] = STOP_GRACES) -> bool:
    """Stop the process group that `root` leads and every descendant of `root`, gently first.

    Each of `STOP_SIGNALS` is sent in turn and given its grace in seconds; returns whether all are gone.
    Descendants that left the group are found as long as their parents live, so `root` may be dead only
    where nothing left its group.
    """
    known: dict[int, psutil.Process] = {}
    for signum, grace in zip(STOP_SIGNALS, graces, strict=True):
        _refresh(known, root)
        if not known:
            return True
        _send(known.values(), root.pid, signum)
        if _gone_within(known, root, grace):
            return True
    return False


def _gone_within(known: dict[int, psutil.Process], root: ProcessIdentity, grace: float) -> bool:
    # psutil's own waiting would reap our children and lose their exit codes.
    deadline = time.monotonic() + grace
    pause = threading.Event()
    while True:
        _refresh(known, root)
        if not known:
            return True
        if time.monotonic() >= deadline:
            return False
        pause.wait(_POLL)


def _refresh(known: dict[int, psutil.Process], root: ProcessIdentity) -> None:
    """Bring the living members of `root`'s tree up to date: drop the dead, add what was started since."""
    leader = _find(root)
    members: dict[int, psutil.Process] = {}
    for seed in [*([leader] if leader else []), *known.values(), *_group(root)]:
        if seed.pid not in members:
            members[seed.pid] = seed
            members.update({process.pid: process for process in _descendants(seed)})
    known.clear()
    known.update({pid: process for pid, process in members.items() if _runs(process)})


def _group(root: ProcessIdentity) -> list[psutil.Process]:
    leader = identity(root.pid)
    if leader is not None and not _same_start(leader.start_time, root.start_time):
        # The kernel gives a pid away only when no group of that number is left.
        return []
    members = (_process(pid) for pid in psutil.pids() if _group_of(pid) == root.pid)
    return [process for process in members if process is not None]


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _send(processes: Iterable[psutil.Process], group: int, signum: signal.Signals) -> None:
    """One signal for the whole group at once, so that nobody gets it twice, then the ones outside it."""
    groups = {process: _group_of(process.pid) for process in processes}
    # Either may be gone by now, and that is what was wanted.
    if group in groups.values():
        with suppress(OSError):
            os.killpg(group, signum)
    for process, own in groups.items():
        if own != group:
            with suppress(psutil.Error):
                process.send_signal(signum)


def _find(wanted: ProcessIdentity) -> psutil.Process | None:
    try:
        process = psutil.Process(wanted.pid)
        return process if _same_start(process.create_time(), wanted.start_time) else None
    except psutil.Error:
        return None


def _same_start(one: float, other: float) -> bool:
    # Start times are counted from boot, and adjusting the clock moves the time of boot a little.
    return abs(one - other) < _START_TOLERANCE


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.Error:
        return False
