# SPDX-License-Identifier: Apache-2.0
"""Sessions of pytest: runs that differ in their test alone share one process that has imported and collected it all.

Each run stays a run, with its own directory, log, report, supervisor and leases, and a process of its own that the
session forks (`plugins.session` of the payload). A session is only a shortcut: a run that it cannot serve, because
it is killed, the code has changed or the test is not collected, runs by its own command, as alone.
"""

import hashlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded, opened, parsed, plain, read_bytes
from core.base.processes import (
    Child,
    ProcessIdentity,
    identity,
    is_alive,
    send_signal,
    spawn_detached,
    this_host,
)
from core.domain.model import node_id
from core.payload.ttmatrix_payload.plugins.spool import SPOOL
from core.runs.environment import child_environment
from core.runs.spec import ResultFormat, RunSpec
from core.runs.store import LOG, SESSION

PLUGIN = "ttmatrix_payload.plugins.session"
PLACE_VARIABLE, SOCKET_VARIABLE = "TTMATRIX_SESSION", "TTMATRIX_SESSION_SOCKET"
"""As in the payload's `plugins.session`, which needs pytest."""
_SOCKET = "socket"
_OUTPUT = "ttmatrix_payload.plugins.output"
_MOST_TESTS = 200
"""Of one session: pytest compares each name with each item."""
_MOST_SESSIONS = 2
"""At a time; one takes some gigabytes."""
_MOST_FAILURES = 2
"""After so many sessions that served nobody, runs like these run alone."""
_BACKLOG = 64
_STEP_SECONDS = 0.2
_LOG_BYTES = 256 * 1024
_FAREWELL_SECONDS = 2.0
_GONE = "it ended before it could run this one"


def node_of(spec: RunSpec) -> str:
    """The node id in the command of a run through pytest that can share a session; empty: it cannot."""
    if spec.report is not ResultFormat.JUNIT or spec.prefix or spec.needs or spec.argv[1:3] != ("-m", "pytest"):
        return ""
    node = node_id(spec.function, spec.test_id)
    # Descriptors and loggers are led elsewhere by the plugin for the log.
    return node if node in spec.argv and _OUTPUT in spec.argv else ""


def session_key(spec: RunSpec, environment: str, root: Path) -> str:
    """Equal for runs that differ in their test alone; `environment` is the key of the one they are requested from."""
    node = node_of(spec)
    if not node:
        return ""
    names = _names(spec, root, "")
    words = ["" if word == node else _replaced(word, names) for word in spec.argv]
    env = {name: _replaced(value, names) for name, value in spec.env.items()}
    text = json.dumps([words, sorted(env.items()), sorted(spec.paths.items()), str(spec.cwd), environment])
    return hashlib.sha256(os.fsencode(text)).hexdigest()


def _names(spec: RunSpec, root: Path, place: str) -> dict[str, str]:
    """By what names the run in its command and variables: the same of its session."""
    return {str(root / spec.run_id): place, spec.run_id: Path(place).name, spec.nonce: ""}


