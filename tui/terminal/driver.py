# SPDX-License-Identifier: Apache-2.0
"""The terminal under the app: taken for the screens, lent to an editor, and given back however the app ends."""

import asyncio
import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.scrollbar import ScrollBar

from tui.terminal.ascii import WholeCells, ascii_only
from tui.terminal.state import attributes, forget_terminal, give_back, note_terminal
from tui.textual_private import driver_of, stop_pixel_mouse

ENDING = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGINT,
    signal.SIGABRT,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
)
"""Signals that end a process, by a person, a shell, a limit or a machine shutting down: all that can be handled."""
_KEYS = (signal.SIGINT, signal.SIGQUIT)
"""Signals that keys send to all processes of a terminal: while an editor has it, they are meant for the editor."""
_GRACE_SECONDS = 5.0
"""Seconds that the app may take to end by itself, so that writes in progress finish."""
_RETRY_SECONDS = 0.05


class EndAsked(Message):
    """A signal asks the process to end."""

    def __init__(self, signum: int) -> None:
        super().__init__()
        self.signum = signum


class TerminalDriver(LinuxDriver):
    """Textual's driver, which records what it changes, supports job control, and lends the terminal."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._taken = False
        self.original: list[Any] | None = None
        """The state of the terminal before the app."""
        self.lent = False
        """Whether another program has the terminal, or is about to get it."""
        self.borrower: int | None = None
        """The process id of that program, once it runs."""
        self._handle_stop()

    def _handle_stop(self) -> None:
        # Handled by the loop, unlike the stock handlers: these interrupt the program anywhere, also while it holds
        # the output lock, for which they would wait.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self.stop)
        loop.add_signal_handler(signal.SIGCONT, self._continued)

    def _leave_stop(self) -> None:
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTSTP, signal.SIGCONT):
            loop.remove_signal_handler(signum)

    def start_application_mode(self) -> None:
        """Take the terminal, once we are in the foreground."""
        _wait_for_front(self.fileno)
        if not self._taken:
            with suppress(termios.error):
                self.original = attributes(self.fileno)
            note_terminal(self.fileno)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._taken = True

    def close(self) -> None:
        """Give the terminal back: all output has been written."""
        super().close()
        if self._taken:
            self._taken = False
            if stop_pixel_mouse(self):
                # The stock driver switches off all mouse modes except this one.
                with suppress(OSError):
                    os.write(self.fileno, b"\x1b[?1016l")
            forget_terminal(self.fileno)

    def give_back_now(self) -> None:
        """Give the terminal back from any thread, whatever state app and terminal are in."""
        if self.original is not None and (self._taken or self.lent):
            # If it accepts nothing now, the note remains for the next start.
            with suppress(OSError, termios.error):
                give_back(self.fileno, self.original)
                forget_terminal(self.fileno)

    def stop(self, *, job: bool = False) -> None:
        """Stop until the shell continues us; with `job` also stop the processes started along with us, such as make."""
        if not self._taken:
            return
        self.suspend_application_mode()
        self._leave_stop()
        # The default action of the signal, not SIGSTOP: without a shell that could continue us, the kernel ignores it.
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0 if job else os.getpid(), signal.SIGTSTP)
        self._handle_stop()
        self._take_again()

    def _continued(self) -> None:
        """Somebody stopped us without notice: the shell has used the terminal since."""
        if self._taken:
            self.suspend_application_mode()
            self._take_again()

    def _take_again(self) -> None:
        self.start_application_mode()
        self.send_message(self.SignalResume())

    @contextmanager
    def no_automatic_restart(self) -> Iterator[None]:
        """While the terminal is lent, its signals are for the borrower; afterwards handling is restored."""
        self._leave_stop()
        self.lent = True
        try:
            with super().no_automatic_restart():
                yield
        finally:
            self.lent = False
            self.borrower = None
            if self.original is not None:
                with suppress(termios.error):
                    termios.tcsetattr(self.fileno, termios.TCSANOW, self.original)
            self._handle_stop()


class AsciiDriver(TerminalDriver):
    """Sends only ASCII."""

    def start_application_mode(self) -> None:
        ScrollBar.renderer = WholeCells
        super().start_application_mode()

    def write(self, data: str) -> None:
        super().write(ascii_only(data))


def lend_terminal(app: App[Any], borrower: int) -> None:
    """Lend the terminal of `app` to a process, by its id, until it ends: signals that would end us go to it first."""
    driver = driver_of(app)
    if isinstance(driver, TerminalDriver):
        driver.borrower = borrower


def stop_as_job(app: App[Any]) -> None:
    """Stop, together with processes started along with us, until the shell continues us."""
    driver = driver_of(app)
    if isinstance(driver, TerminalDriver):
        driver.stop(job=True)


def _wait_for_front(terminal: int) -> None:
    """Changing the terminal while in the background stops us until we are in the foreground: termios(3), TOSTOP."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    try:
        with suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSANOW, termios.tcgetattr(terminal))
    finally:
        signal.signal(signal.SIGTTOU, before)


