# SPDX-License-Identifier: Apache-2.0
"""A real terminal around a real process: a pty whose other end emulates the screen."""

import contextlib
import fcntl
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

import pyte

from tests.support.warm_app import WarmProcess

_NAMES = {
    "enter": "\r",
    "esc": "\x1b",
    "space": " ",
    "down": "\x1b[B",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "ctrl+u": "\x15",
    "ctrl+s": "\x13",
}
_PRIVATE = re.compile(rb"\x1b\[[<>=?][0-9;]*\$?[a-zA-Z]|\x1b\[[0-9;?]*\$p")
_MODE = re.compile(rb"\x1b\[\?(\d+)([hl])")
_BEGUN = re.compile(rb"\x1b(?:\[[0-9;<>=?$]*)?\Z")
_OUT_OF_THE_BOX = frozenset({7, 25})
"""Modes that a terminal has on by default: it wraps lines and shows its cursor."""


class Terminal:
    """Runs `argv` on a terminal of `columns` x `rows` cells."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        columns: int = 80,
        rows: int = 24,
        *,
        controlling: bool = False,
        warm: bool = False,
    ) -> None:
        """`controlling`: the kernel reports its end, and keys such as ^C if the program leaves them to it.

        `warm`: our own interpreter is forked with the app's modules loaded, see `tests.support.warm_app`.
        """
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.slave = slave
        self._env = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}
        self._controlling, self._warm = controlling, warm
        self.output = bytearray()
        """Everything that the programs wrote."""
        self._begun = b""
        """The start of an incomplete sequence."""
        self.start(argv)

    def start(self, argv: Sequence[str]) -> None:
        """Run another program on this terminal, as a shell would, after the previous one has ended."""
        self.process: subprocess.Popen[bytes] | WarmProcess
        if self._warm and argv[0] == sys.executable:
            self.process = WarmProcess(argv[1:], self._env, self.slave, controlling=self._controlling)
            return
        self.process = subprocess.Popen(
            argv,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env=self._env,
            preexec_fn=_take_control if self._controlling else _as_from_a_shell,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)
        self.hang_up()

    def hang_up(self) -> None:
        """Close the terminal like a broken connection. It is no controlling terminal, so no signal is sent."""
        if self._master >= 0:
            os.close(self.slave)
            os.close(self._master)
            self._master = -1

    @property
    def lines_edited(self) -> bool:
        """Whether the terminal itself edits and echoes lines, as for a shell's commands."""
        flags = termios.tcgetattr(self.slave)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO and flags & termios.ISIG)

    @property
    def modes(self) -> set[int]:
        """Private modes that differ from the initial state: the alternate screen, mouse reports, and others."""
        switched = {int(mode): switch == b"h" for mode, switch in _MODE.findall(self.output)}
        return {mode for mode, on in switched.items() if on != (mode in _OUT_OF_THE_BOX)}

    @property
    def given_back(self) -> bool:
        """Whether the terminal is in the state in which a shell left it."""
        key_modes = self.output.count(b"\x1b[>") - self.output.count(b"\x1b[<u")
        return self.lines_edited and not self.modes and not key_modes

    def press(self, *keys: str) -> None:
        """Type texts or named keys."""
        for key in keys:
            os.write(self._master, _NAMES.get(key, key).encode())
            self.read(0.05)

    def read(self, seconds: float, most: float = math.inf) -> None:
        """Read output until there was none for `seconds`, or for at most `most` seconds."""
        deadline = time.monotonic() + most
        while time.monotonic() < deadline and select.select([self._master], [], [], seconds)[0]:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.output += data
            # Reads end at arbitrary places, and half a private sequence would be taken for text.
            data = self._begun + data
            begun = _BEGUN.search(data)
            self._begun = begun[0] if begun else b""
            self._stream.feed(_PRIVATE.sub(b"", data.removesuffix(self._begun)))

    def read_for(self, seconds: float) -> None:
        """Read output for that long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._master], [], [], left)[0]:
                self.read(0)

    def wait(self, seconds: float = 60.0) -> int:
        """The exit code of the program, after reading its remaining output."""
        self.until(lambda: self.process.poll() is not None, seconds)
        self.read(0.2)
        return self.process.wait()

    @property
    def text(self) -> str:
        """The text on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, wanted: str | Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until the screen shows a text, or a condition holds; otherwise fail with the screen."""
        deadline = time.monotonic() + seconds
        while not (wanted in self.text if isinstance(wanted, str) else wanted()):
            assert time.monotonic() < deadline, f"never happened: {wanted}\n{self.text}"
            # Output that never pauses may show the expected text only for a moment.
            self.read(0.1, most=1.0)


def _as_from_a_shell() -> None:
    # Processes in the background or under nohup ignore these signals, and would pass that on.
    for signum in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(signum, signal.SIG_DFL)


def _take_control() -> None:
    _as_from_a_shell()
    # Another program may still have it open.
    with contextlib.suppress(PermissionError):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
