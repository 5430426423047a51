# SPDX-License-Identifier: Apache-2.0
"""A log in its colours with marks in the gutter: searched, filtered, and gone through from error to error."""

import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import ClassVar, NamedTuple

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from core.base.errors import UsageError
from core.base.text import counted
from core.runs.log import LogLook, Pattern, Seek, parse_filter, parse_pattern
from tui.commands import Hint, Need, Where, command
from tui.widgets.lines_view import LinesView
from tui.widgets.log_painting import LogPainter, PaintLine, log_style
from tui.widgets.log_search import LogSearch, filters_note


class LogRegion:
    """Lines by their numbers in the log, from where the region was begun to where it was drawn to; or none."""

    def __init__(self) -> None:
        self._ends: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        return self._ends is not None

    @property
    def lines(self) -> range:
        """The selected lines; empty where there is no region."""
        if self._ends is None:
            return range(0)
        first, last = sorted(self._ends)
        return range(first, last + 1)

    @property
    def end(self) -> int:
        """The line that moving keys move; there must be a region."""
        assert self._ends is not None
        return self._ends[1]

    def begin(self, number: int) -> None:
        """Start a new region at a line."""
        self._ends = number, number

    def draw_to(self, number: int) -> None:
        """Let the region, if there is one, end at a line."""
        if self._ends is not None:
            self._ends = self._ends[0], number

    def shift(self, count: int) -> None:
        """Follow the lines: `count` lines turned out to come before those that were known."""
        if self._ends is not None:
            self._ends = self._ends[0] + count, self._ends[1] + count

    def drop(self) -> bool:
        """Remove the region; returns whether there was one."""
        dropped, self._ends = self._ends is not None, None
        return dropped

    def rows(self, look: LogLook) -> tuple[int, int]:
        """Its first row and how many rows it has; lines that filters hide have no row."""
        first = look.row_at(self.lines[0])
        return first, look.row_at(self.lines[-1] + 1) - first

    def note(self, look: LogLook, copy_key: str) -> str:
        """`region: 3 lines, C copies`; empty where there is no region."""
        return f"region: {counted(self.rows(look)[1], 'line')}, {copy_key} copies" if self else ""


_GROWTH_SECONDS = 0.1
"""Seconds between repaints of a growing log: no person reads faster, and the job needs the processor."""
_MOST_COPIED = 10_000
"""Lines; reading more would delay the keys."""


class Asks(StrEnum):
    """The purposes of a typed line."""

    SEARCH = "/"
    FILTER = "&"


class _Before(NamedTuple):
    """The view of a log before a search was typed."""

    top: int
    """Its line at the top of the view."""
    following: bool
    pattern: Pattern | None
    current: int | None
    last: tuple[Seek, bool]


