# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: one process collects many tests, and each of them then runs in a process of its own, as if alone.

    TTMATRIX_SESSION=DIRECTORY TTMATRIX_SESSION_SOCKET=DESCRIPTOR \\
    python -m pytest -p ttmatrix_payload.plugins.session ... NODE...

Imports and collection, nine tenths of a short run, are paid once. The session itself runs no test. It listens on a
socket; for each connection it forks a guard, and that forks the process of the run, which has everything imported: it
takes the environment, the log and the directory of its run in place of the session's, runs its items, writes its
report, and ends as pytest does. So no test, crash or hang touches the session or another test.

A connection: the session sends `{}` once it can serve. The other side sends a `Request`. The guard answers
`{"guard": PID}`, and `{"ended": CODE, "peak": BYTES}` at the end; or the session answers `{"refused": WHY}`. The side
that closes the connection ends the run.
"""

from __future__ import annotations

import atexit
import gc
import json
import logging
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest
from _pytest.junitxml import xml_key

from ..processes import adopt_orphans, die_with_parent
from . import output

PLUGIN = "ttmatrix_payload.plugins.session"
PLACE_VARIABLE = "TTMATRIX_SESSION"
"""The directory of the session, whose name is in options and variables in place of the id of a run."""
SOCKET_VARIABLE = "TTMATRIX_SESSION_SOCKET"
"""The descriptor of the socket that it listens on."""
LOG = "output.log"
"""The log of a session, and that of a run, in their directories."""
SPOOL = "captured"
STALE = "the code has changed since it began"
ABSENT = "it has not collected this one"

_REQUEST_SECONDS = 10.0
_LEFT_BEHIND_SECONDS = 2.0
_READ_AT_COLLECTION = (".yaml", ".yml", ".ini", ".toml", ".cfg")
_TESTS = "tests"


class _Session:
    """The session of this process."""

    def __init__(self, place: Path, listening: int) -> None:
        os.set_inheritable(listening, False)
        self.place = place
        self.socket = socket.socket(fileno=listening)
        self.begun = time.time()
        self.files: dict[str, tuple[int, int]] = {}

    def note_code(self, root: Path) -> None:
        """Remember the files that the tests consist of."""
        self.files = dict(_code(root))

    def is_stale(self, root: Path) -> bool:
        """Whether a file that was read at the start has changed since."""
        now = dict(_code(root))
        if any(now.get(file) != stamp for file, stamp in self.files.items()):
            return True
        return any(stamp[0] > self.begun * 1e9 for stamp in self.files.values())


def _begin() -> _Session | None:
    place, listening = os.environ.pop(PLACE_VARIABLE, ""), os.environ.pop(SOCKET_VARIABLE, "")
    return _Session(Path(place), int(listening)) if place and listening else None


_session = _begin()
"""None: an ordinary call of pytest."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> bool | None:
    """Collect what there is; a test that does not exist says so itself, when it runs alone."""
    if _session is None:
        return None
    try:
        session.perform_collect()
    except pytest.UsageError as error:
        texts = [str(text) for text in error.args]
        there = [arg for arg in session.config.args if not any(arg in text for text in texts)]
        if not there or len(there) == len(session.config.args):
            raise
        session.perform_collect(there)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    if _session is None or session.testsfailed:
        # Of a collection that failed, each test gives its own account.
        return
    items = [*session.items]
    _ask_plugins(session.config, "begin_session", session)
    _session.note_code(session.config.rootpath)
    run = _serve(_session, items, session.config.rootpath)
    _ending.append(session)
    mine = _items_of(items, run["node"])
    _become(session, run, _session.place)
    # Whatever else begins the tests, other plugins and pytest itself, does so now, for this run.
    session.items, session.testscollected = mine, len(mine)


def _ask_plugins(config: pytest.Config, name: str, value: object) -> None:
    """Call the function of that name of each of our plugins that has one: `begin_session`, or `begin_run` after it."""
    for plugin in config.pluginmanager.get_plugins():
        if str(getattr(plugin, "__name__", "")).startswith("ttmatrix_") and hasattr(plugin, name):
            getattr(plugin, name)(value)


_ending: list[pytest.Session] = []
"""In the process of a run: its session of pytest."""


def _end_at_once() -> None:
    """After everybody else has cleaned up: to take apart all that was imported takes a second, for nothing."""
    if _ending:
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(int(_ending[0].exitstatus))


# Registered before all others, it is called after them.
atexit.register(_end_at_once)


def _items_of(items: Sequence[pytest.Item], node: str) -> list[pytest.Item]:
    """The items of a node id: one, or all of a function with parameters."""
    return [item for item in items if item.nodeid == node or item.nodeid.startswith((f"{node}[", f"{node}::"))]


# The session


def _serve(own: _Session, items: Sequence[pytest.Item], root: Path) -> dict[str, Any]:
    """Serve until the process ends. Returns in the process of each run, with its request."""
    sys.stdout.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A collection of garbage in a fork would copy all that was imported, some gigabytes.
    gc.collect()
    gc.freeze()
    while True:
        _reap()
        if not select.select([own.socket], [], [], 1.0)[0]:
            continue
        with suppress(OSError, ValueError):
            connection, _ = own.socket.accept()
            with connection:
                request = _asked(connection)
                if own.is_stale(root):
                    _send(connection, {"refused": STALE})
                    os._exit(0)
                if not _items_of(items, request["node"]):
                    _send(connection, {"refused": ABSENT})
                elif os.fork() == 0:
                    own.socket.close()
                    _guard(connection)
                    return request