def _replaced(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


@dataclass(slots=True)
class _Session:
    """One process, and the runs that use it."""

    key: str
    place: Path
    process: Child
    nodes: frozenset[str]
    users: set[str] = field(default_factory=set)
    """Runs that were started with it and have not ended."""
    served: bool = False

    @property
    def alive(self) -> bool:
        return is_alive(self.process.identity)


class Sessions:
    """The sessions of one scheduler, which end with it."""

    def __init__(self, root: Path) -> None:
        """`root` is that of the run store."""
        self._root = root
        # Machines share a home, not their processes.
        self._place = root / "sessions" / this_host()
        self._sessions: dict[str, _Session] = {}
        self._failures: dict[str, int] = {}
        # Those of an earlier scheduler ended with it.
        shutil.rmtree(self._place, ignore_errors=True)

    def place_for(
        self, spec: RunSpec, key: str, fellows: Callable[[], Iterable[RunSpec]], environ: Mapping[str, str]
    ) -> Path | None:
        """The session that a run with that key is to use; None: it runs alone.

        `fellows` are other runs with the same key that wait. `environ` is what all of them are requested from.
        """
        if not key or self._failures.get(key, 0) >= _MOST_FAILURES:
            return None
        session, node = self._sessions.get(key), node_of(spec)
        if session is None or not session.alive or node not in session.nodes:
            nodes = [node, *map(node_of, fellows())][:_MOST_TESTS]
            if len(nodes) < 2:
                return None
            if session is not None:
                self._end(session)
            session = self._begin(spec, key, nodes, environ)
        if session is not None:
            session.users.add(spec.run_id)
        return session.place if session else None

    def over(self, run_id: str, *, served: bool, stuck: bool = False) -> None:
        """A run has ended; `served`: by its session. `stuck`: it was stopped because nothing went on any more."""
        for session in list(self._sessions.values()):
            if run_id in session.users:
                session.users.discard(run_id)
                session.served |= served
                if stuck and not served:
                    # It hangs before it serves anybody.
                    self._end(session)

    def tidy(self, wanted: Callable[[str], bool]) -> None:
        """End sessions that nobody uses; `wanted` says whether a run with that key waits."""
        for session in list(self._sessions.values()):
            if not session.users and not wanted(session.key):
                self._end(session)

    def close(self) -> None:
        """End all sessions. Runs that they have forked go on."""
        for session in list(self._sessions.values()):
            self._end(session)

    def _begin(self, spec: RunSpec, key: str, nodes: list[str], environ: Mapping[str, str]) -> _Session | None:
        idle = [one for one in self._sessions.values() if not one.users]
        while len(self._sessions) >= _MOST_SESSIONS and idle:
            self._end(idle.pop(0))
        place = self._place / f"session-{secrets.token_hex(8)}"
        names, node = _names(spec, self._root, str(place)), nodes[0]
        words = [one for word in spec.argv for one in (nodes if word == node else [_replaced(word, names)])]
        env = {name: _replaced(value, names) for name, value in spec.env.items()}
        try:
            place.mkdir(mode=0o700, parents=True)
            with _listening(place / _SOCKET) as listening:
                own = {PLACE_VARIABLE: str(place), SOCKET_VARIABLE: str(listening.fileno())}
                process = spawn_detached(
                    # The last plugin is the first one to hear that tests are to begin.
                    [*words, "-p", PLUGIN],
                    cwd=spec.cwd,
                    env=child_environment(environ, {**env, **own}, spec.paths),
                    output=place / LOG,
                    ends_with_us=True,
                    passed=[listening.fileno()],
                )
        except (TTMatrixError, OSError):
            shutil.rmtree(place, ignore_errors=True)
            self._failures[key] = _MOST_FAILURES
            return None
        session = self._sessions[key] = _Session(key, place, process, frozenset(nodes))
        return session

    def _end(self, session: _Session) -> None:
        if not session.served:
            self._failures[session.key] = self._failures.get(session.key, 0) + 1
        send_signal(session.process.identity, signal.SIGKILL)
        session.process.wait(_FAREWELL_SECONDS)
        shutil.rmtree(session.place, ignore_errors=True)
        del self._sessions[session.key]


def _listening(place: Path) -> socket.socket:
    """A socket at `place`, whatever the length of that path: names of sockets have at most 107 bytes."""
    found = socket.socket(socket.AF_UNIX)
    directory = os.open(place.parent, os.O_PATH | os.O_CLOEXEC)
    try:
        found.bind(f"/proc/self/fd/{directory}/{place.name}")
        found.listen(_BACKLOG)
    finally:
        os.close(directory)
    return found


# In the process that represents a run


@dataclass(frozen=True, slots=True)
class Guard:
    """The process that guards a run in a session."""

    process: ProcessIdentity | None = None
    peak_memory: int | None = None
    """Bytes, once the run has ended: the largest resident memory of one of its processes."""


def read_guard(directory: Path) -> Guard | None:
    """The guard of the run in `directory`; None: it runs alone, or has not begun."""
    try:
        return decoded(read_bytes(directory / SESSION), Guard)
    except (OSError, Malformed):
        return None


def attend(spec: RunSpec, directory: Path, session: Path, environ: Mapping[str, str]) -> NoReturn:
    """Have `session` run `spec`, and end in the same way; if it cannot, become the process of the run.

    Output is the log of the run. Until the run begins, signals end this process; then only what ends the run does.
    """
    with suppress(OSError):
        # The session begins the test: until then the run starts, as one does that runs alone.
        (directory / SPOOL).mkdir(mode=0o700, exist_ok=True)
    environment = child_environment(environ, spec.env, spec.paths)
    try:
        code = _served(spec, directory, session, environment)
    except _Refused as refused:
        _run_alone(spec, directory, environment, str(refused))
    except (OSError, Malformed, TTMatrixError) as error:
        _run_alone(spec, directory, environment, f"it does not answer: {error}")
    if code < 0:
        # As the process of the run did. No core file: that process has left one, if it is wanted.
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


class _Refused(Exception):
    """The session cannot run the test; with the reason."""


def _run_alone(spec: RunSpec, directory: Path, environment: Mapping[str, str], why: str) -> NoReturn:
    for signum in (signal.SIGHUP, signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, signal.SIG_DFL)
    # It has a spool of its own, if it captures, and writes itself what the log has of the session.
    shutil.rmtree(directory / SPOOL, ignore_errors=True)
    with suppress(OSError):
        os.ftruncate(1, 0)
    print(f"not in a process shared with other tests: {why}", file=sys.stderr, flush=True)
    os.chdir(spec.cwd)
    os.execve(spec.argv[0], spec.argv, environment)


def _served(spec: RunSpec, directory: Path, session: Path, environment: Mapping[str, str]) -> int:
    """The exit code of the run, minus the number of a signal that ended it. Raises _Refused."""
    with _connected(session / _SOCKET) as connection:
        log = _Copied(session / LOG)
        stream = _Messages(connection)
        # The first message means that everything is collected; until then, the log says how that goes.
        first = stream.next(log.copy)
        log.copy()
        if first is None:
            raise _Refused(_GONE)
        request = {"node": node_of(spec), "directory": str(directory), "environ": dict(environment)}
        connection.sendall(json.dumps(request).encode() + b"\n")
        begun = stream.next()
        if begun is None or "guard" not in begun:
            raise _Refused(str((begun or {}).get("refused", _GONE)))
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, signal.SIG_IGN)
        guard = Guard(identity(int(begun["guard"])))
        _write(directory, guard)
        ended = stream.next()
        if ended is None:
            # Nobody says how it ended: its guard was killed, and the run with it.
            return -signal.SIGKILL
        _write(directory, Guard(guard.process, int(ended["peak"])))
        return int(ended["ended"])