class Ending:
    """Ends `app` when a signal asks for it or the terminal is gone: gently at first, then by force.

    A hangup signal only reaches processes with that controlling terminal that do not ignore it.
    Without this class the app would read end-of-file from its input forever. Decisions are already on the disk then.
    """

    def __init__(self, app: App[Any]) -> None:
        self.app = app
        self._reading, self._writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def run(self) -> None:
        """Run the app to its end, in the main thread."""
        self._watch()
        try:
            self.app.run()
        finally:
            # Not needed after an error of the app itself, which gives it back, but in all other cases.
            self.give_back()

    def _watch(self) -> None:
        for signum in ENDING:
            if signal.getsignal(signum) is not signal.SIG_IGN:
                signal.signal(signum, self._asked)
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def _asked(self, signum: int, frame: FrameType | None) -> None:
        # Decide here: by the time the thread looks, the editor may have ended. Signals can interrupt anything, so
        # the handler only sends a byte.
        if self._meant_for_borrower(signum):
            return
        with suppress(BlockingIOError):
            os.write(self._writing, bytes([signum]))

    def _wait(self) -> None:
        events = select.poll()
        events.register(self._reading, select.POLLIN)
        terminal = sys.__stdin__
        if terminal is not None and terminal.isatty():
            # Only for POLLHUP, which is always reported.
            events.register(terminal.fileno(), 0)
        while True:
            gone = any(descriptor != self._reading for descriptor, _ in events.poll())
            if gone:
                os._exit(128 + signal.SIGHUP)
            self._end(os.read(self._reading, 1)[0], events)

    @property
    def _driver(self) -> Driver | None:
        return driver_of(self.app)

    def _meant_for_borrower(self, signum: int) -> bool:
        driver = self._driver
        if not isinstance(driver, TerminalDriver) or not driver.lent:
            return False
        if signum in _KEYS:
            return True
        if driver.borrower is not None:
            # The borrower has something to save; we end after it.
            with suppress(ProcessLookupError):
                os.kill(driver.borrower, signum)
        return False

    def _end(self, signum: int, events: select.poll) -> None:
        """Wait for the app to end, with a time limit that a second signal cuts short."""
        deadline = time.monotonic() + _GRACE_SECONDS
        delivered = False
        while (left := deadline - time.monotonic()) > 0:
            # The app takes no messages before its loop runs.
            delivered = delivered or self.app.post_message(EndAsked(signum))
            if events.poll(1000 * (left if delivered else _RETRY_SECONDS)):
                break
        self.give_back()
        os._exit(128 + signum)

    def give_back(self) -> None:
        """Give the terminal back if the app has not done so."""
        driver = self._driver
        if isinstance(driver, TerminalDriver):
            driver.give_back_now()
