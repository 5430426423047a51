# SPDX-License-Identifier: Apache-2.0
"""Record on disk what the app changes in its terminal, and undo it for a process that ended without doing so.

Every start imports this module, so it imports little.
"""

import json
import os
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.base import files
from core.base.settings import paths

GIVE_BACK = (
    "\x18"  # what was cut off in the middle of a sequence ends here
    "\x1b[?2026l"  # frames are shown as they come
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l"  # pastes, sizes and focus are not reported
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # nor is the mouse
    "\x1b[<u"  # keys as they were
    "\x1b[r\x1b[?7h\x1b[0m"  # all of the screen scrolls, lines wrap, no colour
    "\x1b[?1049l\x1b[?25h"  # the screen as it was, with its cursor
)
"""Switches off everything that Textual's driver switches on; see xterm's ctlseqs and kitty's keyboard protocol."""

Attributes = list[Any]
"""The result of termios.tcgetattr, with the control characters as numbers."""


@dataclass(frozen=True, slots=True)
class _Note:
    """The record of a terminal."""

    process: list[int]
    """Of the app that changed it."""
    terminal: int
    """When the terminal was made: its name may be used again."""
    attributes: Attributes


def attributes(terminal: int) -> Attributes:
    """The line and signal settings of the terminal. Raises termios.error if it is gone."""
    *flags, characters = termios.tcgetattr(terminal)
    return [*flags, [one if isinstance(one, int) else one[0] for one in characters]]


def note_terminal(terminal: int) -> None:
    """Record the state of the terminal before changing it."""
    with suppress(OSError, termios.error):
        note, changed = _note(terminal)
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = _Note(_process(os.getpid()), changed, attributes(terminal))
        # Useless after a crash of the machine, and a partial note is read as none: no need to sync the disk.
        note.write_text(json.dumps(asdict(content)), encoding="utf-8")


def forget_terminal(terminal: int) -> None:
    """Remove the record: the terminal was given back."""
    with suppress(OSError):
        _note(terminal)[0].unlink(missing_ok=True)


def put_right() -> None:
    """Restore a terminal whose app was killed. Does nothing without a terminal or without a record for it."""
    terminal = next((stream.fileno() for stream in _streams() if stream.isatty()), None)
    if terminal is None:
        return
    with suppress(OSError, termios.error, ValueError, LookupError, TypeError):
        note, changed = _note(terminal)
        if not note.exists():
            return
        content = files.decoded(files.read_bytes(note), _Note)
        if _process(content.process[0]) == content.process:
            # The app still exists: stopped, or in the foreground while this runs in the background.
            return
        note.unlink(missing_ok=True)
        if content.terminal == changed:
            give_back(terminal, content.attributes)


def in_browser(environ: Mapping[str, str]) -> bool:
    """Whether a server has started this process to show the app in a browser, by textual-serve's variables."""
    return environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def give_back(terminal: int, before: Attributes) -> None:
    """Switch off everything that the app switched on, discarding pending output.

    Raises OSError or termios.error if the terminal is gone; never waits for a terminal that accepts nothing.
    """
    # Opened again: non-blocking mode belongs to the open file, and ours is shared with the shell.
    own = os.open(os.ttyname(terminal), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        termios.tcflush(own, termios.TCOFLUSH)
        # A shell restores the line settings itself; if it did, they are as somebody wants them now.
        if not attributes(own)[_LOCAL] & termios.ICANON:
            termios.tcsetattr(own, termios.TCSANOW, before)
        os.write(own, GIVE_BACK.encode())
    finally:
        os.close(own)


_LOCAL = 3
"""Index of the local modes in the attributes."""


def _streams() -> Iterator[Any]:
    return (stream for stream in (sys.__stdin__, sys.__stderr__, sys.__stdout__) if stream is not None)


def _note(terminal: int) -> tuple[Path, int]:
    """The file of a terminal's record, and the time of the terminal's creation: its name may be reused."""
    name = os.ttyname(terminal)
    file = f"{os.uname().nodename}{name.replace('/', '-')}.json"
    return paths().state / "terminals" / file, Path(name).stat().st_ctime_ns


def _process(pid: int) -> list[int]:
    """A process's id and start time in ticks since boot, together unique. Empty if the process does not exist."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [pid, int(status.rpartition(")")[2].split()[_START_FIELD])]


_START_FIELD = 19
"""Index after the name; proc(5) counts it as field 22."""
