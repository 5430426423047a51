# SPDX-License-Identifier: Apache-2.0
"""The frame of every screen: bar of identity, tabs, rules above panes, the line of messages, and one rule of width.

docs/design/grammar.md says what belongs where. Pure: cells of text with the names of their styles.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from core.base.text import one_line
from tui.view_models.fitting import fit
from tui.view_models.style import Cell

BESIDE_FROM = 180
"""Width from which the detail is right of the list, not below it."""
_GAP = "   "
"""Between two parts of a line."""
_LEAST_WORDS = 12
"""Fewer characters of a message are useless."""
_LEAST_NAME = 8
"""Cells that the name of the checkout keeps."""
_SHORT_BRANCH = 16
"""Cells of the name of a branch where there is little room."""
_LAST = 8
"""The order of what is there only if all else is, whole."""
_NEXT = ", next running"
"""The end of the words about the last night that goes first."""


# The bar of identity


class Identity(NamedTuple):
    """What the bar says; empty texts are left out."""

    checkout: str
    branch: str = ""
    other_models: bool = False
    """Whether other models are checked out than the checkout records."""
    arch: str = ""
    """The arch that the matrix is shown for; empty: every arch."""
    results: str = ""
    """How old the newest night is."""
    going: str = ""
    """The progress of runs that are running or waiting."""
    pending: str = ""
    """Changes that wait for a decision or a write."""
    hosts: str = ""
    few_hosts: str = ""
    """The same in few cells."""
    lease: str = ""
    """How long a machine is still there: never cut."""
    read_only: bool = False


class _Part(NamedTuple):
    text: str
    style: str = ""
    order: int = 0
    """Where there is too little room, parts with a low number are there before those with a high one; 0: it stays."""
    short: str = ""
    """The same in fewer cells: all parts are short before one of them is not there."""


def identity_bar(who: Identity, width: int) -> list[Cell]:
    """The bar in `width` cells, what limits a person at its end."""
    name, *parts = (part for part in _parts(who) if part.text)
    limits = (who.lease, "read-only" if who.read_only else "")
    right = [_Part(text, "warn") for text in limits if text]
    room = width - _cells(right) - len(_GAP) * bool(right)
    name = name._replace(text=fit(name.text, max(_LEAST_NAME, min(cell_len(name.text), room))).rstrip())
    left = [name, *_fitted(parts, room - cell_len(name.text))]
    blank = max(0, width - _cells(left) - _cells(right))
    return [*_joined(left), Cell(" " * blank), *_joined(right)]


def _fitted(parts: Sequence[_Part], room: int) -> Sequence[_Part]:
    """The parts that have room, short where they must be."""
    ordered, texts = sorted(parts, key=lambda part: part.order), dict[_Part, str]()

    def say(part: _Part, text: str, room: int) -> int:
        more = len(_GAP) * (part not in texts) + cell_len(text) - cell_len(texts.get(part, ""))
        if more > room:
            return room
        texts[part] = text
        return room - more

    for part in ordered:
        room = say(part, part.short or part.text, room) if part.order < _LAST else room
    for part in ordered:
        room = say(part, part.text, room)
    return [part._replace(text=texts[part]) for part in parts if part in texts]


def _parts(who: Identity) -> Sequence[_Part]:
    branch, night = one_line(who.branch), who.results.removesuffix(_NEXT).removeprefix("last ")
    return (
        _Part(one_line(who.checkout), "title"),
        _Part(f"on {branch}" if branch else "", "", 7, f"on {fit(branch, min(cell_len(branch), _SHORT_BRANCH))}"),
        _Part("other models" if who.other_models else "", "warn", 1),
        _Part(f"arch {who.arch}" if who.arch else "every arch", "" if who.arch else "dim", 3 if who.arch else _LAST),
        _Part(who.results, "dim", 6, night),
        _Part(who.going, "running", 2, who.going.partition(",")[0]),
        _Part(who.pending, "mark", 4),
        _Part(who.hosts, "dim", 5, who.few_hosts),
    )


def _cells(parts: Sequence[_Part]) -> int:
    return sum(cell_len(part.text) for part in parts) + len(_GAP) * max(0, len(parts) - 1)


def _joined(parts: Sequence[_Part]) -> list[Cell]:
    cells: list[Cell] = []
    for at, part in enumerate(parts):
        cells += [Cell(_GAP)] if at else []
        cells.append(Cell(part.text, part.style))
    return cells


# The tabs


class Tab(NamedTuple):
    """A screen in the line."""

    key: str
    name: str
    current: bool = False

    @property
    def text(self) -> str:
        return f"{self.key} {self.name}".strip()

    def bare(self) -> "Tab":
        """Without its name, unless it is the current one."""
        return self if self.current else self._replace(name="")


def tab_width(tabs: Sequence[Tab], gap: int) -> int:
    """Cells of tabs in a line."""
    return sum(cell_len(tab.text) for tab in tabs) + gap * max(0, len(tabs) - 1)


def tab_line(tabs: Sequence[Tab], width: int) -> tuple[Sequence[Tab], int]:
    """The tabs in a line of `width` cells, and the gap between them.

    Where not all names have room, they are dropped from the right; keys never are, nor the name of the current one.
    """
    if tab_width(tabs, 2) <= width:
        return tabs, 2
    fitted = list(tabs)
    for at in reversed(range(len(fitted))):
        if tab_width(fitted, 1) <= width:
            break
        fitted[at] = fitted[at].bare()
    return fitted, 1


# The rule above a pane


def rule_line(title: str, words: Sequence[str], place: str, width: int, *, lit: bool) -> list[Cell]:
    """A rule with the title of the pane below it, what there is to say, and where the cursor is, in `width` cells.

    Of the pane with the focus it is `lit`: heavy, also where there are no colours.
    """
    stroke, line = ("━", "rule-lit") if lit else ("─", "rule")
    place = place if place and cell_len(place) + _LEAST_WORDS + 8 <= width else ""
    tail = [Cell(f" {place} ", "" if lit else "dim"), Cell(stroke, line)] if place else []
    room = width - 3 - sum(cell_len(cell.text) for cell in tail) - 1
    said = fitted_words([title, *words], (), room, " · ")
    if not said:
        return [Cell(stroke * max(0, width - sum(cell_len(cell.text) for cell in tail)), line), *tail]
    head = [Cell(stroke, line), Cell(f" {said[0]}", "rule-title-lit" if lit else "rule-title")]
    head.append(Cell("".join(f" · {one}" for one in said[1:]) + " ", "dim"))
    filled = sum(cell_len(cell.text) for cell in (*head, *tail))
    return [*head, Cell(stroke * max(0, width - filled), line), *tail]


def place_text(position: int, count: int) -> str:
    """`12 of 163`; empty where there is nothing to count."""
    return f"{position + 1:,} of {count:,}" if count else ""


# The line of messages


def message_line(keyed: Sequence[str], hint: str, resting: Sequence[Sequence[Cell]], width: int) -> list[Cell]:
    """Messages that name a key, each whole or not at all, and beside them what the screen says at rest.

    Where there is no message, only the first part of that is cut; a later one is there where all of it has room.
    """
    said = fitted_words((), (*keyed, hint), width)
    cells = [Cell(one if not at else f"{_GAP}{one}", "hint" if one == hint else "") for at, one in enumerate(said)]
    for part in filter(None, resting):
        if not cells:
            cells = _cut(part, width)
        elif sum(cell_len(cell.text) for cell in (*cells, *part)) + len(_GAP) <= width:
            cells += [Cell(_GAP), *part]
    return cells


def _cut(cells: Sequence[Cell], width: int) -> list[Cell]:
    """Cells in at most `width`; a sign says that some are not."""
    left, shown = width, list[Cell]()
    for cell in cells:
        if (wide := cell_len(cell.text)) > left:
            return [*shown, Cell(fit(cell.text, left), cell.style)] if left else shown
        shown.append(cell)
        left -= wide
    return shown


def fitted_words(words: Sequence[str], keyed: Sequence[str], width: int, gap: str = _GAP) -> list[str]:
    """Messages in at most `width` cells: the last ones are cut, or go. `keyed` are shown whole or not at all."""
    whole = list(_within(keyed, width, len(gap)))
    room = width - sum(cell_len(one) + len(gap) for one in whole)
    left = [one for one in words if one]
    while left and (over := cell_len(gap.join(left)) - room) > 0:
        least = cell_len(left[-1]) - over
        if least >= _LEAST_WORDS:
            left[-1] = fit(left[-1], least).rstrip()
        else:
            left.pop()
    return [*left, *whole]


def _within(texts: Sequence[str], width: int, gap: int) -> Iterator[str]:
    """The first of `texts` that fit beside each other."""
    for text in filter(None, texts):
        if cell_len(text) <= width:
            width -= cell_len(text) + gap
            yield text
