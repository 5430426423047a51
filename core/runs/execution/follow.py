# SPDX-License-Identifier: Apache-2.0
"""The child of a supervisor whose run goes on elsewhere: the run as this machine sees it.

Its output is the log, its end is that of the run, an interrupt stops the run. So all that holds for a run of this
machine (time limits, stopping, a scheduler that is killed) holds for this one. It is forked, and loads nothing.
"""

import json
import os
import resource
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from socket import SocketIO
from typing import NoReturn

from core.errors import TTMatrixError
from core.files import Malformed, decoded, plain
from core.runs.cluster import Cluster, Job, News, Request, capture, message, portable, read_message
from core.runs.spec import RunSpec
from core.runs.store import ARRIVALS, EVENTS, EXIT, LOG, PROVENANCE, SPEC
from core.sources import Checkout

PLACE = "place.json"
"""Where a run goes on, and how that ended."""
CODE = "code.json"
"""The state of the code that it ran there."""
PULSE = "pulse"
"""Grows while the run works in silence."""
CUT = "cut"
"""How a run ended whose cluster did: no host is to blame. Beside the kinds of a last message (`News`)."""
NO_CODE = 75
"""What the follower of a run ends with whose process has no exit code: `PLACE` says why."""
_PLACE_BYTES = 4096
_WHY_CHARACTERS = 1000
_MOST_INPUT = 64 * 2**20
_OWN = frozenset({SPEC, EVENTS, EXIT, LOG, ARRIVALS, PROVENANCE, PLACE, CODE, PULSE})


@dataclass(frozen=True, slots=True)
class Place:
    """The host of a run, and how that went."""

    host: str
    end: str = ""
    """The kind of the last message (see `core.runs.cluster.News`), or `CUT`; empty: there was none yet."""
    why: str = ""


def read_place(directory: Path) -> Place | None:
    """Where the run in `directory` goes on or was; None: on this machine."""
    try:
        return decoded((directory / PLACE).read_bytes(), Place)
    except (OSError, Malformed):
        return None


def put_aside(directory: Path, attempt: int) -> None:
    """Make room for another attempt: what the last one has left is put where nothing takes it for a result."""
    aside = directory / f"attempt-{attempt}"
    aside.mkdir(exist_ok=True)
    for path in list(directory.iterdir()):
        if path.name not in (SPEC, EVENTS, PROVENANCE) and path != aside and not path.name.startswith("attempt-"):
            path.rename(aside / path.name)


def follow(spec: RunSpec, directory: Path, host: str) -> NoReturn:
    """Have the run done on `host` and be there for it until it is over; then end as it did."""
    follower = _Follower(spec, directory, host)
    try:
        code = follower.follow()
    except (TTMatrixError, Malformed) as error:
        text = f"{error.title}: {error.detail}".removesuffix(": ") if isinstance(error, TTMatrixError) else str(error)
        code = follower.end("refused", text)
    except OSError as error:
        code = follower.end("refused", f"{error.strerror}: {error.filename or directory}")
    if code < 0:
        _end_by(-code)
    os._exit(code)


class _Follower:
    def __init__(self, spec: RunSpec, directory: Path, host: str) -> None:
        self._spec = spec
        self._directory = directory
        self._host = host
        # Its room is taken now: how a run ended must be known also where it filled the disk.
        self._place = os.open(directory / PLACE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._write(Place(host))
        self._lost_bytes = 0
        self._problem = ""

    def follow(self) -> int:
        """Returns the exit code of the run, minus the signal's number where one ended it; NO_CODE: it has none."""
        job = self._job()
        try:
            with Cluster().connected() as stream:
                self._stop_by_signals(stream)
                _send(stream, Request("launch", self._host, job=job))
                while (news := read_message(stream, News)) is not None:
                    if news.kind in ("ended", "refused", "lost", "away"):
                        return self._ended(news)
                    self._hear(news)
        except TTMatrixError as error:
            # It ended a moment ago: nothing was started.
            return self.end("away", error.title)
        except OSError as error:
            return self.end(CUT, f"{error.strerror}: {error.filename or 'the cluster'}")
        return self.end(CUT, "the cluster's process ended")

    def end(self, kind: str, why: str) -> int:
        """Write down how the run ended that has no exit code."""
        self._write(Place(self._host, kind, why[:_WHY_CHARACTERS]))
        return NO_CODE

    def _job(self) -> Job:
        spec = self._spec
        state = capture(Checkout(spec.cwd)) if self._has_code() else None
        if state is not None:
            (self._directory / CODE).write_text(json.dumps(state.described(), indent=2) + "\n", encoding="utf-8")
        argv, env = portable(spec, self._directory)
        return Job(spec.run_id, argv, env, spec.graces, spec.devices, state, self._inputs())

    def _has_code(self) -> bool:
        """What runs nothing of a checkout needs none."""
        return Checkout(self._spec.cwd).test_config.is_dir()

    def _inputs(self) -> dict[str, bytes]:
        """Files that were laid beside the spec for the run to read."""
        directory = self._directory
        files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
        inputs = {name: path.read_bytes() for name, path in files.items() if name not in _OWN}
        if sum(map(len, inputs.values())) > _MOST_INPUT:
            raise TTMatrixError(f"The files that {self._spec.run_id} reads are too large to be sent")
        return inputs

    def _stop_by_signals(self, stream: SocketIO) -> None:
        """The first one stops the run, in the time that its spec gives; the host sends it the others by itself."""
        asked = threading.Event()

        def stop(*_: object) -> None:
            if not asked.is_set():
                asked.set()
                with suppress(OSError):
                    _send(stream, Request("stop"))

        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, stop)

    def _hear(self, news: News) -> None:
        match news.kind:
            case "log":
                self._log(news.data)
            case "artefact":
                self._store(news)
            case "pulse":
                with suppress(OSError), (self._directory / PULSE).open("ab") as file:
                    file.write(b".")

    def _log(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError as error:
            self._lost_bytes += len(data)
            self._problem = f"{self._lost_bytes:,} bytes of its log are lost here: {error.strerror}"

    def _store(self, news: News) -> None:
        """A part of a file of the run, whose name comes from another machine."""
        name = PurePosixPath(news.name)
        if name.is_absolute() or ".." in name.parts or not name.parts or name.parts[0] in _OWN:
            self._problem = f"its file {news.name!r} was not taken"
            return
        place = self._directory / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            try:
                os.pwrite(descriptor, news.data, news.offset)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._problem = f"its file {news.name} is not whole here: {error.strerror}"

    def _ended(self, news: News) -> int:
        with suppress(OSError):
            (self._directory / PULSE).unlink(missing_ok=True)
        why = "; ".join(filter(None, (news.text, self._problem)))
        if news.kind != "ended" or news.code is None:
            return self.end("refused" if news.kind == "ended" else news.kind, why)
        self._write(Place(self._host, news.kind, why[:_WHY_CHARACTERS]))
        return news.code

    def _write(self, place: Place) -> None:
        text = json.dumps({"version": 1, **plain(place)})
        os.pwrite(self._place, text.encode().ljust(_PLACE_BYTES), 0)


def _send(stream: SocketIO, request: Request) -> None:
    data = message(request)
    while data:
        data = data[stream.write(data) or 0 :]


def _end_by(signum: int) -> None:
    """End by that signal, as the process did; there is nothing in us worth a core file."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)
