# SPDX-License-Identifier: Apache-2.0
"""Shims without waiting for an interpreter: a process that has loaded what they need becomes each of them by a fork.

An interpreter that loads a shim takes 0.3 s of a processor, a fork of this one 0.01 s. Started by the worker as
`python -m core.runs.cluster.forks SOCKET`, and ends with it. It has one thread, which a worker has not.
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

from core.errors import TTMatrixError
from core.proc import spawn_detached
from core.runs.cluster.shim import run_one

_LOOKS = 2


class Shim:
    """The process of one run, with the streams of its messages."""

    def __init__(self, process: int, to: int, said: int) -> None:
        """Of descriptors, that of the process (see pidfd_open(2)) first; they are its own from now on."""
        self._process = process
        self.to, self.said = os.fdopen(to, "wb"), os.fdopen(said, "rb")

    def terminate(self) -> None:
        """Ask it to end its run."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGTERM)

    def close(self) -> None:
        """Tell it that nobody listens any more, and wait for its end."""
        with suppress(OSError):
            self.to.close()
        self.said.close()
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        poll.poll()
        os.close(self._process)


class ShimServer:
    """Starts shims; from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._link: socket.socket | None = None

    def start(self) -> None:
        """Have it load what shims need; returns at once. Raises TTMatrixError where that fails."""
        with self._lock:
            self._link = self._link or self._begin()

    def shim(self) -> Shim:
        """A new one. Raises TTMatrixError where there can be none."""
        with self._lock:
            for _ in range(_LOOKS):
                self._link = self._link or self._begin()
                with suppress(OSError):
                    return _asked(self._link)
                # It was killed, for want of memory for instance.
                self._link.close()
                self._link = None
        raise TTMatrixError("Cannot start the process of a run", "The process that starts runs ends at once.")

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            argv = [sys.executable, "-P", "-m", "core.runs.cluster.forks", str(theirs.fileno())]
            spawn_detached(argv, cwd=Path("/"), env=os.environ, passed=[theirs.fileno()]).reap_in_background()
        return ours


def _asked(link: socket.socket) -> Shim:
    """Ask the server for a shim. Raises OSError where it is gone."""
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
    """Until the worker is gone."""
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
        # Its number cannot mean another process yet: we have not collected it.
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
