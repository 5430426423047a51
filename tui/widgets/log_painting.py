# SPDX-License-Identifier: Apache-2.0
"""The painting of log lines: cut or wrapped, with gutter and time of arrival, each painted once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from core.base.errors import UsageError
from core.matrix.query import TooLong, time_limit
from core.runs.log import PLAIN, Colour, LogLook, Look, Pattern, SignKind, coloured_line, sign_of
from tui.view_models import clock_text

GUTTER = 2
"""Cells before each line."""

_CACHED_LINES = 300
_TIME_CELLS = 9
_TOO_LONG = UsageError(
    "This expression takes too long", "It backtracks too much on a visible line", "Write a simpler one."
)

_CONSOLE = Console(color_system="truecolor")
"""Nothing is printed on it."""
PaintLine = Callable[[str, Callable[[str], Style], Pattern | None], list[Segment]]
"""Makes the pieces of a line, its gutter first, from its text, our styles by name, and what is searched for."""
_MARKS = {SignKind.ERROR: "✗", SignKind.PHASE: "▶", SignKind.STAGE: "◆"}
_STYLES = {SignKind.ERROR: "error", SignKind.PHASE: "heading", SignKind.STAGE: "hunk"}


def log_style(line: str) -> str:
    """The name of the style of one line, safe to show, of a run's log."""
    return _style_and_mark(line)[0]


def log_segments(line: str, styles: Callable[[str], Style], search: Pattern | None) -> list[Segment]:
    """One line as it was written, safe to show, after its gutter; `styles` gives our styles by name."""
    spans = coloured_line(line)
    plain = "".join(span for span, _ in spans)
    name, mark = _style_and_mark(plain)
    base = styles(name)
    segments = [Segment(span, base if look == PLAIN else _over(base, look)) for span, look in spans]
    hits = search.spans(plain) if search is not None and not search.out else ()
    if hits:
        segments = with_hits(segments, hits, styles("hit"))
    return [Segment(mark.ljust(GUTTER), base), *segments]


def _style_and_mark(line: str) -> tuple[str, str]:
    sign = sign_of(line)
    if sign is not None:
        return _STYLES[sign.kind], _MARKS[sign.kind]
    return "dim" if line.startswith(("  File ", "TTMATRIX-RESULT")) else "", " "


def with_hits(segments: Sequence[Segment], hits: Sequence[tuple[int, int]], style: Style) -> list[Segment]:
    """The pieces of a line, those between the characters of `hits` in `style`."""
    text = Text(end="")
    for segment in segments:
        text.append(segment.text, segment.style)
    for start, end in hits:
        text.stylize(style, start, end)
    return list(text.render(_CONSOLE))


@lru_cache(1024)
def _over(base: Style, look: Look) -> Style:
    # What is not set must stay None, so that the line's own style shows.
    return base + Style(
        bold=look.bold or None,
        dim=look.dim or None,
        italic=look.italic or None,
        underline=look.underline or None,
        reverse=look.reverse or None,
        color=_colour(look.colour),
        bgcolor=_colour(look.background),
    )


def _colour(colour: Colour) -> Color | None:
    if colour is None:
        return None
    return Color.from_ansi(colour) if isinstance(colour, int) else Color.from_rgb(*colour)


