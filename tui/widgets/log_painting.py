# SPDX-License-Identifier: Apache-2.0
"""Lines of a log as strips: cut or wrapped, with gutter and time of arrival, each painted once."""

from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from core.errors import UsageError
from core.matrix.query_limit import TooLong, time_limit
from core.runs.log_look import LogLook
from core.runs.log_pattern import Pattern
from tui.log_text import GUTTER, log_segments, log_style
from tui.presentation import clock_text
from tui.widgets.lines_view import LinesView

_KEPT_LINES = 300
_TIME_CELLS = 9
_TOO_LONG = UsageError(
    "This expression takes too long", "On a line on show it tries too many ways", "Write it plainer."
)


class LogPainting(LinesView):
    """Paints the rows of a LogLook from the scroll position on."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(log_style, id=id)
        self.look: LogLook | None = None
        self.wraps = False
        self.timed = False
        """Whether each line has the time of its arrival before it."""
        self.current: int | None = None
        """The line last gone to, by its number."""
        self._within = 0
        """How many lines of the screen the first row, wrapped, has above it."""
        self._fit: tuple[object, tuple[int, int]] = ((), (0, 0))
        self._painted_for: tuple[Pattern | None, bool, int, int] = (None, False, 0, 0)
        """The search, whether lines wrap, the first cell and the width for which lines were painted."""
        self._strips: dict[tuple[str, bool], list[Strip]] = {}

    def give_up(self, error: UsageError) -> None:
        """Look for nothing any more: what was looked for takes too long."""
        raise NotImplementedError

    def is_marked(self, number: int) -> bool:
        """Whether a line stands out from the others."""
        return number == self.current

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def action_times(self) -> None:
        self.timed = not self.timed
        self.refresh()

    def action_wrap(self) -> None:
        self.wraps = not self.wraps
        self._side = 0
        self._scroll_to_row(self.max_scroll_y if self.following else self.scroll_offset.y)
        self.refresh()

    @property
    def max_scroll_y(self) -> int:
        return self._end()[0] if self.wraps and self.look is not None else super().max_scroll_y

    def _end(self) -> tuple[int, int]:
        """The row at the top of the view that shows the end of the log, wrapped, and how much of it is above."""
        look = self.look
        key = (look, look.line_count if look else 0, self.size, self.timed)
        if self._fit[0] != key:
            row = last = super().max_scroll_y
            above = 0
            if look is not None and self.size.height:
                self._prepare()
                heights = [len(self._painted(text, current=False)) for text in look.texts(last, self.size.height)]
                while heights and sum(heights[1:]) >= self.size.height:
                    row += 1
                    heights.pop(0)
                above = max(0, sum(heights) - self.size.height)
            self._fit = key, (row, above)
        return self._fit[1]

    def strips(self, crop: Region) -> list[Strip]:
        look, top = self.look, self.scroll_offset.y
        if look is None:
            return super().strips(crop)
        self._prepare()
        above = 0 if not self.wraps else self._hidden(top) if self.following else self._within
        painted: list[Strip] = []
        texts = look.texts(top, crop.bottom)
        times = look.times(top, len(texts)) if self.timed else []
        for row, text in enumerate(texts, top):
            strips = self._painted(text, current=self.is_marked(look.number_at(row)))
            painted += self._with_time(strips, times[row - top]) if self.timed else strips
            if len(painted) >= crop.bottom + above:
                break
        del painted[:above]
        blank = Strip.blank(self.scrollable_content_region.width, self.style_named(""))
        painted += [blank] * (crop.bottom - len(painted))
        return painted[crop.y : crop.bottom]

    def _with_time(self, strips: Sequence[Strip], time: float | None) -> list[Strip]:
        """The strips of a line behind the time of its arrival, which stands before the first of them."""
        style, whole = self.style_named("dim"), self.scrollable_content_region.width
        heads = (clock_text(time), *[""] * (len(strips) - 1))
        pairs = zip(heads, strips, strict=True)
        return [Strip([Segment(head.ljust(_TIME_CELLS), style), *strip], whole) for head, strip in pairs]

    def _prepare(self) -> None:
        """Forget what was painted for another width or another search. Before any line is painted, not for each."""
        whole = self.scrollable_content_region.width - (_TIME_CELLS if self.timed else 0)
        wanted = (self.look.search if self.look is not None else None, self.wraps, self._side, whole)
        if wanted != self._painted_for or len(self._strips) > _KEPT_LINES:
            self._painted_for = wanted
            self._strips.clear()

    def _painted(self, text: str, *, current: bool) -> list[Strip]:
        """A line as one strip or, wrapped, as several. Most lines on show were painted before."""
        strips = self._strips.get((text, current))
        if strips is None:
            search, _, _, whole = self._painted_for
            strips = self._strips[text, current] = self._paint(text, search, whole)
            if current:
                strips[:] = [Strip(map(self._as_current, strip)) for strip in strips]
        return strips

    def _as_current(self, segment: Segment) -> Segment:
        """A piece of the line gone to last, in which what was looked for stands out once more."""
        style = segment.style or Style.null()
        hit = self.style_named("hit")
        if (style.color, style.bgcolor) == (hit.color, hit.bgcolor):
            return Segment(segment.text, self.style_named("current-hit"))
        return Segment(segment.text, style + Style(bgcolor=self.style_named("current").bgcolor))

    def _segments(self, text: str, search: Pattern | None) -> list[Segment]:
        if search is None or not search.is_expression:
            return log_segments(text, self.style_named, search)
        try:
            with time_limit():
                return log_segments(text, self.style_named, search)
        except TooLong:
            # Not now: it changes what is being painted.
            self.call_later(self.give_up, _TOO_LONG)
            return log_segments(text, self.style_named, None)

    def _paint(self, text: str, search: Pattern | None, whole: int) -> list[Strip]:
        gutter, *line = self._segments(text, search)
        style, width = gutter.style or Style.null(), max(1, whole - GUTTER)
        if not self.wraps and all(segment.text.isascii() for segment in line):
            # By far the most lines; and what a Strip costs is most of what a frame costs.
            return [Strip([gutter, *_cut(line, self._side, width, style)], whole)]
        strip = Strip(line)
        if self.wraps and strip.cell_length > width:
            pieces = list(strip.divide([*range(width, strip.cell_length, width), strip.cell_length]))
        else:
            pieces = [strip.crop(self._side, self._side + width)]
        blank = Segment(" " * GUTTER, style)
        return [
            Strip([blank if at else gutter, *piece]).adjust_cell_length(whole, style) for at, piece in enumerate(pieces)
        ]

    # Lines taller than the screen

    def _scroll_lines(self, lines: int) -> None:
        """First within a wrapped line that is taller than the view, then from line to line."""
        hidden = self._hidden(self.scroll_offset.y) if self.wraps else 0
        before = hidden if self.following else min(self._within, hidden)
        within = max(0, min(before + lines, hidden))
        if within != before:
            self.following = self.following and lines > 0
            self._within = within
            self.refresh()
            return
        if self.wraps and lines > 0 and self.scroll_offset.y >= self.max_scroll_y:
            return
        super()._scroll_lines(lines)
        if self.wraps and lines < 0:
            # From below one comes to the end of a line.
            self._within = self._hidden(self.scroll_offset.y) if within == 0 and abs(lines) == 1 else 0

    def action_top(self) -> None:
        self.following = False
        self._scroll_to_row(0)

    def _scroll_to_row(self, row: int) -> None:
        self._within = self._end()[1] if self.wraps and row > self.max_scroll_y else 0
        super()._scroll_to_row(row)

    def _hidden(self, row: int) -> int:
        """How many lines of the screen may go above the view before the next row is at its top."""
        if row >= self.max_scroll_y:
            return self._end()[1]
        texts = self.look.texts(row, 1) if self.look is not None else []
        self._prepare()
        height = len(self._painted(texts[0], current=False)) if texts else 0
        return height - 1 if height > self.size.height else 0


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
