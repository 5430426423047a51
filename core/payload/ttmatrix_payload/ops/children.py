# SPDX-License-Identifier: Apache-2.0
"""Run cases in child processes: one child per file, all forked from a process that has torch imported.

If a case kills its process or takes too long, that is its result, and the next case gets a new process. The
pytest process does not import torch.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .cases import Case
from .results import CRASH, TIMEOUT, Result, Seconds

_PAYLOAD = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path[:1] = [{!r}]; from ttmatrix_payload.ops.server import main; main({})"
"""The working directory is not on the path: a file there may have the name of a standard library module."""


class ServerProblem(Exception):
    """No case can run: torch or the backend is missing. The text gives the remedy."""


class Settings(NamedTuple):
    """Settings shared by all cases of a session."""

    backend: str
    device: str = ""
    """For a backend that is not bound to a device; empty: the CPU."""
    max_bytes: int = 0
    skip_large: bool = False
    """Whether a case that needs more memory is skipped; otherwise it is an error."""
    timeout: float = 300.0
    """Seconds for one case."""
    replace_devices: bool = True
    modules: tuple[str, ...] = ()
    """Imported before anything runs: they may register backends."""


class Server:
    """The process that forks the children that run cases."""

    def __init__(self, settings: Settings) -> None:
        """Start it and wait until it is ready. Raises ServerProblem."""
        self._settings = settings
        self._child = 0
        self._file: str | None = None
        self._process, self._link = _started()
        # Importing torch from a cold disk is slow; that time does not count for a case.
        self._link.send_bytes(json.dumps(settings._asdict()).encode())
        try:
            self.facts = self._receive(None)
            self._need_child()
        except (EOFError, OSError) as error:
            raise ServerProblem(f"{sys.executable} cannot run ops; see what it printed") from error

    def run(self, case: Case, file: str, root: str) -> Iterator[str | Result]:
        """Run a case of `file`; yields each stage as it begins, then the result. Files it names are below `root`."""
        if self._file != file:
            self._end_child()
            self._file = file
        stage = ""
        while not stage:
            # Retry once if the process died after the last case and before this one began.
            self._need_child()
            self._link.send_bytes(_pickled((case, file, root)))
            stage = self._begun()
        begun = time.monotonic()
        deadline = begun + self._settings.timeout
        while True:
            yield stage
            message = self._receive(deadline)
            if message is None:
                self._kill_child()
                text = f"no result after {self._settings.timeout:g} s; the stage was: {stage}"
                yield Result(TIMEOUT, text, stage)
                return
            if "result" in message:
                result = message["result"]
                yield Result(**{**result, "seconds": Seconds(**result["seconds"])})
                return
            if "ended" in message:
                self._child = 0
                after = f"after {time.monotonic() - begun:.1f} s; the stage was: {stage}"
                yield Result(CRASH, f"the process {how_ended(message['ended'])} {after}", stage)
                return
            stage = message["stage"]

    def close(self) -> None:
        """End all processes."""
        self._kill_child(wait=False)
        self._link.close()
        self._process.kill()
        self._process.wait()

    def _begun(self) -> str:
        """The first stage of the sent case; empty: no process accepted it."""
        while True:
            message = self._receive(None)
            if "ended" in message:
                self._child = 0
            elif "lost" in message:
                return ""
            else:
                return str(message["stage"])

    def _need_child(self) -> None:
        if self._child:
            return
        self._link.send_bytes(b"fork")
        message = self._receive(None)
        if "missing" in message:
            raise ServerProblem(message["missing"])
        if "ended" in message:
            raise ServerProblem(f"the process that was to run ops {how_ended(message['ended'])} as it started")
        self._child = message["pid"]
        self.facts = {**self.facts, **message["facts"]}

    def _end_child(self) -> None:
        if self._child:
            self._link.send_bytes(b"end")
            self._await_end()

    def _kill_child(self, *, wait: bool = True) -> None:
        if self._child:
            with suppress(ProcessLookupError):
                # Including any compilers it has started.
                os.killpg(self._child, signal.SIGKILL)
            if wait:
                self._await_end()

    def _await_end(self) -> None:
        while self._child:
            if "ended" in self._receive(None):
                self._child = 0

    def _receive(self, deadline: float | None) -> Any:
        """The next message; None: there is none until `deadline`, in monotonic seconds."""
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not self._link.poll(left):
            return None
        return json.loads(self._link.recv_bytes())


def how_ended(status: int) -> str:
    """How a process ended, such as `was killed by SIGSEGV`."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _started() -> tuple[subprocess.Popen[bytes], Connection]:
    ours, theirs = socket.socketpair()
    with theirs:
        code = _START.format(str(_PAYLOAD), theirs.fileno())
        process = subprocess.Popen([sys.executable, "-c", code], pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL)
    return process, Connection(ours.detach())


class _Pickler(pickle.Pickler):
    """A pickler that supports read-only mappings, which are defaults in cases."""

    def reducer_override(self, value: Any) -> Any:
        return (_mapping, (dict(value),)) if isinstance(value, MappingProxyType) else NotImplemented


def _mapping(value: dict[str, object]) -> MappingProxyType[str, object]:
    return MappingProxyType(value)


def _pickled(value: Any) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return buffer.getvalue()
