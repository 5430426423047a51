# SPDX-License-Identifier: Apache-2.0
"""Write only the part of a frame that the terminal does not show yet; scroll lines that only moved up or down.

Widgets report changes coarsely: all of a log when a line arrives, all of a table every second. Over ssh
that is 4 to 18 KB for each line of a log.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from tui.textual_private import ChopsUpdate, CompositorUpdate, LayoutUpdate

_Row = dict[int, Strip]
"""A line of the screen: strips by the column where they begin."""
_Line = Mapping[int, Strip | None]
"""The wanted content of a line; None: unknown, so the current content stays."""
_LEAST_MOVED = 3
"""Minimum number of moved lines: fewer are written as fast as they are scrolled."""


class Shift(NamedTuple):
    """Lines `first` to `last` move up by `rows`, or down if it is negative."""

    first: int
    last: int
    rows: int

    @property
    def sequence(self) -> str:
        """The scrolling sequence, which every terminal since the VT100 supports."""
        edge, step = (self.last, "\n") if self.rows > 0 else (self.first, "\x1bM")
        return f"\x1b[{self.first + 1};{self.last + 1}r{_move_to(0, edge)}{step * abs(self.rows)}\x1b[r"


class Repaint:
    """Tracks what the terminal shows, as long as only we write to it."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def forget(self) -> None:
        """Forget the tracked content: somebody else may have written on the terminal."""
        self._rows = []

    def lean(self, update: ChopsUpdate | LayoutUpdate, size: Size, cuts: Sequence[Sequence[int]]) -> CompositorUpdate:
        """The same update for a screen of that size, with less output.

        `cuts` are, for each line, the columns where its parts begin, and the one after the last part.
        """
        return _LeanUpdate(self, update, size, cuts)

    def in_spans(self, update: ChopsUpdate, size: Size) -> dict[int, _Line]:
        """The lines of which a part must be written, top to bottom.

        Beside its spans an update contains what lies below, such as the table under an unchanged message. There the
        screen keeps its content.
        """
        lines: dict[int, dict[int, Strip | None]] = {}
        for y, first, end in sorted(update.spans):
            if y >= size.height:
                break
            edges = dict(zip(update.chops[y], update.chop_ends[y], strict=False))
            if y not in lines:
                lines[y] = {x: self._shown(x, y, edge - x) for x, edge in edges.items()}
            painted = ((x, update.chops[y][x], edge) for x, edge in edges.items() if x < end and first < edge)
            lines[y].update((x, None if strip is None else _filling(strip, edge - x)) for x, strip, edge in painted)
        return dict(lines)

    def _shown(self, x: int, y: int, length: int) -> Strip | None:
        """The known content of `length` cells; None if unknown."""
        strip = self._rows[y].get(x) if y < len(self._rows) else None
        return strip if strip is not None and strip.cell_length == length else None

    def written(self, changed: Mapping[int, _Line], size: Size, console: Console) -> str:
        """The output that makes the terminal show these lines."""
        if len(self._rows) != size.height:
            self._rows = [{} for _ in range(size.height)]
        shift = self._find_shift(changed, console)
        pieces = [] if shift is None else [self._move(shift)]
        for y, strips in changed.items():
            pieces += [self._write(x, y, strip, console) for x, strip in strips.items() if strip is not None]
        return "".join(pieces)

    def _write(self, x: int, y: int, strip: Strip, console: Console) -> str:
        row = self._rows[y]
        shown = row.get(x)
        if shown is strip or shown == strip:
            return ""
        row[x] = strip
        if shown is not None and shown.cell_length == strip.cell_length:
            return _difference(x, y, shown, strip, console)
        end = x + strip.cell_length
        for other in [at for at, one in row.items() if at != x and at < end and at + one.cell_length > x]:
            del row[other]
        return _move_to(x, y) + strip.render(console)

    # What has only moved

    def _find_shift(self, changed: Mapping[int, _Line], console: Console) -> Shift | None:
        """The shift that puts the most changed lines in place."""
        if len(changed) < _LEAST_MOVED:
            return None
        keys = {y: found for y, strips in changed.items() if (found := _widest(strips)) is not None}
        before: dict[tuple[int, str], int | None] = {}
        for y, (x, _) in keys.items():
            if shown := self._rows[y].get(x):
                place = x, shown.render(console)
                # Content in several places, such as blank lines, does not tell where it moved.
                before[place] = None if place in before else y
        moves = {
            y: was - y
            for y, (x, strip) in keys.items()
            if (was := before.get((x, strip.render(console)))) is not None and was != y
        }
        if len(moves) < _LEAST_MOVED:
            return None
        rows, count = Counter(moves.values()).most_common(1)[0]
        at = [y for y, move in moves.items() if move == rows]
        shift = Shift(min(at) + min(rows, 0), max(at) + max(rows, 0), rows)
        # Whole lines move, so lines that should not move must be known to be rewritten.
        known = all(_complete(changed.get(y)) for y in range(shift.first, shift.last + 1))
        return shift if known and count >= _LEAST_MOVED else None

    def _move(self, shift: Shift) -> str:
        first, end, rows = shift.first, shift.last + 1, shift.rows
        lines = self._rows[first:end]
        blank: list[_Row] = [{} for _ in range(abs(rows))]
        self._rows[first:end] = lines[rows:] + blank if rows > 0 else blank + lines[:rows]
        return shift.sequence


