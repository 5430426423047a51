# SPDX-License-Identifier: Apache-2.0
"""Start shims by forking a process that has loaded their modules, without starting an interpreter for each.

An interpreter that loads a shim takes 0.3 s of a processor, a fork of this one 0.01 s. Started by the worker as `python
-m core.runs.cluster.forks SOCKET`, and ends with it. It has a single thread, as forking requires; a worker has several.
"""

import gc
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from core.base.errors import TTMatrixError
from core.base.processes import spawn_detached
from core.runs.cluster.shim import run_one

_LOOKS = 2


class Shim:
    """The process of one run, with the streams of its messages."""

    def __init__(self, process: int, to: int, said: int) -> None:
        """Takes over three descriptors: that of the process (see pidfd_open(2)) and those of its two streams."""
        self._process = process
        self.to, self.said = os.fdopen(to, "wb"), os.fdopen(said, "rb")

    def terminate(self) -> None:
        """Ask it to end its run."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGTERM)

    def close(self) -> None:
        """Close its input, which tells it that nobody listens any more, and wait for its end."""
        with suppress(OSError):
            self.to.close()
        self.said.close()
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        poll.poll()
        os.close(self._process)


class ShimServer:
    """Starts shims; can be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._link: socket.socket | None = None

    def start(self) -> None:
        """Start loading the modules that shims need; returns at once. Raises TTMatrixError if that fails."""
        with self._lock:
            self._link = self._link or self._begin()

    def shim(self) -> Shim:
        """Start a shim. Raises TTMatrixError if that fails."""
        with self._lock:
            for _ in range(_LOOKS):
                self._link = self._link or self._begin()
                with suppress(OSError):
                    return _asked(self._link)
                # The server was killed, for example because memory ran out.
                self._link.close()
                self._link = None
        raise TTMatrixError("Cannot start the process of a run", "The process that starts runs exits immediately.")

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            argv = [sys.executable, "-P", "-m", "core.runs.cluster.forks", str(theirs.fileno())]
            spawn_detached(argv, cwd=Path("/"), env=os.environ, passed=[theirs.fileno()]).reap_in_background()
        return ours


def _asked(link: socket.socket) -> Shim:
    """Ask the server for a shim. Raises OSError if the server is gone."""
    (its_input, to), (said, its_output) = os.pipe(), os.pipe()
    try:
        socket.send_fds(link, [b"."], [its_input, its_output])
        answer, found, _, _ = socket.recv_fds(link, 1, 1)
        if not answer or not found:
            raise ConnectionError("the server is gone")
    except OSError:
        os.close(to)
        os.close(said)
        raise
    finally:
        os.close(its_input)
        os.close(its_output)
    return Shim(found[0], to, said)


def _serve(link: socket.socket) -> None:
    """Serve requests until the worker is gone."""
    while True:
        asked, streams, _, _ = socket.recv_fds(link, 1, 2)
        if not asked:
            return
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        pid = os.fork()
        if pid == 0:
            link.close()
            _become_shim(streams)
        for one in streams:
            os.close(one)
        # Its pid cannot be reused yet, because the child has not been reaped.
        process = os.pidfd_open(pid)
        socket.send_fds(link, [b"."], [process])
        os.close(process)


def _become_shim(streams: Sequence[int]) -> NoReturn:
    try:
        os.setsid()
        for place, one in enumerate(streams):
            os.dup2(one, place)
            os.close(one)
        run_one()
    finally:
        os._exit(1)


if __name__ == "__main__":
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as to_worker:
        _serve(to_worker)