class LogView(LinesView):
    """Shows a LogLook. `ask` has a person type what to search or to filter.

    While a region is drawn, keys that move do so to its end, which stays in view.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--hit", "lines--current", "lines--current-hit"}
    DEFAULT_CSS = """
    LogView {
        & > .lines--hit { color: $text-warning; background: $match; text-style: $match-style; }
        & > .lines--current { background: $line-current; text-style: $line-current-style; }
        & > .lines--current-hit {
            color: $match-current-text; background: $match-current; text-style: $match-current-style;
        }
    }
    """

    class NoteChanged(Message):
        """There is something else to say about the region, the search, the filters or the errors."""

    class Copied(Message):
        """Lines are to be put on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class GivenUp(Message):
        """Search and filters were dropped because of this."""

        def __init__(self, error: UsageError) -> None:
            super().__init__()
            self.error = error

    def __init__(
        self, ask: Callable[[Asks], None], paint: PaintLine | None, copy_key: str, *, id: str | None = None
    ) -> None:
        super().__init__(log_style, id=id)
        self._ask = ask
        self._copy_key = copy_key
        self.look: LogLook | None = None
        self.drawn = LogRegion()
        self.finder = LogSearch()
        # Later: an expression that takes too long is noticed while lines are painted.
        self.painter = LogPainter(self.style_named, lambda error: self.call_later(self.give_up, error), paint)
        self._place: int | None = None
        """The line that stays at the top until its row is known."""
        self._within = 0
        """Lines of the first row, wrapped, that are above the screen."""
        self._before: _Before | None = None
        """The view before the search that is being typed."""
        self._note = ""
        self._counted, self._grown_at = 0, 0.0

    def places(self) -> tuple[Where, ...]:
        return (*super().places(), Where.LOG)

    def open(self, look: LogLook, *, follow: bool = True) -> None:
        """Show another log from its end or, not to `follow` it, from its beginning."""
        self._drop_region()
        self.look, self.finder, self._place, self._before = look, LogSearch(), None, None
        self._counted = look.line_count
        self.show(look, follow=follow)

    def advance(self, seconds: float) -> bool:
        """Find out more about the log for so long; returns whether there is more to find out."""
        look = self.look
        if look is None:
            return False
        deadline, more = time.monotonic() + seconds, True
        try:
            while more and time.monotonic() < deadline:
                more = look.step()
                if look.moved_by:
                    self._move_down(look.moved_by)
        except UsageError as error:
            self.give_up(error)
        if look.line_count != self._counted and (not more or time.monotonic() > self._grown_at + _GROWTH_SECONDS):
            self.grew(self._counted)
            self._counted, self._grown_at = look.line_count, time.monotonic()
        self._settle(look)
        return more

    def _move_down(self, rows: int) -> None:
        """So many rows have come before the visible ones, which stay."""
        self._counted += rows
        self.drawn.shift(rows)
        self.finder.shift(rows)
        self._set_height()
        self.go_to_row(self.max_scroll_y if self.following else self.scroll_offset.y + rows)

    def _settle(self, look: LogLook) -> None:
        """Do what waited for more to be known."""
        if self._place is not None:
            self.go_to_row(look.row_at(self._place))
            if look.knows(self._place):
                self._place = None
        self._show_found(look, self.finder.seek_on(look))
        self.finder.catch_up()
        if self._note != self.note:
            self._note = self.note
            self.post_message(self.NoteChanged())

    def give_up(self, error: UsageError) -> None:
        """Drop search and filters: to look for them takes too long."""
        if self.look is not None:
            self.look.set_search(None)
            self._filter(())
            # What is said about that stays until there is something new.
            self._note = self.note
            self.post_message(self.GivenUp(error))

    def go_to_line(self, number: int) -> None:
        """Bring a line into view and mark it, as soon as its row is known."""
        self.finder.stop()
        self.finder.current = number
        self.following = False
        self._place = max(0, number - self.size.height // 3)
        self.refresh()

    @property
    def note(self) -> str:
        """The region, the hits and the filters, in a few words."""
        look = self.look
        if look is None:
            return ""
        return "   ".join(
            filter(None, (self.drawn.note(look, self._copy_key), self.finder.note(look), filters_note(look)))
        )

    @property
    def hits(self) -> str:
        """The position of the last hit among all of them."""
        return self.finder.hits(self.look) if self.look is not None else ""

    # Filters

    def filter(self, text: str) -> None:
        """Add a filter; of no text, drop the newest. Raises UsageError for an expression that is none."""
        if self.look is not None:
            filters = self.look.filters
            self._filter((*filters, parse_filter(text)) if text.removeprefix("!") else filters[:-1])

    def clear(self) -> bool:
        """Drop the region, else the search, else the filters; returns whether there was something to drop."""
        look = self.look
        if self._drop_region():
            return True
        if look is None or (look.search is None and not look.filters):
            return False
        if look.search is not None:
            look.set_search(None)
            self.finder.stop()
            self.refresh()
        else:
            self._filter(())
        return True

    @command(
        "log.search",
        Where.LOG,
        "slash",
        "Search",
        "Search as you type; re:TEXT is an expression",
        action="ask('/')",
        footer=True,
        ahead=True,
        aliases="find grep",
    )
    @command(
        "log.filter",
        Where.LOG,
        "ampersand",
        "Filter",
        "Keep lines with a text; !text hides; empty: undo",
        action="ask('&')",
        footer=True,
        ahead=True,
        aliases="grep",
    )
    def action_ask(self, what: str) -> None:
        self._ask(Asks(what))

    @command("log.filters", Where.LOG, "ctrl+f", "Filters", "Turn all filters off, or on again", needs=Need.FILTERS)
    def action_toggle_filters(self) -> None:
        if self.look is not None and self.look.filters:
            self._filter(self.look.filters, filtering=not self.look.filtering)

    def _filter(self, filters: tuple[Pattern, ...], *, filtering: bool = True) -> None:
        """The line at the top stays there or, filtered out, the next one does."""
        assert self.look is not None
        number = self.look.number_at(self.scroll_offset.y)
        self.look.set_filters(filters, filtering=filtering)
        self._counted = self.look.line_count
        self.finder.stop()
        self._place = None if self.following else number
        self._set_height()
        self.go_to_row(self.max_scroll_y if self.following else self.look.row_at(number))
        self.refresh()

    # Search and errors

    def begin_search(self) -> None:
        """Remember the place: while a search is typed, each letter looks from there, and leaving it goes back there."""
        look, finder = self.look, self.finder
        if look is not None:
            top = look.number_at(self.scroll_offset.y)
            self._before = _Before(top, self.following, look.search, finder.current, finder.last)

    def keep_search(self, text: str) -> None:
        """Search for this from now on. Raises UsageError as `filter` does."""
        if self.look is None or self.look.search is None or self.look.search.text != text:
            self.search(text)
        self._before = None

    def leave_search(self) -> None:
        """Repeat the previous search from where it began."""
        look, before = self.look, self._before
        if look is not None and before is not None:
            look.set_search(before.pattern)
            self.finder.last = before.last
            self._return_to(look, before)
            if before.pattern is not None:
                # Only to count its lines again.
                look.seek(Seek.SEARCH, -1, forward=True)
        self._before = None

    def search(self, text: str) -> None:
        """Go to the next line with a text; of no text, search no more. Raises UsageError as `filter` does."""
        look = self.look
        if look is not None:
            look.set_search(parse_pattern(text) if text else None)
            self.finder.last, self._note = (Seek.SEARCH, False), ""
            if self._before is not None:
                self._return_to(look, self._before)
            self.finder.current = None
            self.refresh()
            if text:
                self._seek(Seek.SEARCH, forward=True)

    def _return_to(self, look: LogLook, before: _Before) -> None:
        self.finder.stop()
        self.finder.current = before.current
        if before.following:
            self.action_follow()
        else:
            self._place = None
            self.following = False
            self.go_to_row(look.row_at(before.top))
        self.refresh()

    @command("log.next", Where.LOG, "n", "Next", "Next hit of the search", action="next_hit(True)")
    @command("log.previous", Where.LOG, "N", "Previous", "Previous hit of the search", action="next_hit(False)")
    def action_next_hit(self, forward: bool) -> None:
        if self.finder.put_off(partial(self.action_next_hit, forward)):
            return
        if self.look is not None and self.look.search is None:
            self._ask(Asks.SEARCH)
        else:
            self._seek(Seek.SEARCH, forward=forward)

    @command(
        "log.error",
        Where.LOG,
        "e",
        "Error",
        "Next error",
        action="next_error(True)",
        footer=True,
        hint=Hint("error", "{log.error} goes to the next error"),
    )
    @command("log.error_before", Where.LOG, "E", "Error before", "Previous error", action="next_error(False)")
    def action_next_error(self, forward: bool) -> None:
        if not self.finder.put_off(partial(self.action_next_error, forward)):
            self._seek(Seek.ERRORS, forward=forward)

    def _seek(self, what: Seek, *, forward: bool) -> None:
        """Go to the next line from the one found last or, where that is not visible, from the edge of the view.

        At the end of a log that is where pytest sums up: the next error from there is the first one.
        """
        look, current, top = self.look, self.finder.current, self.scroll_offset.y
        if look is None:
            return
        bottom = min(top + self.size.height, look.line_count)
        if current is not None and top <= look.row_at(current) < bottom:
            start = current
        elif self.following and forward and what is Seek.ERRORS:
            start = -1
        else:
            start = look.number_at(top) - 1 if forward else look.number_at(bottom)
        self._show_found(look, self.finder.seek(look, what, start, forward=forward))

    def _show_found(self, look: LogLook, number: int | None) -> None:
        """Bring a line into view that was just found."""
        if number is None:
            return
        if self.drawn:
            self._draw_to(number)
        self.following = False
        self._place = None
        row, top, wraps = look.row_at(number), self.scroll_offset.y, self.painter.wraps
        if wraps or not top <= row < top + self.size.height:
            self.go_to_row(row - (1 if wraps else self.size.height // 3))
        self.refresh()

    # The region

    @command("log.region", Where.LOG, "v", "Region", "Start a region here; keys that move extend it")
    def action_region(self) -> None:
        """Start a region at the line found last, if it is visible, else at the newest or at the top; or drop it."""
        look, current = self.look, self.finder.current
        if self.finder.put_off(self.action_region):
            return
        if self._drop_region() or look is None or not look.line_count:
            return
        top = self.scroll_offset.y
        bottom = min(top + self.size.height, look.line_count)
        here = None if current is None else look.row_at(current)
        if here is None or not top <= here < bottom:
            here = bottom - 1 if self.following else top
        self.following = False
        self.drawn.begin(look.number_at(here))
        self._region_changed()

    def _draw_to(self, number: int) -> None:
        self.drawn.draw_to(number)
        self._region_changed()

    def _drop_region(self) -> bool:
        dropped = self.drawn.drop()
        if dropped:
            self._region_changed()
        return dropped

    def _region_changed(self) -> None:
        self.refresh()
        self.post_message(self.NoteChanged())

    @command("log.copy", Where.LOG, "C", "Copy lines", "Copy the region, or the visible lines")
    def action_copy(self) -> None:
        """Copy the region or, without one, the visible lines; whole, and without what filters hide."""
        look = self.look
        if look is None or self.finder.put_off(self.action_copy):
            return
        first, count = self.drawn.rows(look) if self.drawn else (self.scroll_offset.y, self.size.height)
        if count > _MOST_COPIED:
            self.notify(f"A copy holds at most {_MOST_COPIED:,} lines: draw a smaller region.", severity="warning")
            return
        self.post_message(self.Copied("".join(f"{row}\n" for row in look.lines(first, count))))
        self._drop_region()

    # Painting

    def notify_style_update(self) -> None:
        self.painter.forget()
        super().notify_style_update()

    @command("log.times", Where.LOG, "t", "Times", "Toggle the arrival times of lines")
    def action_times(self) -> None:
        self.painter.timed = not self.painter.timed
        self.refresh()

    @command("log.wrap", Where.LOG, "w", "Wrap", "Wrap or cut long lines")
    def action_wrap(self) -> None:
        self.painter.wraps = not self.painter.wraps
        self.side = 0
        self.go_to_row(self.max_scroll_y if self.following else self.scroll_offset.y)
        self.refresh()

    def _prepared(self, look: LogLook) -> LogPainter:
        self.painter.prepare(look, self.line_width, self.size.height, self.side)
        return self.painter

    def strips(self, crop: Region) -> list[Strip]:
        look, top = self.look, self.scroll_offset.y
        if look is None:
            return super().strips(crop)
        painter = self._prepared(look)
        above = 0 if not painter.wraps else self._overflow(look, top) if self.following else self._within
        painted = painter.rows(top, crop.bottom + above, self._marked)[above:]
        painted += [Strip.blank(self.line_width, self.style_named(""))] * (crop.bottom - len(painted))
        return painted[crop.y : crop.bottom]

    def _marked(self, number: int) -> bool:
        return number == self.finder.current or number in self.drawn.lines

    # Moving: with lines wrapped, first within a line that is taller than the view

    @property
    def max_scroll_y(self) -> int:
        last, look = super().max_scroll_y, self.look
        return self._prepared(look).end(last)[0] if self.painter.wraps and look is not None else last

    def _overflow(self, look: LogLook, row: int) -> int:
        """The lines of a row that may scroll above the view before the next row is at its top."""
        painter = self._prepared(look)
        last, above = painter.end(super().max_scroll_y)
        return above if row >= last else painter.overflow(row)

    def move_by(self, lines: int) -> None:
        look = self.look
        if self.finder.put_off(partial(self.move_by, lines), alone=False):
            return
        if look is not None and self.drawn:
            self._draw_by(look, lines)
        elif look is not None and self.painter.wraps:
            self._move_wrapped(look, lines)
        else:
            super().move_by(lines)

    def _draw_by(self, look: LogLook, lines: int) -> None:
        row = max(0, min(look.row_at(self.drawn.end) + lines, look.line_count - 1))
        self._draw_to(look.number_at(row))
        top, height = self.scroll_offset.y, self.size.height
        if not top <= row < top + height:
            self.go_to_row(row if row < top else row - height + 1)

    def _move_wrapped(self, look: LogLook, lines: int) -> None:
        overflow = self._overflow(look, self.scroll_offset.y)
        before = overflow if self.following else min(self._within, overflow)
        within = max(0, min(before + lines, overflow))
        if within != before:
            self.following = self.following and lines > 0
            self._within = within
            self.refresh()
        elif lines < 0 or self.scroll_offset.y < self.max_scroll_y:
            super().move_by(lines)
            if lines < 0:
                # From below one comes to the end of a line.
                at_end = within == 0 and lines == -1
                self._within = self._overflow(look, self.scroll_offset.y) if at_end else 0

    def go_to_row(self, row: int) -> None:
        look, at_end = self.look, self.painter.wraps and row > self.max_scroll_y
        self._within = self._prepared(look).end(super().max_scroll_y)[1] if look is not None and at_end else 0
        super().go_to_row(row)

    def action_top(self) -> None:
        if self.finder.put_off(self.action_top, alone=False):
            return
        if self.look is not None and self.drawn:
            self._draw_by(self.look, -self.look.line_count)
        else:
            self.following = False
            self.go_to_row(0)

    def action_follow(self) -> None:
        if self.finder.put_off(self.action_follow, alone=False):
            return
        if self.look is not None and self.drawn:
            self._draw_by(self.look, self.look.line_count)
        else:
            super().action_follow()
