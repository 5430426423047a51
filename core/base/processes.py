# SPDX-License-Identifier: Apache-2.0
"""All use of other processes: short commands with their output, and long ones that outlive us."""

import ctypes
import errno
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Protocol

import psutil

from core.base.errors import TTMatrixError
from core.base.umask import persons_mask

_COMMAND_GRACES = ((signal.SIGINT, 1.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0))
"""Seconds a command may take to end after each signal."""
_POLL = 0.05
_DEAD = frozenset("ZXx")
_START_FIELD = 19
"""Index of the start time among the fields of /proc/PID/stat after the name; proc(5) counts it as field 22."""
_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_OF_A_CALLING_GIT = frozenset(
    {
        # git rev-parse --local-env-vars, of old and new gits
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT"),
        *("GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE"),
        *("GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"),
        *("GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE"),
        # what else would change which refs, objects, paths and attributes are meant, or how a diff looks
        *("GIT_ATTR_SOURCE", "GIT_DIFF_OPTS", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION"),
        *("GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS"),
    }
)
"""Variables that tell a git where it is called and how. git sets them for its hooks: there they name its repository,
not the checkout that we are given. Who the author is, when, and with which configuration files, is a person's word."""
_OF_ITS_CONFIGURATION = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a finished command ended. Output is text; bytes that are not UTF-8 are replaced."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str

    def said(self, mark: str) -> str:
        """What follows `mark` in the last line of the output that begins with it; empty: there is none."""
        lines = (line for line in reversed(self.stdout.splitlines()) if line.startswith(mark))
        return next(lines, "").removeprefix(mark)


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


def inherited(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What other programs get of our environment: all but the variables of a git that has called us.

    With them, each git that we or our runs start would work on the repository of the hook.
    """
    return {
        name: value
        for name, value in environ.items()
        if name not in _OF_A_CALLING_GIT and not name.startswith(_OF_ITS_CONFIGURATION)
    }


def run_command(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float | None = None,
    pass_fds: Sequence[int] = (),
) -> CommandResult:
    """Run `argv` (never through a shell) in `cwd`; `env` is added to what is `inherited`. Line ends do not change.

    The command inherits the file descriptors `pass_fds` beside its standard streams.

    The command has a session of its own and so no terminal: a prompt for input fails instead of waiting. Raises
    TTMatrixError if the command cannot be started, or has not ended after `timeout` seconds: then it is stopped with
    everything it started. Other failures only show in `returncode`.
    """
    process = _piped(argv, cwd, env or {}, stdin=subprocess.PIPE, pass_fds=pass_fds)
    with process:
        try:
            out, err = process.communicate(stdin.encode("utf-8"), timeout)
        except subprocess.TimeoutExpired as error:
            _stop(process)
            raise _did_not_end(argv, timeout) from error
        except BaseException:
            _stop(process)
            raise
    return CommandResult(
        tuple(argv), process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    )


def _piped(
    argv: Sequence[str], cwd: Path | None, env: Mapping[str, str], *, stdin: int, pass_fds: Sequence[int] = ()
) -> "subprocess.Popen[bytes]":
    """Start a command in a session of its own, with pipes for its output. Raises TTMatrixError if it cannot be."""
    whole = {**inherited(), **env}
    try:
        return subprocess.Popen(
            list(argv),
            executable=_program(argv[0], whole),
            cwd=cwd,
            env=whole,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=pass_fds,
            umask=_mask(),
        )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error


class PipedCommand:
    """A command as `run_command` starts one, whose output is read while it runs; it ends with the block."""

    def __init__(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        """Raises TTMatrixError if it cannot be started."""
        self._process = _piped(argv, cwd, env, stdin=subprocess.DEVNULL)

    def __enter__(self) -> "PipedCommand":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        with self._process:
            """Close the pipes."""

    def read(self, most: int, silence: float) -> bytes:
        """The next bytes of its output; empty: the end. Raises TimeoutError after `silence` seconds without any."""
        assert self._process.stdout is not None, "it was opened with a pipe"
        handle = self._process.stdout.fileno()
        if not select.select([handle], [], [], silence)[0]:
            raise TimeoutError("it says nothing")
        return os.read(handle, most)

    def wait(self, seconds: float) -> int:
        """Its exit code. Raises TimeoutError if it has not ended after `seconds`."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError("it does not end") from error

    def errors(self, most: int) -> str:
        """What an ended command wrote to standard error, at most `most` bytes; empty while it runs."""
        assert self._process.stderr is not None, "it was opened with a pipe"
        if self._process.poll() is None:
            return ""
        return self._process.stderr.read(most).decode("utf-8", "replace")

    def stop(self) -> None:
        """End it with everything that it started."""
        if self._process.poll() is None:
            _stop(self._process)


def _did_not_end(argv: Sequence[str], timeout: float | None) -> TTMatrixError:
    return TTMatrixError(f"{' '.join(argv[:2])} did not end", f"It was stopped after {timeout:g} s.")


def _mask() -> int:
    """The person's umask, for other programs (git, runs, an editor): their files need not be private; -1: no change."""
    mask = persons_mask()
    return -1 if mask is None else mask


def _program(name: str, environ: Mapping[str, str]) -> str:
    """The path of a program. A relative entry of PATH is ignored: with it, a checkout could run its own programs."""
    if "/" in name:
        return name
    absolute = [entry for entry in environ.get("PATH", os.defpath).split(os.pathsep) if entry.startswith("/")]
    found = shutil.which(name, path=os.pathsep.join(absolute)) if absolute else None
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return found


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a command with everything it started, gently first."""
    own = identity(process.pid)
    known = {own} if own is not None else set()
    pause = threading.Event()
    for signum, seconds in _COMMAND_GRACES:
        # A process found earlier may have lost its parent by now, so that its children are only found through it.
        known |= {found for one in known for found in descendants(one)}
        for one in known:
            send_signal(one, signum)
        for _ in range(int(seconds / _POLL)):
            if not any(map(is_alive, known)):
                return
            pause.wait(_POLL)


@dataclass(frozen=True, slots=True)
class BinaryResult:
    """How a finished command ended whose output is bytes, not text."""

    returncode: int
    stdout: bytes
    stderr: str


class BinaryRunner(Protocol):
    """As `CommandRunner`, for bytes."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float | None = None,
    ) -> BinaryResult: ...


class Cancelled(TTMatrixError):
    """A command was stopped because nobody wants its result any more."""


def _waited(process: "subprocess.Popen[bytes]", given: bytes, stop: threading.Event) -> tuple[bytes, bytes]:
    """The output of a command; raises Cancelled, and ends it with everything it started, once `stop` is set."""
    left: bytes | None = given
    while not stop.is_set():
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(left, _POLL)
        left = None
    _stop(process)
    raise Cancelled("This was stopped", "Its result is not wanted any more.")


def run_binary(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: bytes, timeout: float | None = None
) -> BinaryResult:
    """As `run_command`, with input and output as bytes, for a command that starts no other processes.

    It shares our session, and is killed after `timeout` seconds.
    """
    whole = {**inherited(), **env}
    try:
        done = subprocess.run(
            list(argv),
            executable=_program(argv[0], whole),
            cwd=cwd,
            env=whole,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout,
            umask=_mask(),
        )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise _did_not_end(argv, timeout) from error
    return BinaryResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with the directory that holds `core` put first on PYTHONPATH."""
    home, rest = str(Path(__file__).parents[2]), environ.get("PYTHONPATH")
    return {**environ, "PYTHONPATH": home if rest is None else f"{home}{os.pathsep}{rest}"}


def run_own(module: str, *arguments: str, given: bytes = b"", stop: threading.Event | None = None) -> bytes:
    """Run a module of ours in its own process until it ends, and return what it writes to standard output.

    `given` is its standard input. Raises TTMatrixError with its error output if it fails, and Cancelled, with the
    process and its children ended, once `stop` is set.
    """
    # -P: Python must not import modules from the working directory.
    argv = [sys.executable, "-P", "-m", module, *arguments]
    cwd, env = Path("/"), own_environment(os.environ)
    if stop is None:
        done = run_binary(argv, cwd=cwd, env=env, stdin=given)
    else:
        with _piped(argv, cwd, env, stdin=subprocess.PIPE) as process:
            out, err = _waited(process, given, stop)
        done = BinaryResult(process.returncode, out, err.decode("utf-8", "replace"))
    if done.returncode != 0:
        words = done.stderr.strip()
        raise TTMatrixError(f"{module} failed", words or f"It ended with exit status {done.returncode}.")
    return done.stdout


def run_in_terminal(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    started: Callable[[int], object] = lambda _: None,
) -> int:
    """Hand our own terminal to an interactive program, such as an editor, and return its exit code.

    `env` is added to what is `inherited`. `started` gets its process id. Raises TTMatrixError if it cannot be started.
    """
    try:
        with subprocess.Popen(list(argv), cwd=cwd, env={**inherited(), **(env or {})}, umask=_mask()) as process:
            started(process.pid)
            return process.wait()
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)) from error


def this_host() -> str:
    """The machine we are on. Home directories are shared between machines, processes are not."""
    return socket.gethostname()


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """Identifies one process of this host for good: a pid alone is reused sooner or later."""

    pid: int
    start_time: float
    """Seconds since boot: unlike the time of day, this is never adjusted."""


def identity(pid: int) -> ProcessIdentity | None:
    """The identity of the process that has `pid` now, even a zombie; None if there is none."""
    status = _status(pid)
    return ProcessIdentity(pid, status[1]) if status else None


def own_identity() -> ProcessIdentity:
    """The identity of this process."""
    own = identity(os.getpid())
    assert own is not None
    return own


def is_alive(process: ProcessIdentity) -> bool:
    """Return whether that process, and not a later one with its pid, still runs. A zombie does not count."""
    status = _status(process.pid)
    return status is not None and status[1] == process.start_time and status[0] not in _DEAD


def is_alive_of(process: ProcessIdentity, uid: int) -> bool:
    """As `is_alive`, for a process of the user `uid`, which the system may hide from us."""
    if is_alive(process):
        try:
            return psutil.Process(process.pid).uids().real == uid
        except psutil.Error:
            return False
    if process.pid <= 0 or Path(f"/proc/{process.pid}").exists():
        return False
    try:
        # Signal 0 is not delivered; with the mount option hidepid it still tells whether the process exists.
        os.kill(process.pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return False


class Child:
    """A process started by `spawn_detached`: its identity, and its exit code once it has ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        # The pid cannot be reused before `wait` has reaped the child, so this is the child's identity.
        found = identity(process.pid)
        assert found is not None
        self.identity = found

    def wait(self, timeout: float | None = None) -> int | None:
        """The exit code (minus the signal's number if a signal ended it), or None after `timeout` seconds."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def reap_in_background(self) -> None:
        """Collect the child whenever it ends, so that a long-living parent keeps no zombie."""
        threading.Thread(target=self._process.wait, name=f"reap-{self.identity.pid}", daemon=True).start()


def spawn_detached(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: Path | None = None,
    ends_with_us: bool = False,
    passed: Sequence[int] = (),
) -> Child:
    """Start `argv` in a session of its own, with no terminal and no input.

    `env` is the whole environment, of which it gets what is `inherited`. Both output streams are appended to `output`,
    or dropped. `ends_with_us`: the kernel kills it if we die first; only when this process has one thread. `passed` are
    file descriptors that it inherits.
    Raises TTMatrixError if the command or `output` cannot be opened.
    """
    try:
        with (output or Path(os.devnull)).open("ab") as sink:
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=inherited(env),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                umask=_mask(),
                preexec_fn=partial(_end_with, os.getpid(), ctypes.CDLL(None)) if ends_with_us else None,
                pass_fds=passed,
            )
    except OSError as error:
        raise TTMatrixError(f"Cannot run {argv[0]}", f"{error.strerror}: {error.filename}") from error
    return Child(process)


def _end_with(parent: int, libc: ctypes.CDLL) -> None:
    """Runs in the child before its program starts: the kernel shall kill it once `parent` is gone."""
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def descendants(root: ProcessIdentity) -> frozenset[ProcessIdentity]:
    """Every living descendant of `root`, without `root` itself."""
    if not is_alive(root):
        return frozenset()
    try:
        return _living(process.pid for process in psutil.Process(root.pid).children(recursive=True))
    except psutil.Error:
        return frozenset()


def marked(name: str, value: str) -> frozenset[ProcessIdentity]:
    """Every living process of this user whose environment has `name` set to `value`."""
    processes = psutil.process_iter(["environ"])
    return _living(process.pid for process in processes if (process.info["environ"] or {}).get(name) == value)


def marks(name: str) -> dict[str, frozenset[ProcessIdentity]]:
    """The processes of `marked` for every value, by value."""
    found: dict[str, set[int]] = {}
    for process in psutil.process_iter(["environ"]):
        if value := (process.info["environ"] or {}).get(name):
            found.setdefault(value, set()).add(process.pid)
    return {value: _living(pids) for value, pids in found.items()}


def send_signal(process: ProcessIdentity, signum: signal.Signals) -> None:
    """Send a signal to exactly that process; do nothing if it has ended."""
    if is_alive(process):
        with suppress(OSError):
            os.kill(process.pid, signum)


@cache
def boot_id() -> str:
    """The id of this boot of the machine."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return f"{psutil.boot_time():.0f}"


def total_memory() -> int:
    """Bytes of memory that this machine has."""
    return int(psutil.virtual_memory().total)


def free_memory() -> int:
    """Bytes of memory that are available without swapping."""
    return psutil.virtual_memory().available


def _living(pids: Iterable[int]) -> frozenset[ProcessIdentity]:
    found = (identity(pid) for pid in pids)
    return frozenset(one for one in found if one is not None and is_alive(one))


def _status(pid: int) -> tuple[str, float] | None:
    """State letter and start time of a process, from /proc/PID/stat."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name is in parentheses and may hold anything, also parentheses.
    fields = line.rpartition(b")")[2].split()
    return fields[0].decode(), int(fields[_START_FIELD]) / _TICKS
