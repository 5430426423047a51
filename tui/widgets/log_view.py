# SPDX-License-Identifier: Apache-2.0
"""A log in its colours with marks in the gutter: searched, filtered, and gone through from error to error."""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import ClassVar, NamedTuple

from textual.binding import BindingType
from textual.message import Message

from core.errors import UsageError
from core.runs.log_look import LogLook, Seek
from core.runs.log_pattern import Pattern, parse_filter, parse_pattern
from core.runs.plain import plain_line
from core.text import counted
from tui.commands import Where, bindings
from tui.widgets.log_region import LogRegion

_GROWTH_SECONDS = 0.1
"""How often a log that grows is painted anew: nobody reads faster, and the job needs the processor."""


class Asks(StrEnum):
    """What a line of text is asked for."""

    SEARCH = "/"
    FILTER = "&"


class _Before(NamedTuple):
    """How a log is looked at before a search."""

    top: int
    """Its line at the top of the view."""
    following: bool
    current: int | None
    search: Pattern | None
    told: tuple[Seek, bool]


class LogView(LogRegion):
    """Shows a LogLook. `ask` has a person type what to search or to filter."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.LOG)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--hit", "lines--current", "lines--current-hit"}
    DEFAULT_CSS = """
    LogView {
        & > .lines--hit { color: $text-warning; background: $warning 25%; text-style: bold; }
        & > .lines--current { background: $primary 30%; }
        & > .lines--current-hit { color: $background; background: $warning; text-style: bold; }
    }
    """

    class GivenUp(Message):
        """Search and filters were dropped because of this."""

        def __init__(self, error: UsageError) -> None:
            super().__init__()
            self.error = error

    def __init__(self, ask: Callable[[Asks], None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ask = ask
        self._place: int | None = None
        """The line to keep at the top until it is settled which row shows it."""
        self._wanted: tuple[Seek, bool, int] | None = None
        """What to go to once it is found: from which line, and whether forward."""
        self._told: tuple[Seek, bool] = (Seek.SEARCH, False)
        """What was gone to last, and whether that went round the end."""
        self._note = ""
        self._before: _Before | None = None
        """How it was before the search that is being typed."""
        self._counted, self._grown_at = 0, 0.0

    def open(self, look: LogLook) -> None:
        """Show another log from its end."""
        self.drop_region()
        self.look, self.current, self._place, self._wanted, self._before = look, None, None, None, None
        self._told = (Seek.SEARCH, False)
        self._counted = look.line_count
        self.show(look, follow=True)

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
        """So many rows have come before those on show, which stay."""
        self._counted += rows
        self.move_region(rows)
        if self._wanted is not None:
            what, forward, start = self._wanted
            self._wanted = what, forward, start + rows
        self._set_height()
        self._scroll_to_row(self.max_scroll_y if self.following else self.scroll_offset.y + rows)

    def _settle(self, look: LogLook) -> None:
        """Do what waited for more to be known."""
        if self._place is not None:
            self._scroll_to_row(look.row_at(self._place))
            if look.knows(self._place):
                self._place = None
        if self._wanted is not None:
            self._seek(look, *self._wanted)
        if self._note != self.note:
            self._note = self.note
            self.post_message(self.Moved())

    def give_up(self, error: UsageError) -> None:
        if self.look is not None:
            self.look.set_search(None)
            self._filter(())
            # What is said of that stands until there is something new.
            self._note = self.note
            self.post_message(self.GivenUp(error))

    # Filters

    def filter(self, text: str) -> None:
        """Add a filter; of no text, drop the newest. Raises UsageError for an expression that is none."""
        if self.look is not None:
            filters = self.look.filters
            self._filter((*filters, parse_filter(text)) if text.removeprefix("!") else filters[:-1])

    def clear(self) -> bool:
        """Drop the region, else the search, else the filters; returns whether there was something to drop."""
        look = self.look
        if self.drop_region():
            return True
        if look is None or (look.search is None and not look.filters):
            return False
        if look.search is not None:
            look.set_search(None)
            self._wanted = None
            self.refresh()
        else:
            self._filter(())
        return True

    def action_toggle_filters(self) -> None:
        if self.look is not None and self.look.filters:
            self._filter(self.look.filters, filtering=not self.look.filtering)

    def _filter(self, filters: tuple[Pattern, ...], *, filtering: bool = True) -> None:
        """The line at the top stays there or, filtered out, the next one does."""
        assert self.look is not None
        number = self.look.number_at(self.scroll_offset.y)
        self.look.set_filters(filters, filtering=filtering)
        self._counted = self.look.line_count
        self._wanted = None
        self._place = None if self.following else number
        self._set_height()
        self._scroll_to_row(self.max_scroll_y if self.following else self.look.row_at(number))
        self.refresh()

    # Search and errors

    def begin_search(self) -> None:
        """Keep the place: a search is looked for from there while it is typed, and left to there."""
        look = self.look
        if look is not None:
            top = look.number_at(self.scroll_offset.y)
            self._before = _Before(top, self.following, self.current, look.search, self._told)

    def keep_search(self, text: str) -> None:
        """Search for this from now on. Raises UsageError as `filter` does."""
        if self.look is None or self.look.search is None or self.look.search.text != text:
            self.search(text)
        self._before = None

    def leave_search(self) -> None:
        """Search for what was searched for before, at the place where that was."""
        look, before = self.look, self._before
        if look is not None and before is not None:
            look.set_search(before.search)
            self._told = before.told
            self._go_back(look, before)
            if before.search is not None:
                # Not to go anywhere: its lines are counted anew.
                look.seek(Seek.SEARCH, -1, forward=True)
        self._before = None

    def search(self, text: str) -> None:
        """Go to the next line with a text; of no text, search no more. Raises UsageError as `filter` does."""
        look = self.look
        if look is not None:
            look.set_search(parse_pattern(text) if text else None)
            self._told, self._note = (Seek.SEARCH, False), ""
            if self._before is not None:
                self._go_back(look, self._before)
            self.current = None
            self.refresh()
            if text:
                self._go(Seek.SEARCH, forward=True)

    def _go_back(self, look: LogLook, before: _Before) -> None:
        self._wanted = None
        self.current = before.current
        if before.following:
            self.action_follow()
        else:
            self._place = None
            self.following = False
            self._scroll_to_row(look.row_at(before.top))
        self.refresh()

    def action_ask(self, what: str) -> None:
        self._ask(Asks(what))

    def action_next_hit(self, forward: bool) -> None:
        if self.look is not None and self.look.search is None:
            self._ask(Asks.SEARCH)
        else:
            self._go(Seek.SEARCH, forward=forward)

    def action_next_error(self, forward: bool) -> None:
        self._go(Seek.ERRORS, forward=forward)

    def _go(self, what: Seek, *, forward: bool) -> None:
        look, top = self.look, self.scroll_offset.y
        if look is None:
            return
        bottom = min(top + self.size.height, look.line_count)
        if self.current is not None and top <= look.row_at(self.current) < bottom:
            start = self.current
        else:
            start = look.number_at(top) - 1 if forward else look.number_at(bottom)
        self._seek(look, what, forward, start)

    def _seek(self, look: LogLook, what: Seek, forward: bool, start: int) -> None:
        hit = look.seek(what, start, forward=forward)
        self._wanted = (what, forward, start) if hit.waiting else None
        self._told = what, hit.wrapped
        if hit.number is not None:
            self.current = hit.number
            self.draw_to(hit.number)
            self._show_row(look.row_at(hit.number))

    def _show_row(self, row: int) -> None:
        self.following = False
        self._place = None
        top = self.scroll_offset.y
        if self.wraps or not top <= row < top + self.size.height:
            self._scroll_to_row(row - (1 if self.wraps else self.size.height // 3))
        self.refresh()

    @property
    def note(self) -> str:
        """What search, errors and filters have found, in a few words."""
        look = self.look
        if look is None:
            return ""
        return "   ".join(filter(None, (self.region_note(), self._hits_note(look), self._filters_note(look))))

    @property
    def hits(self) -> str:
        """Which of how many lines was gone to last, and whether round the end; empty where nothing is looked for."""
        look, (what, wrapped) = self.look, self._told
        if look is None or (what is Seek.SEARCH and look.search is None):
            return ""
        at, count, all_known = look.place(what, -1 if self.current is None else self.current)
        if all_known and not count:
            return "none"
        # A line found from the end has no number yet among all of them.
        known = f"{at:,} of {count:,}" if all_known else f"{count:,} so far, looking on"
        return f"{known}{', round the end' if wrapped else ''}"

    def _hits_note(self, look: LogLook) -> str:
        what = self._told[0]
        name = f"/{plain_line(look.search.text)}" if what is Seek.SEARCH and look.search else "errors"
        return f"{name}: {self.hits}" if self.hits else ""

    def _filters_note(self, look: LogLook) -> str:
        if not look.filters:
            return ""
        names = [f"&{'!' if one.out else ''}{plain_line(one.text)}" for one in look.filters]
        if not look.filtering:
            return f"off: {' '.join(names)}"
        counts = [f"{name} {left:,}" for name, left in zip(names, look.left, strict=True)]
        return f"{'  '.join(counts)} of {counted(look.log.line_count, 'line')}"
