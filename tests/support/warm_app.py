# SPDX-License-Identifier: Apache-2.0
"""The app as a process of its own, forked from one with its modules loaded: half of what a start takes.

It has a terminal, a session, signals and an end like any other process. Tests of the start itself, and one of each
kind of whole use, start the command instead.
"""

import array
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_SERVER = Path(__file__).with_name("app_server.py")
_ROOT = Path(__file__).parents[2]
_MOST_BYTES = 64


class WarmProcess:
    """What tests need of `subprocess.Popen`."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], terminal: int, *, controlling: bool) -> None:
        """`argv` is that of a Python, without its name: `-m` or `-c` and what follows."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        job = {"argv": list(argv), "environ": dict(env), "cwd": str(Path.cwd()), "controlling": controlling}
        with theirs:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [terminal, theirs.fileno()]))
            _server().sendmsg([json.dumps(job).encode()], [rights])
        self._answers = ours
        self.pid = int(ours.recv(_MOST_BYTES))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, minus the signal's number if one ended it; raises TimeoutError."""
        if self.returncode is None:
            self._answers.settimeout(timeout)
            self.returncode = int(self._answers.recv(_MOST_BYTES))
            self._answers.close()
        return self.returncode

    def poll(self) -> int | None:
        """The exit code if it has ended."""
        try:
            return self.wait(0)
        except BlockingIOError:
            return None

    def send_signal(self, signum: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signum)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it with no warning."""
        self.send_signal(signal.SIGKILL)


@functools.cache
def _server() -> socket.socket:
    """The one server of this process; it ends when this process does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.run(
            [sys.executable, "-P", str(_SERVER), str(theirs.fileno())],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            stdin=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            check=True,
        )
    return ours
