# SPDX-License-Identifier: Apache-2.0
"""With little output the terminal still shows what was painted."""

import random
from collections.abc import Sequence

import pyte
import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

from tui.terminal import Repaint

WIDTH, HEIGHT, SPLIT = 24, 8, 20
SIZE = Size(WIDTH, HEIGHT)
CONSOLE = Console(color_system="truecolor", force_terminal=True)
STYLES = [Style(), Style(bold=True), Style(bgcolor="red")]

Line = tuple[str, int]
"""A text and its style, left of a bar."""


def _strips(line: Line, y: int) -> list[Strip]:
    text, style = line
    words = [Segment(word, STYLES[style]) for word in (text[:4], text[4:])]
    bar = Segment("#" if y % 3 else "|", STYLES[0])
    return [Strip(words).adjust_cell_length(SPLIT), Strip([bar]).adjust_cell_length(WIDTH - SPLIT)]


class Glass:
    """A terminal, and the lines it should show."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)
        self._repaint = Repaint()

    def whole(self, lines: Sequence[Line]) -> int:
        update = LayoutUpdate([_strips(line, y) for y, line in enumerate(lines)], SIZE.region)
        return self.write(update)

    def part(self, lines: Sequence[Line], dirty: Sequence[int]) -> int:
        chops: list[dict[int, Strip | None]] = []
        for y, line in enumerate(lines):
            left, bar = _strips(line, y)
            chops.append({0: left, SPLIT: bar} if y in dirty else {0: None, SPLIT: None})
        spans = [(y, 0, WIDTH) for y in dirty]
        return self.write(ChopsUpdate(chops, spans, [[SPLIT, WIDTH]] * HEIGHT))

    def forget(self) -> None:
        self.screen.reset()
        self._repaint.forget()

    def write(self, update: ChopsUpdate | LayoutUpdate) -> int:
        text = self._repaint.lean(update, SIZE, [[0, SPLIT, WIDTH]] * HEIGHT).render_segments(CONSOLE)
        self._stream.feed(text)
        return len(text)

    def shows(self, lines: Sequence[Line]) -> bool:
        """Whether it looks like a terminal that was given only these lines."""
        fresh = Glass()
        fresh.whole(lines)
        return self._cells() == fresh._cells()

    def _cells(self) -> list[object]:
        cells = self.screen.buffer
        return [
            (cell.data, cell.bold, cell.bg) for y in range(HEIGHT) for cell in map(cells[y].__getitem__, range(WIDTH))
        ]


_TEXTS = ["", "one line", "another line", "two two", "ein Wort 界 breit", "x" * 20]


def _moved(lines: list[Line], first: int, last: int, rows: int, new: list[Line]) -> list[Line]:
    """Move a part of the lines up or down, with new lines in the vacated place."""
    part = lines[first:last]
    there = [part[at + rows] if 0 <= at + rows < len(part) else new[at] for at in range(len(part))]
    return [*lines[:first], *there, *lines[last:]]


@pytest.mark.parametrize("seed", range(150))
def test_what_was_painted_is_shown(seed: int) -> None:
    chance = random.Random(seed)

    def screen() -> list[Line]:
        return [(chance.choice(_TEXTS), chance.randrange(3)) for _ in range(HEIGHT)]

    glass, lines = Glass(), screen()
    glass.whole(lines)
    for _ in range(6):
        first, last = sorted(chance.sample(range(HEIGHT + 1), 2))
        lines = _moved(lines, first, last, chance.randint(-5, 5), screen())
        if chance.random() < 0.3:
            glass.whole(lines)
        else:
            glass.part(lines, range(first, last))
        assert glass.shows(lines)


def test_what_lies_below_is_not_written_where_nothing_has_changed() -> None:
    """When a table is repainted beside a message over it, the update also contains the table below."""
    glass = Glass()
    glass.whole(NUMBERED[:HEIGHT])
    left, below = Strip([Segment("changed")]).adjust_cell_length(SPLIT), Strip([Segment("TTTT")])
    chops: list[dict[int, Strip | None]] = [{0: None, SPLIT: None} for _ in range(HEIGHT)]
    chops[0] = {0: left, SPLIT: below}
    glass.write(ChopsUpdate(chops, [(0, 0, SPLIT)], [[SPLIT, WIDTH]] * HEIGHT))
    assert glass.shows([("changed", 0), *NUMBERED[1:HEIGHT]])


def test_no_border_of_a_closed_dialog_stays_beside_what_painted_too_little() -> None:
    """A pane may have become wider without knowing it when a dialog closes: it repaints soon after."""
    glass, wanted = Glass(), NUMBERED[:HEIGHT]
    edge = Strip([Segment(" " * (WIDTH - SPLIT - 1)), Segment("│")])
    glass.write(LayoutUpdate([iter((Strip.blank(SPLIT), edge)) for _ in range(HEIGHT)], SIZE.region))
    painted = (_strips(line, y) for y, line in enumerate(wanted))
    glass.write(LayoutUpdate([iter((left.crop(0, SPLIT - 1), bar)) for left, bar in painted], SIZE.region))
    assert not any("│" in line for line in glass.screen.display)
    chops: list[dict[int, Strip | None]] = [{0: _strips(line, y)[0], SPLIT: None} for y, line in enumerate(wanted)]
    glass.write(ChopsUpdate(chops, [(y, 0, SPLIT) for y in range(HEIGHT)], [[SPLIT, WIDTH]] * HEIGHT))
    assert glass.shows(wanted)


NUMBERED: list[Line] = [(f"line number {number}", 0) for number in range(40)]


def test_a_line_more_costs_a_line() -> None:
    glass = Glass()
    glass.whole(NUMBERED[:HEIGHT])
    one = len(_strips(NUMBERED[0], 0)[0].render(CONSOLE))
    for at in range(1, 10):
        lines = NUMBERED[at : at + HEIGHT]
        # A line of the log, some cells of the bar, and the words that scroll.
        assert glass.part(lines, range(HEIGHT)) < one + 90
        assert glass.shows(lines)


def test_back_and_by_several_lines() -> None:
    glass = Glass()
    glass.whole(NUMBERED[:HEIGHT])
    whole = sum(len(strip.render(CONSOLE)) for y, line in enumerate(NUMBERED[:HEIGHT]) for strip in _strips(line, y))
    for at in (2, 0, 4, 1, 3):
        lines = NUMBERED[at : at + HEIGHT]
        assert glass.part(lines, range(HEIGHT)) < whole
        assert glass.shows(lines)


def test_what_is_the_same_is_not_written_until_it_is_forgotten() -> None:
    glass = Glass()
    lines = NUMBERED[:HEIGHT]
    assert glass.whole(lines) > 100
    assert "line number 0" in glass.screen.display[0]
    assert glass.whole(lines) == glass.part(lines, range(HEIGHT)) == 0
    glass.forget()
    assert glass.part(lines, range(HEIGHT)) > 100
    assert glass.shows(lines)


def test_of_a_line_only_the_words_that_changed_are_written() -> None:
    glass = Glass()
    lines = [("abcdefgh", 0)] * HEIGHT
    glass.whole(lines)
    changed = [*lines[:3], ("abcdEFGH", 0), *lines[4:]]
    assert glass.part(changed, range(HEIGHT)) < 20
    assert glass.shows(changed)
