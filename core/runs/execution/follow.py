# SPDX-License-Identifier: Apache-2.0
"""The child of a supervisor whose run is on another machine: it represents that run on this one.

Its output is the log, it ends like the run, and an interrupt stops the run. So everything for local runs (time limits,
stopping, a killed scheduler) works in the same way. It is forked and imports nothing.
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

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded, plain, read_bytes
from core.runs.cluster import Cluster, Job, News, Request, capture, message, portable, read_message
from core.runs.spec import RunSpec
from core.runs.store import ARRIVALS, EVENTS, EXIT, LOG, PROVENANCE, SPEC
from core.sources import Checkout

PLACE = "place.json"
"""Where a run is executed, and how that ended."""
CODE = "code.json"
"""The state of the code that it ran there."""
PULSE = "pulse"
"""A file that grows while the run works without output."""
CUT = "cut"
"""The end of a run whose cluster ended: no host is to blame. An addition to the kinds of a last message (`News`)."""
NO_CODE = 75
"""Exit code of the follower if the run's process has none: `PLACE` has the reason."""
_PLACE_BYTES = 4096
_WHY_CHARACTERS = 1000
_MOST_INPUT = 64 * 2**20
_OWN = frozenset({SPEC, EVENTS, EXIT, LOG, ARRIVALS, PROVENANCE, PLACE, CODE, PULSE})


@dataclass(frozen=True, slots=True)
class Place:
    """The host of a run, and how it ended there."""

    host: str
    end: str = ""
    """The kind of the last message (see `core.runs.cluster.News`), or `CUT`; empty: none yet."""
    why: str = ""


def read_place(directory: Path) -> Place | None:
    """Where the run in `directory` is or was executed; None: on this machine."""
    try:
        return decoded(read_bytes(directory / PLACE), Place)
    except (OSError, Malformed):
        return None


def put_aside(directory: Path, attempt: int) -> None:
    """Prepare for another attempt: move the files of the last one to where they are not taken for results."""
    aside = directory / f"attempt-{attempt}"
    aside.mkdir(exist_ok=True)
    for path in list(directory.iterdir()):
        if path.name not in (SPEC, EVENTS, PROVENANCE) and path != aside and not path.name.startswith("attempt-"):
            path.rename(aside / path.name)


def follow(spec: RunSpec, directory: Path, host: str) -> NoReturn:
    """Run `spec` on `host`, forward it until it is over, and end in the same way."""
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
        # Reserve space now: the end of a run must be recorded even if the run filled the disk.
        self._place = os.open(directory / PLACE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._write(Place(host))
        self._lost_bytes = 0
        self._problem = ""

    def follow(self) -> int:
        """Follow the run; returns its exit code, minus the signal's number if a signal ended it, or NO_CODE."""
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
            # The cluster ended a moment ago: nothing was started.
            return self.end("away", error.title)
        except OSError as error:
            return self.end(CUT, f"{error.strerror}: {error.filename or 'the cluster'}")
        return self.end(CUT, "the cluster's process ended")

    def end(self, kind: str, why: str) -> int:
        """Record the end of a run without an exit code."""
        self._write(Place(self._host, kind, why[:_WHY_CHARACTERS]))
        return NO_CODE

    def _job(self) -> Job:
        spec = self._spec
        state = capture(Checkout(spec.cwd)) if self._has_code() else None
        if state is not None:
            (self._directory / CODE).write_text(json.dumps(plain(state.described()), indent=2) + "\n", encoding="utf-8")
        argv, env, paths = portable(spec, self._directory)
        return Job(spec.run_id, argv, env, spec.graces, spec.devices, state, self._inputs(), paths)

    def _has_code(self) -> bool:
        """Whether the run needs the code of the checkout."""
        return Checkout(self._spec.cwd).test_config.is_dir()

    def _inputs(self) -> dict[str, bytes]:
        """Files beside the spec that the run reads."""
        directory = self._directory
        files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
        inputs = {name: read_bytes(path, None) for name, path in files.items() if name not in _OWN}
        if sum(map(len, inputs.values())) > _MOST_INPUT:
            raise TTMatrixError(f"The files that {self._spec.run_id} reads are too large to be sent")
        return inputs

    def _stop_by_signals(self, stream: SocketIO) -> None:
        """Stop the run on the first signal, within the graces of its spec; the host sends the later signals itself."""
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
        """Store a part of a file of the run; its name comes from another machine and is not trusted."""
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
    """End by that signal, as the run's process did, without writing a core file."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)