class _LeanUpdate(CompositorUpdate):
    """Replaces Textual's own update; it counts only if it is written: batches and exits drop updates."""

    def __init__(
        self, repaint: Repaint, update: ChopsUpdate | LayoutUpdate, size: Size, cuts: Sequence[Sequence[int]]
    ) -> None:
        self._repaint = repaint
        self._cuts = cuts
        self._update = update
        self._size = size

    def render_segments(self, console: Console) -> str:
        update, size = self._update, self._size
        if isinstance(update, LayoutUpdate):
            whole = zip(update.strips[: size.height], self._cuts, strict=False)
            lines: dict[int, _Line] = {y: _placed(line, cuts) for y, (line, cuts) in enumerate(whole)}
        else:
            lines = self._repaint.in_spans(update, size)
        return self._repaint.written(lines, size, console)


def _placed(strips: Iterable[Strip], cuts: Sequence[int]) -> _Row:
    """Strips by their columns."""
    return {x: _filling(strip, end - x) for strip, (x, end) in zip(strips, pairwise(cuts), strict=False)}


def _filling(strip: Strip, length: int) -> Strip:
    """A strip that covers its place.

    A widget that became wider and does not know it yet paints too little. The part to the right would move
    left, and the last column would keep its old content.
    """
    return strip if strip.cell_length >= length else strip.adjust_cell_length(length)


def _widest(strips: _Line) -> tuple[int, Strip] | None:
    there = [(x, strip) for x, strip in strips.items() if strip is not None]
    return max(there, key=lambda one: one[1].cell_length) if there else None


def _complete(strips: _Line | None) -> bool:
    return strips is not None and bool(strips) and None not in strips.values()


def _difference(x: int, y: int, shown: Strip, strip: Strip, console: Console) -> str:
    """The output that turns one strip into another of the same length: only the segments that differ."""
    there = dict(_places(x, shown))
    pieces: list[str] = []
    end = -1
    for at, segment in _places(x, strip):
        if there.get(at) == segment:
            continue
        if at != end:
            pieces.append(_move_to(at, y))
        pieces.append(Strip([segment]).render(console))
        end = at + cell_len(segment.text)
    return "".join(pieces)


def _places(x: int, strip: Strip) -> Iterator[tuple[int, Segment]]:
    """The segments of a strip with their columns."""
    for segment in strip:
        yield x, segment
        x += cell_len(segment.text)


def _move_to(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"
