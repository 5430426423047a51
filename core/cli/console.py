# SPDX-License-Identifier: Apache-2.0
"""Standard output and standard error of the headless commands: one JSON document, or lines of text."""

import io
import math
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TextIO, cast

from core.base.errors import TTMatrixError
from core.base.text import elide_middle, json_text, one_line, printable
from core.cli import records

_STATUS_COLOURS = {
    "EXPECTED_PASSING": "32",
    "KNOWN_FAILURE_XFAIL": "33",
    "NOT_SUPPORTED_SKIP": "36",
    "EXCLUDE_MODEL": "35",
    "UNSPECIFIED": "2",
}

_GAP = "  "
_CUT = "Cut to fit the terminal; a pipe, a file and --json get everything."
_LEAST = 6
"""Minimum width of a narrowed column; a terminal with less room wraps the lines."""
_IDS = ("id", "test")
"""Headings of the columns that identify a row."""
_WHOLE = ("run",)
"""Headings of columns that are useless when cut."""
_SHARE_OF_IDS = 0.55
"""The largest share of a terminal that id columns may take from the others."""


class _Terminal(io.TextIOBase):
    """The door to a terminal: no control character gets past it, whatever is written."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(printable(text))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.stream.fileno()


def _shown(stream: TextIO) -> TextIO:
    return cast(TextIO, _Terminal(stream)) if stream.isatty() else stream


@dataclass(frozen=True, slots=True)
class Console:
    """Where a command writes. `json` means that standard output carries one JSON document and nothing else.

    What is written to a terminal is made printable; colours and the bell go past that door.
    """

    json: bool = False
    colour: bool = False
    out: TextIO = field(default_factory=lambda: _shown(sys.stdout))
    err: TextIO = field(default_factory=lambda: sys.stderr)

    def line(self, text: str = "") -> None:
        """One or more lines for a person; text from outside must have passed `printable` or `one_line`."""
        print(text, file=self.out)

    def prose(self, *texts: str) -> None:
        """Like `line`, for sentences: on a terminal they are wrapped to its width, and later lines are indented.

        A word longer than a line, such as an id, is cut in the middle.
        """
        width = _columns(self.out)
        fitted = [_with_short_words(text, width) if width else text for text in texts]
        for text in fitted:
            self.line(_wrapped(text, self.out))
        if fitted != [*texts]:
            self.note(_CUT)

    def document(self, value: object) -> None:
        """The JSON document."""

        try:
            whole = json_text(value)
        except ValueError:
            # YAML allows numbers that JSON does not: .inf and .nan.
            whole = json_text(_with_words(value))
        print(whole, file=self.out)

    def note(self, text: str) -> None:
        """A message beside the result; on a terminal in lines of its width."""
        print(_wrapped(printable(text), self.err), file=self.err)

    def notify(self, how: str, text: str) -> None:
        """Ring the bell or send a desktop notification, as the setting `notify` says."""
        if how != "off" and self.err.isatty():
            print(f"\x1b]9;{one_line(text)}\a" if how == "osc9" else "\a", end="", file=self.err, flush=True)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Aligned columns. Cells are made safe and coloured by status; on a terminal they are cut to its width."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        wanted = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
        columns = _columns(self.out)
        widths = _fitted(wanted, header, columns) if columns else wanted
        lines: list[str] = []
        for number, row in enumerate([list(header), *cells]):
            shown = row if widths == wanted else [*map(elide_middle, row[:-1], widths), _cut(row[-1], widths[-1])]
            shown = [*map(str.ljust, shown[:-1], widths), shown[-1]]
            coloured = map(self._coloured, row, shown) if number and self.colour else shown
            lines.append(_GAP.join(coloured).rstrip() + "\n")
        # Each cell is one safe line, and some have our colours around them.
        getattr(self.out, "stream", self.out).write("".join(lines))
        if widths != wanted and cells:
            self.note(_CUT)

    def _coloured(self, cell: str, shown: str) -> str:
        colour = _STATUS_COLOURS.get(cell)
        return f"\x1b[{colour}m{shown}\x1b[0m" if colour else shown

    def error(self, error: TTMatrixError) -> None:
        """Print what went wrong; with `json` also as the document."""
        if self.json:
            document = records.Error(title=error.title, detail=error.detail, hint=error.hint)
            # It may be the output that fails.
            with suppress(OSError):
                self.document(records.Failed(error=document))
                self.out.flush()
        # The exit code says as much.
        with suppress(OSError):
            print(_wrapped(f"ttmatrix: {printable(str(error))}", self.err), file=self.err, flush=True)


def _fitted(wanted: Sequence[int], header: Sequence[str], columns: int) -> list[int]:
    """The widths of a table within `columns` cells: the widest columns shrink first, id columns last, some never."""
    room = columns - len(_GAP) * (len(wanted) - 1)
    others = sum(width for name, width in zip(header, wanted, strict=True) if name not in _IDS)
    ids = max(room - others, int(room * _SHARE_OF_IDS))
    fitted = [min(width, ids) if name in _IDS else width for name, width in zip(header, wanted, strict=True)]
    yielding = [at for at, name in enumerate(header) if name not in (*_IDS, *_WHOLE)]
    while (over := sum(fitted) - room) > 0:
        widest = max((fitted[at] for at in yielding), default=0)
        if widest <= _LEAST:
            break
        # Shrink all widest columns by one cell, or as many of them as needed.
        for at in [at for at in yielding if fitted[at] == widest][:over]:
            fitted[at] -= 1
    # Once all others have their minimum width, id columns shrink after all.
    for at in [at for at, name in enumerate(header) if name in _IDS]:
        fitted[at] -= max(0, min(sum(fitted) - room, fitted[at] - _LEAST))
    return fitted


def _columns(stream: TextIO) -> int:
    """The width of a terminal, preferring COLUMNS; 0 if `stream` is no terminal or its width is unknown."""
    if not stream.isatty():
        return 0
    given = os.environ.get("COLUMNS", "")
    return (int(given) if given.isdecimal() else 0) or os.get_terminal_size(stream.fileno()).columns


def _wrapped(text: str, stream: TextIO) -> str:
    """The text with lines that are too long for the terminal wrapped and their continuations indented further."""
    width = _columns(stream)
    if not width:
        return text
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        below = f"{indent}  " if len(indent) < width // 2 else ""
        if len(line) <= width:
            lines.append(line)
            continue
        lines += textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def _with_short_words(text: str, width: int) -> str:
    """`text` with each word that is longer than a line cut to the line's width."""
    room = max(width - len(text) + len(text.lstrip()) - len(_GAP), _LEAST)
    return re.sub(r"\S+", lambda word: elide_middle(word[0], room), text)


def _cut(text: str, width: int) -> str:
    """Cut a text at its end: the beginning says most."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _with_words(value: object) -> object:
    """`value` with text instead of each infinite number and NaN."""
    if form := getattr(value, "__json__", None):
        value = form()
    if isinstance(value, Mapping):
        return {key: _with_words(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_words(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def wants_colour(stream: TextIO) -> bool:
    """Whether colour is welcome on `stream`: a terminal, and no NO_COLOR (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")
