# SPDX-License-Identifier: Apache-2.0
"""The panes of a screen: the one with the focus can have the whole screen, and the dividers between them move.

A list without rows has the whole screen, too: there is nothing to say about a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from textual import events
from textual.screen import Screen
from textual.widget import Widget

_LEAST = 3
"""Cells that a pane keeps on each side of a divider."""
_LEAST_LIST = 5
"""Lines of the shortest list that is as high as its rows: its rule, its header and a few of them."""
_AROUND = 4
"""Lines above and below both panes: bar and tabs, messages and keys."""
_ENOUGH = 20
"""Lines that what is below a list can use: of a higher screen the list has more."""


class Pane(NamedTuple):
    """A part of the screen, by the selectors of its widgets: `#` and their ids."""

    name: str
    widgets: tuple[str, ...]
    """Its widgets when it has the whole screen; the first one grows."""


class Divider(NamedTuple):
    """A line between two panes that can be dragged."""

    handle: str
    """The selector of the widget whose first line, or last column, is dragged."""
    sized: str
    """The selector of the widget whose size follows."""
    after: bool = False
    """Whether the sized widget is below the line, not above it."""
    upright: bool = False
    """Whether it is a column: the width follows."""
    beside: bool | None = None
    """Whether it is there only while the detail is right of the list, or only while it is not; None: always."""
    pane: str = ""
    """The pane that must have the focus for the keys to move it; empty: any other."""


class Panes:
    """The zoomed pane, and the positions of the dividers."""

    def __init__(
        self,
        screen: Screen[None],
        panes: Sequence[Pane] = (),
        dividers: Sequence[Divider] = (),
        zoomed: Callable[[], None] = lambda: None,
        beside: Callable[[], bool] = lambda: False,
    ) -> None:
        """`zoomed` is called when a pane has got the whole screen, or has it no longer.

        `beside` tells whether the detail is right of the list.
        """
        self._beside = beside
        self._screen = screen
        self._tell = zoomed
        self._panes = {pane.name: pane for pane in panes}
        self._all_dividers = tuple(dividers)
        self._sizes: dict[str, int] = {}
        """The sizes that a person has set, in cells, by the selector of the widget."""
        self._rows = self._below = self._list = 0
        self._before: Widget | None = None
        """The widget with the focus before a pane was opened."""
        self._dragged: Divider | None = None
        self.zoomed = ""
        """The name of the pane that has the whole screen; empty: none has."""
        self.alone = False
        """Whether the list has the whole screen because it has no rows."""

    @property
    def _dividers(self) -> Sequence[Divider]:
        """Those that are there now."""
        return [one for one in self._all_dividers if one.beside in (None, self._beside())]

    # The whole screen

    @property
    def focused(self) -> str:
        """The name of the pane that has the focus; empty: it is in none."""
        focus = self._screen.focused
        holders = {f"#{one.id}" for one in (() if focus is None else focus.ancestors_with_self)}
        return next((name for name, pane in self._panes.items() if holders.intersection(pane.widgets)), "")

    def _widgets(self, name: str) -> list[Widget]:
        return [one for selector in self._panes[name].widgets for one in self._screen.query(selector)]

    def zoom(self, name: str) -> None:
        """Give a pane the whole screen; empty: show all of them again."""
        self.zoomed = name
        if not self._screen.is_attached:
            return
        self._screen.set_class(bool(name), "zoomed")
        self.fit(self._rows, below=self._below, width=self._list, alone=self.alone)
        self._tell()

    @property
    def _list_pane(self) -> str:
        """The name of the first pane."""
        return next(iter(self._panes), "")

    @property
    def _whole(self) -> str:
        """The name of the pane that has the whole screen, whatever the reason; empty: none has."""
        return self.zoomed or (self._list_pane if self.alone else "")

    def _set_aside(self) -> None:
        """Show only the pane that has the whole screen."""
        name = self._whole
        whole = self._widgets(name) if name else []
        for other in self._panes:
            for widget in self._widgets(other):
                widget.set_class(bool(name) and widget not in whole, "aside")
                widget.set_class(widget in whole[:1], "whole")

    def toggle(self) -> None:
        """Give the pane with the focus the whole screen, or show all of them again."""
        if self.zoomed:
            self.leave()
        else:
            self._before = None
            self.zoom(self.focused or next(iter(self._panes), ""))

    def open(self, name: str, front: Widget) -> None:
        """Give a pane the whole screen and `front` in it the focus; the focus comes back when it is left."""
        self._before = self._screen.focused
        self.zoom(name)
        # Only what can be seen can have the focus.
        self._screen.call_after_refresh(front.focus)

    def leave(self) -> bool:
        """Show all panes again; False where no pane has the whole screen."""
        if not self.zoomed:
            return False
        self.zoom("")
        if self._before is not None:
            self._screen.call_after_refresh(self._before.focus)
        self._before = None
        return True

    # Sizes

    def fit(self, rows: int, *, below: int = 0, width: int = 0, alone: bool = False) -> None:
        """Give the list above the first divider the height that its rows need, within half of the screen at most.

        What is below can use `below` lines, and the list may have all others; 0: as many as there are. Beside its
        detail the list has `width` cells; 0: those that the style sheet says. `alone`: there is nothing to show but the
        list, which has the whole screen. A person who has moved the divider knows better, and a pane with the whole
        screen needs no height.
        """
        self._rows, self._below, self._list, self.alone = rows, below, width, alone
        self._set_aside()
        if alone and not self.zoomed:
            # Only what can be seen can have the focus.
            self._screen.call_after_refresh(self._focus_list)
        for gone in self._all_dividers:
            if gone not in self._dividers:
                for widget in self._screen.query(gone.sized):
                    widget.styles.clear_rule("width" if gone.upright else "height")
        for divider in self._dividers:
            for widget in self._screen.query(divider.sized):
                self._fit(divider, widget)

    def _focus_list(self) -> None:
        """Give the list the focus where what had it is hidden."""
        first = self._list_pane
        if self.alone and not self.zoomed and (self._screen.focused is None or self.focused not in ("", first)):
            fronts = (one for shown in self._widgets(first) for one in shown.walk_children(with_self=True))
            front = next((one for one in fronts if isinstance(one, Widget) and one.can_focus), None)
            self._screen.set_focus(front)

    def _fit(self, divider: Divider, widget: Widget) -> None:
        rule: Literal["width", "height"] = "width" if divider.upright else "height"
        listed = not divider.after and not divider.upright
        if self._whole:
            setattr(widget.styles, rule, "1fr")
        elif divider.sized in self._sizes:
            setattr(widget.styles, rule, self._sizes[divider.sized])
        elif self._list and divider.upright:
            widget.styles.width = self._screen.size.width - self._list
        elif listed:
            widget.styles.height = max(_LEAST_LIST, min(self._rows + 2, self._most_lines))
        else:
            widget.styles.clear_rule(rule)

    @property
    def _most_lines(self) -> int:
        """The most lines that a list above a divider has by itself."""
        height = self._screen.size.height
        if self._below:
            return height - self._below - _AROUND
        return min(height // 2, max(height * 35 // 100, height - _ENOUGH))

    @property
    def movable(self) -> Divider | None:
        """The divider beside the pane with the focus; None where none is shown."""
        focused = self.focused
        fitting = [one for one in self._dividers if one.pane in ("", focused) and self._sized(one) is not None]
        return min(fitting, key=lambda one: not one.pane, default=None)

    def _sized(self, divider: Divider) -> Widget | None:
        found = next(iter(self._screen.query(divider.sized)), None)
        return found if found is not None and found.display and not self._whole else None

    def move(self, steps: int) -> None:
        """Move the divider beside the pane with the focus: down or to the right, with a negative number back."""
        divider = self.movable
        if divider is not None:
            self._resize(divider, steps)

    def _resize(self, divider: Divider, steps: int) -> None:
        sized = self._sized(divider)
        if sized is None or not steps:
            return
        room = self._screen.size.width if divider.upright else self._screen.size.height
        now = sized.outer_size.width if divider.upright else sized.outer_size.height
        size = max(_LEAST, min(now + (-steps if divider.after else steps), room - 2 * _LEAST - 1))
        self._sizes[divider.sized] = size
        if not divider.upright:
            sized.styles.min_height = _LEAST
        self._fit(divider, sized)

    # The mouse

    def _at(self, x: int, y: int) -> Divider | None:
        for divider in () if self._whole else self._dividers:
            for handle in self._screen.query(divider.handle):
                region = handle.region
                column = region.x if divider.after else region.right - 1
                on = x == column and y in region.line_range if divider.upright else y == region.y
                if handle.display and region.contains(x, y) and on:
                    return divider
        return None

    def press(self, event: events.MouseDown) -> None:
        """A divider under the pointer is dragged from now on."""
        self._dragged = self._at(event.screen_x, event.screen_y)

    def drag(self, event: events.MouseMove) -> None:
        """The divider follows the pointer."""
        divider = self._dragged
        if divider is None or not event.button:
            self._dragged = None
            return
        for handle in self._handles(divider):
            region = handle.region
            column = region.x if divider.after else region.right - 1
            self._resize(divider, event.screen_x - column if divider.upright else event.screen_y - region.y)

    def _handles(self, divider: Divider) -> Iterable[Widget]:
        return list(self._screen.query(divider.handle))[:1]

    def release(self) -> None:
        """The divider stays where it is."""
        self._dragged = None