def _asked(connection: socket.socket) -> dict[str, Any]:
    _send(connection, {})
    connection.settimeout(_REQUEST_SECONDS)
    data = b""
    while not data.endswith(b"\n"):
        part = connection.recv(64 * 1024)
        if not part:
            raise ValueError("nobody is there any more")
        data += part
    connection.settimeout(None)
    request: dict[str, Any] = json.loads(data)
    return request


def _send(connection: socket.socket, message: dict[str, object]) -> None:
    connection.sendall(json.dumps(message).encode() + b"\n")


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _code(root: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """The files below `root` that decide what the tests are, each with its time and size."""
    below = f"{root}{os.sep}"
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {file for file in modules if file and file.startswith(below) and "site-packages" not in file}
    for place, _, names in os.walk(root / _TESTS):
        files.update(f"{place}{os.sep}{name}" for name in names if name.endswith(_READ_AT_COLLECTION))
    for file in files:
        with suppress(OSError):
            status = os.stat(file)  # noqa: PTH116 - thousands of them before each run
            yield file, (status.st_mtime_ns, status.st_size)


# Between session and run


def _guard(connection: socket.socket) -> None:
    """Fork the process of a run, in which this returns; the guard itself ends when the run has, or is to."""
    os.setsid()
    adopt_orphans(True)
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    own = os.getpid()
    run = os.fork()
    if run == 0:
        adopt_orphans(False)
        die_with_parent(own)
        connection.close()
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for signum in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(signum, signal.SIG_DFL)
        return
    try:
        _watch(run, connection)
    finally:
        os._exit(0)


def _watch(run: int, connection: socket.socket) -> NoReturn:
    _send(connection, {"guard": os.getpid()})
    ended = os.pidfd_open(run)
    # Readable before the end means closed: nobody wants the run any more.
    if ended not in select.select([connection.fileno(), ended], [], [])[0]:
        _end_descendants(0.0)
        os._exit(0)
    _, status, used = os.wait4(run, 0)
    _end_descendants(_LEFT_BEHIND_SECONDS)
    # Linux counts it in KiB.
    _send(connection, {"ended": os.waitstatus_to_exitcode(status), "peak": used.ru_maxrss * 1024})
    os._exit(0)


def _end_descendants(patience: float) -> None:
    """End what is left below the guard: it becomes the parent of each process whose own parent ends."""
    deadline = time.monotonic() + patience
    while children := _children():
        signum = signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL
        for pid in children:
            with suppress(OSError):
                os.kill(pid, signum)
        select.select([], [], [], 0.02)
        _reap()


def _children() -> list[int]:
    own = str(os.getpid())
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
        with suppress(OSError):
            after_name = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
            if after_name[1] == own and after_name[0] != "Z":
                found.append(int(name))
    return found


# The process of a run


def _become(session: pytest.Session, run: dict[str, Any], place: Path) -> None:
    """Put the run in place of the session: its variables, descriptors, options and report."""
    directory = Path(run["directory"])
    names = {str(place): str(directory), place.name: directory.name}
    os.environ.clear()
    os.environ.update(run["environ"])
    _take_spool(place / SPOOL, directory / SPOOL, names)
    _lead_descriptors(place, directory)
    output.move(directory / SPOOL)
    config = session.config
    for options in (config.option, config.known_args_namespace):
        for name, value in vars(options).items():
            setattr(options, name, _renamed(value, names))
    _ask_plugins(config, "begin_run", config)
    if xml := config.stash.get(xml_key, None):
        xml.logfile = _renamed(xml.logfile, names)
        xml.pytest_sessionstart()
    reporter = config.pluginmanager.getplugin("terminalreporter")
    for name in ("_session_start", "_sessionstarttime"):
        if hasattr(reporter, name):
            # The seconds in the last line are those of this run.
            setattr(reporter, name, xml.suite_start if xml else getattr(reporter, name))


def _renamed(value: Any, names: dict[str, str]) -> Any:
    match value:
        case str():
            for old, new in names.items():
                value = value.replace(old, new)
            return value
        case Path():
            return Path(_renamed(str(value), names))
        case list():
            return [_renamed(one, names) for one in value]
    return value


def _take_spool(old: Path, new: Path, names: dict[str, str]) -> None:
    """The files of loggers that the spool follows are those of the run; without capture, it has no spool either."""
    if not old.is_dir():
        shutil.rmtree(new, ignore_errors=True)
    else:
        new.mkdir(mode=0o700, exist_ok=True)
        for link in old.iterdir():
            if link.is_symlink():
                (new / link.name).symlink_to(_renamed(os.readlink(link), names))  # noqa: PTH115


def _lead_descriptors(place: Path, directory: Path) -> None:
    """Descriptors of files of the session become those of the same files of the run."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with suppress(OSError):
            descriptor, target = int(name), Path(os.readlink(f"/proc/self/fd/{name}"))  # noqa: PTH115
            if target.is_relative_to(place):
                file = directory / target.relative_to(place)
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                append = os.O_APPEND if target.name == LOG else 0
                opened = os.open(file, os.O_RDWR | os.O_CREAT | append, 0o644)
                os.dup2(opened, descriptor, os.get_inheritable(descriptor))
                os.close(opened)