class LogPainter:
    """Paints the rows of a LogLook, and knows how many lines of the screen each takes.

    `prepare` must have been called for the look and the size before anything else.
    """

    def __init__(
        self,
        style_named: Callable[[str], Style],
        give_up: Callable[[UsageError], object],
        paint: PaintLine | None = None,
    ) -> None:
        """`style_named` gives a style by its name; `give_up` is called with the error of a search that takes too long.

        It is called while lines are painted, so it must not change what is shown at once. `paint` makes the pieces of a
        line, `log_segments` where it is None.
        """
        self._paint_line = paint or log_segments
        self.wraps = False
        self.timed = False
        """Whether each line has the time of its arrival before it."""
        self._style_named = style_named
        self._give_up = give_up
        self._look: LogLook | None = None
        self._height = 0
        self._painted_for: tuple[Pattern | None, bool, int, int] = (None, False, 0, 0)
        """The search, whether lines wrap, the first cell and the width for which lines were painted."""
        self._strips: dict[tuple[str, bool], list[Strip]] = {}
        self._fit: tuple[object, tuple[int, int]] = ((), (0, 0))

    def forget(self) -> None:
        """Paint every line again: styles have changed."""
        self._strips.clear()

    def prepare(self, look: LogLook, width: int, height: int, side: int) -> None:
        """Paint `look` in `width` cells from cell `side` on, for a view of `height` lines."""
        self._look, self._height = look, height
        wanted = look.search, self.wraps, side, width - (_TIME_CELLS if self.timed else 0)
        if wanted != self._painted_for or len(self._strips) > _CACHED_LINES:
            self._painted_for = wanted
            self._strips.clear()

    # Lines taller than the view

    def end(self, last: int) -> tuple[int, int]:
        """The row at the top of a view that shows the end of the log, and how many lines of it are above the view.

        `last` is that row where no line is wrapped.
        """
        look = self._look
        key = (look, look.line_count if look else 0, self._height, self._painted_for)
        if self._fit[0] != key:
            row, above = last, 0
            if look is not None and self._height and self.wraps:
                heights = [len(self._line(text, marked=False)) for text in look.texts(last, self._height)]
                while heights and sum(heights[1:]) >= self._height:
                    row += 1
                    heights.pop(0)
                above = max(0, sum(heights) - self._height)
            self._fit = key, (row, above)
        return self._fit[1]

    def overflow(self, row: int) -> int:
        """The lines of a row that may scroll above the view before the next row is at its top; 0: it fits the view."""
        texts = self._look.texts(row, 1) if self._look is not None else []
        height = len(self._line(texts[0], marked=False)) if texts else 0
        return height - 1 if height > self._height else 0

    # Painting

    def rows(self, top: int, count: int, marked: Callable[[int], bool]) -> list[Strip]:
        """Strips from row `top` on: `count` of them or a few more, fewer at the end of the log.

        `marked` tells by its number whether a line is highlighted.
        """
        look = self._look
        if look is None:
            return []
        painted: list[Strip] = []
        texts = look.texts(top, count)
        times = look.times(top, len(texts)) if self.timed else []
        for row, text in enumerate(texts, top):
            strips = self._line(text, marked=marked(look.number_at(row)))
            painted += self._with_time(strips, times[row - top]) if self.timed else strips
            if len(painted) >= count:
                break
        return painted

    def _with_time(self, strips: Sequence[Strip], time: float | None) -> list[Strip]:
        """The strips of a line, with the time of its arrival in front of the first one."""
        style, whole = self._style_named("dim"), self._painted_for[3] + _TIME_CELLS
        heads = (clock_text(time), *[""] * (len(strips) - 1))
        pairs = zip(heads, strips, strict=True)
        return [Strip([Segment(head.ljust(_TIME_CELLS), style), *strip], whole) for head, strip in pairs]

    def _line(self, text: str, *, marked: bool) -> list[Strip]:
        """A line as one strip or, wrapped, as several. Most visible lines were painted before."""
        strips = self._strips.get((text, marked))
        if strips is None:
            strips = self._strips[text, marked] = self._paint(text)
            if marked:
                strips[:] = [Strip(map(self._as_marked, strip)) for strip in strips]
        return strips

    def _as_marked(self, segment: Segment) -> Segment:
        """A piece of a marked line, in which hits are highlighted once more."""
        style = segment.style or Style.null()
        if style + self._style_named("hit") == style:
            return Segment(segment.text, self._style_named("current-hit"))
        current = self._style_named("current")
        if current.reverse:
            # Swapped colours of single words would break the line into patches.
            return Segment(segment.text, Style(reverse=True))
        return Segment(segment.text, style + Style(bgcolor=current.bgcolor))

    def _segments(self, text: str, search: Pattern | None) -> list[Segment]:
        if search is None or not search.is_expression:
            return self._paint_line(text, self._style_named, search)
        try:
            with time_limit():
                return self._paint_line(text, self._style_named, search)
        except TooLong:
            self._give_up(_TOO_LONG)
            return self._paint_line(text, self._style_named, None)

    def _paint(self, text: str) -> list[Strip]:
        search, wraps, side, whole = self._painted_for
        gutter, *line = self._segments(text, search)
        style, width = gutter.style or Style.null(), max(1, whole - GUTTER)
        if not wraps and all(segment.text.isascii() for segment in line):
            # By far the most lines; and what a Strip costs is most of what a frame costs.
            return [Strip([gutter, *_cut(line, side, width, style)], whole)]
        strip = Strip(line)
        if wraps and strip.cell_length > width:
            pieces = list(strip.divide([*range(width, strip.cell_length, width), strip.cell_length]))
        else:
            pieces = [strip.crop(side, side + width)]
        blank = Segment(" " * GUTTER, style)
        return [
            Strip([blank if at else gutter, *piece]).adjust_cell_length(whole, style) for at, piece in enumerate(pieces)
        ]


def _cut(segments: Iterable[Segment], start: int, width: int, style: Style) -> Iterator[Segment]:
    """`width` cells of text that has a cell for each character, from `start` on, filled up in `style`."""
    skip, left = start, width
    for text, own, _ in segments:
        shown = text[skip : skip + left]
        skip = max(0, skip - len(text))
        left -= len(shown)
        if shown:
            yield Segment(shown, own)
    if left:
        yield Segment(" " * left, style)
