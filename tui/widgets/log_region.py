# SPDX-License-Identifier: Apache-2.0
"""A region of a log: begun at one line, drawn to another by whatever moves, and copied whole."""

from textual.message import Message

from core.runs.log_look import LogLook
from tui.presentation import counted
from tui.widgets.log_painting import LogPainting

_MOST_LINES = 10_000
"""Reading more would hold up the keys."""


class LogRegion(LogPainting):
    """While a region is drawn, keys that move do so to its end, which stays in view."""

    class Moved(Message):
        """What there is to say of the region, search, filters or errors has changed."""

    class Copied(Message):
        """Lines are to be put where they can be pasted."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ends: tuple[int, int] | None = None
        """The lines where it was begun and where it ends, by their numbers."""

    @property
    def drawn(self) -> range:
        """The lines of the region, by their numbers; empty where none is drawn."""
        if self._ends is None:
            return range(0)
        first, last = sorted(self._ends)
        return range(first, last + 1)

    def is_marked(self, number: int) -> bool:
        return number in self.drawn or super().is_marked(number)

    def action_region(self) -> None:
        """Begin a region at the line gone to last, if it is on show, else at the newest or at the top; or drop it."""
        look = self.look
        if self._ends is not None or look is None or not look.line_count:
            self.drop_region()
            return
        top = self.scroll_offset.y
        bottom = min(top + self.size.height, look.line_count)
        here = None if self.current is None else look.row_at(self.current)
        if here is None or not top <= here < bottom:
            here = bottom - 1 if self.following else top
        self.following = False
        self._ends = (look.number_at(here),) * 2
        self._redraw()

    def drop_region(self) -> bool:
        """Draw no region; returns whether there was one."""
        there, self._ends = self._ends is not None, None
        if there:
            self._redraw()
        return there

    def draw_to(self, number: int) -> None:
        """Let the region that is drawn, if there is one, end at a line."""
        if self._ends is not None:
            self._ends = self._ends[0], number
            self._redraw()

    def move_region(self, rows: int) -> None:
        """So many lines turned out to stand before those that were known."""
        if self._ends is not None:
            self._ends = self._ends[0] + rows, self._ends[1] + rows

    def region_note(self) -> str:
        return (
            f"region: {counted(self._rows_drawn(self.look)[1], 'line')}, C copies" if self.look and self._ends else ""
        )

    def _rows_drawn(self, look: LogLook) -> tuple[int, int]:
        """The first row of the region and how many it has: what filters leave out has none."""
        first = look.row_at(self.drawn[0])
        return first, look.row_at(self.drawn[-1] + 1) - first

    def action_copy(self) -> None:
        """Copy the region or, without one, the lines on show; whole, and without what filters leave out."""
        look = self.look
        if look is None:
            return
        first, count = self.scroll_offset.y, self.size.height
        if self._ends is not None:
            first, count = self._rows_drawn(look)
        if count > _MOST_LINES:
            self.notify(f"A copy holds at most {_MOST_LINES:,} lines: draw a smaller region.", severity="warning")
            return
        self.post_message(self.Copied("".join(f"{row}\n" for row in look.lines(first, count))))
        self.drop_region()

    def _scroll_lines(self, lines: int) -> None:
        look = self.look
        if self._ends is None or look is None:
            super()._scroll_lines(lines)
            return
        row = max(0, min(look.row_at(self._ends[1]) + lines, look.line_count - 1))
        self.draw_to(look.number_at(row))
        top, height = self.scroll_offset.y, self.size.height
        if not top <= row < top + height:
            self._scroll_to_row(row if row < top else row - height + 1)

    def action_top(self) -> None:
        if self._ends is not None and self.look is not None:
            self._scroll_lines(-self.look.line_count)
        else:
            super().action_top()

    def action_follow(self) -> None:
        if self._ends is not None and self.look is not None:
            self._scroll_lines(self.look.line_count)
        else:
            super().action_follow()

    def _redraw(self) -> None:
        self.refresh()
        self.post_message(self.Moved())
