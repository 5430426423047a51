# SPDX-License-Identifier: Apache-2.0
"""The two lines at the top: the screens with their keys, and below them what there is to say."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from tui.view_models.fitting import fit

NAMED_FROM = 100
"""Width from which every screen keeps its name."""
_GAP = "   "
"""Between two messages."""
_LEAST_WORDS = 12
"""Fewer characters of a message are useless."""


class Tab(NamedTuple):
    """A screen in the line."""

    key: str
    name: str
    note: str = ""
    """The activity there: `3 running, 2 waiting`."""
    current: bool = False
    seldom: bool = False
    """Whether it goes to the second line where the first one has no room for all."""

    @property
    def text(self) -> str:
        return " · ".join(filter(None, (f"{self.key} {self.name}".strip(), self.note)))

    def bare(self) -> "Tab":
        """Without its name, unless it is the current one."""
        return self if self.current else self._replace(name="")


class Header(NamedTuple):
    """The parts of both title lines that fit."""

    above: Sequence[Tab]
    gap: int
    """Blanks between the tabs above."""
    words: Sequence[str]
    below: Sequence[Tab]
    """The tabs at the end of the second line, one blank between them."""


def tab_width(tabs: Sequence[Tab], gap: int) -> int:
    """Cells of tabs in a line."""
    return sum(cell_len(tab.text) for tab in tabs) + gap * max(0, len(tabs) - 1)


def header(tabs: Sequence[Tab], words: Sequence[str], keyed: Sequence[str], width: int) -> Header:
    """Both lines on a terminal that has `width` columns; one at each end is left empty.

    What goes on is beside the names if all of it fits there; else it is said before `words`, which are cut where they
    do not fit. `keyed` name a key: each is shown whole or not at all, and has room before the others. Names are
    dropped only below `NAMED_FROM`, from the right; keys never are.
    """
    named, width = width >= NAMED_FROM, width - 2
    for gap in (2, 1):
        if tab_width(tabs, gap) <= width:
            return Header(tabs, gap, fitted_words(words, keyed, width), ())
    words = [*(tab.note for tab in tabs if tab.note), *words]
    plain = [tab._replace(note="") for tab in tabs]
    gap = next((gap for gap in (2, 1) if tab_width(plain, gap) <= width), 0)
    if gap:
        return Header(plain, gap, fitted_words(words, keyed, width), ())
    often, rest = ([tab for tab in plain if tab.seldom is seldom] for seldom in (False, True))
    said = len(_GAP.join([*words, *keyed]))
    fits = named or said + tab_width(rest, 1) + len(_GAP) <= width
    below = rest if fits else [tab.bare() for tab in rest]
    return Header(*_above(often, width), fitted_words(words, keyed, width - tab_width(below, 1) - len(_GAP)), below)


def _above(tabs: Sequence[Tab], width: int) -> tuple[Sequence[Tab], int]:
    """The tabs for a line of `width` cells, with the gap between them."""
    if tab_width(tabs, 2) <= width:
        return tabs, 2
    fitted = list(tabs)
    for at in reversed(range(len(fitted))):
        if tab_width(fitted, 1) <= width:
            break
        fitted[at] = fitted[at].bare()
    return fitted, 1


def fitted_words(words: Sequence[str], keyed: Sequence[str], width: int) -> list[str]:
    """Messages in at most `width` cells: the last ones are cut, or go. What goes on everywhere comes first."""
    whole = list(_within(keyed, width))
    room = width - sum(cell_len(one) + len(_GAP) for one in whole)
    left = [one for one in words if one]
    while left and (over := cell_len(_GAP.join(left)) - room) > 0:
        least = cell_len(left[-1]) - over
        if least >= _LEAST_WORDS:
            left[-1] = fit(left[-1], least).rstrip()
        else:
            left.pop()
    return [*left, *whole]


def _within(texts: Sequence[str], width: int) -> Iterator[str]:
    """The first of `texts` that fit beside each other."""
    for text in filter(None, texts):
        if cell_len(text) <= width:
            width -= cell_len(text) + len(_GAP)
            yield text