def _connected(place: Path) -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    directory = os.open(place.parent, os.O_PATH | os.O_CLOEXEC)
    try:
        found.connect(f"/proc/self/fd/{directory}/{place.name}")
    finally:
        os.close(directory)
    return found


def _write(directory: Path, guard: Guard) -> None:
    with suppress(OSError):
        new = directory / f".{SESSION}"
        new.write_text(json.dumps(plain(guard)), encoding="utf-8")
        new.replace(directory / SESSION)


class _Messages:
    """The messages of a session, one a line."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._data = b""

    def next(self, meanwhile: Callable[[], None] = lambda: None) -> dict[str, Any] | None:
        """The next message; None: there is none any more."""
        while b"\n" not in self._data:
            while not select.select([self._connection], [], [], _STEP_SECONDS)[0]:
                meanwhile()
            try:
                part = self._connection.recv(64 * 1024)
            except ConnectionError:
                part = b""
            if not part:
                return None
            self._data += part
        line, _, self._data = self._data.partition(b"\n")
        found = parsed(line)
        if not isinstance(found, dict):
            raise Malformed("the message of a session is no object")
        return found


class _Copied:
    """The log of a session, copied to our output as it grows."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._at = 0

    def copy(self) -> None:
        with suppress(OSError), opened(self._file) as log:
            self._at = max(self._at, os.fstat(log.fileno()).st_size - _LOG_BYTES)
            log.seek(self._at)
            data = log.read()
            self._at += len(data)
            while data:
                data = data[os.write(1, data) :]
