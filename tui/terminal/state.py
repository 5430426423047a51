# SPDX-License-Identifier: Apache-2.0
"""What the app does to its terminal, noted on the disk, and how to undo it: for a process that ended without doing so.

Part of every start, so it imports little.
"""

import json
import os
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.settings import paths

GIVE_BACK = (
    "\x18"  # what was cut off in the middle of a sequence ends here
    "\x1b[?2026l"  # frames are shown as they come
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l"  # pastes, sizes and focus are not reported
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # nor is the mouse
    "\x1b[<u"  # keys as they were
    "\x1b[r\x1b[?7h\x1b[0m"  # all of the screen scrolls, lines wrap, no colour
    "\x1b[?1049l\x1b[?25h"  # the screen as it was, with its cursor
)
"""All that Textual's driver switches on, switched off; see xterm's ctlseqs and kitty's keyboard protocol."""

Attributes = list[Any]
"""What termios.tcgetattr returns, with the control characters as numbers."""


def attributes(terminal: int) -> Attributes:
    """How the terminal treats lines and signals now. Raises termios.error where it is gone."""
    *flags, characters = termios.tcgetattr(terminal)
    return [*flags, [one if isinstance(one, int) else one[0] for one in characters]]


def note_terminal(terminal: int) -> None:
    """Note how the terminal is, before anything is done to it."""
    with suppress(OSError, termios.error):
        note, changed = _note(terminal)
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = {"process": _process(os.getpid()), "terminal": changed, "attributes": attributes(terminal)}
        # Worth nothing after a crash of the machine, and half of it is read as none: no need to wait for the disk.
        note.write_text(json.dumps(content), encoding="utf-8")


def forget_terminal(terminal: int) -> None:
    """The terminal was given back."""
    with suppress(OSError):
        _note(terminal)[0].unlink(missing_ok=True)


def put_right() -> None:
    """Give back the terminal that an app took and was killed over. Does nothing where there is none, or none such."""
    terminal = next((stream.fileno() for stream in _streams() if stream.isatty()), None)
    if terminal is None:
        return
    with suppress(OSError, termios.error, ValueError, LookupError, TypeError):
        note, changed = _note(terminal)
        if not note.exists():
            return
        content = json.loads(note.read_text(encoding="utf-8"))
        if _process(content["process"][0]) == content["process"]:
            # The app is still there: stopped, or in front while this runs behind it.
            return
        note.unlink(missing_ok=True)
        if content["terminal"] == changed:
            give_back(terminal, content["attributes"])


def in_browser(environ: Mapping[str, str]) -> bool:
    """Whether a server has started this process to show the app in a browser, as textual-serve says it."""
    return environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def give_back(terminal: int, before: Attributes) -> None:
    """Switch off what the app has switched on, whatever still waits to be written.

    Raises OSError or termios.error where the terminal is gone; never waits for one that takes nothing.
    """
    # Opened anew: not to wait is a property of the opening, and ours we share with the shell.
    own = os.open(os.ttyname(terminal), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        termios.tcflush(own, termios.TCOFLUSH)
        # A shell sets the lines right itself; where it has, they are as somebody wants them now.
        if not attributes(own)[_LOCAL] & termios.ICANON:
            termios.tcsetattr(own, termios.TCSANOW, before)
        os.write(own, GIVE_BACK.encode())
    finally:
        os.close(own)


_LOCAL = 3
"""Of the attributes: the local modes."""


def _streams() -> Iterator[Any]:
    return (stream for stream in (sys.__stdin__, sys.__stderr__, sys.__stdout__) if stream is not None)


def _note(terminal: int) -> tuple[Path, int]:
    """Where a terminal is noted, and since when it is what it is: the next one may get its name."""
    name = os.ttyname(terminal)
    file = f"{os.uname().nodename}{name.replace('/', '-')}.json"
    return paths().state / "terminals" / file, Path(name).stat().st_ctime_ns


def _process(pid: int) -> list[int]:
    """The id of a process and its start, in ticks since the machine's: no other has both. Empty where there is none."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [pid, int(status.rpartition(")")[2].split()[_START_FIELD])]


_START_FIELD = 19
"""Behind the name; proc(5) counts it as the 22nd of all."""
