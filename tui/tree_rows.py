# SPDX-License-Identifier: Apache-2.0
"""The rows of the matrix table in groups: a heading with a bar of statuses, and below it, unfolded, its tests."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.matrix.tally import DECLARED
from core.matrix.view import View
from core.model import Status
from core.text import one_line
from tui.matrix_rows import MatrixRows
from tui.presentation import STATUS_LOOKS, WORD_LOOKS, Cell, bar, fit

if TYPE_CHECKING:
    from core.matrix.tree import Group, Line, Tree

_COUNTS_FROM = 110
"""Width from which a heading says its counts beside the bar."""
_HEADING = "\0"
"""Begins the keys of headings, as it can begin no id."""


class TreeRows:
    """A RowSource over a Tree of a View's tests. Marks are live."""

    def __init__(self, tree: "Tree", view: View, tests: MatrixRows) -> None:
        """`tests` knows how a test looks."""
        self.tree = tree
        self._view = view
        self._tests = tests
        self.columns = tests.columns
        self._largest = max((len(group.rows) for group in tree.groups), default=1)

    def over(self, tree: "Tree") -> "TreeRows":
        """The same over another tree of the same tests."""
        return TreeRows(tree, self._view, self._tests)

    def __len__(self) -> int:
        return len(self.tree)

    def line(self, position: int) -> "Line":
        return self.tree.line(position)

    def key(self, position: int) -> str:
        line = self.line(position)
        return self.heading_key(line.group) if line.row is None else self._view.matrix.ids[line.row]

    def heading_key(self, group: "Group") -> str:
        """The key of a group's heading."""
        return _HEADING + group.text

    def position_of(self, key: str) -> int | None:
        if key.startswith(_HEADING):
            return self.tree.heading(key[1:])
        row = self._view.matrix.rows.get(key)
        return None if row is None else self.tree.place(row)

    def marked(self, position: int) -> bool:
        return self.mark(position) == "▌"

    def mark(self, position: int) -> str:
        """A bar where all of it is marked, half a bar where some is."""
        line = self.line(position)
        if line.row is not None:
            return "▌" if self._view.matrix.ids[line.row] in self._view.marks else " "
        count = line.group.marked(self._view.marks)
        return "▌" if count == len(line.group.rows) else "▖" if count else " "

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        row = self.line(position).row
        if row is None:
            return []
        first, *others = self._tests.cells_of(row)
        return [[Cell("  "), *first], *others]

    def heading(self, position: int, width: int) -> list[Cell] | None:
        """The pieces of a heading over the whole width, its bar as long as the group is large; None for a test."""
        line = self.line(position)
        if line.row is not None:
            return None
        group = line.group
        arrow = "▾ " if group.text in self.tree.opened else "▸ "
        room = _bar_width(width)
        # To scale, but what is there at all has a cell.
        cells = max(min(room, sum(map(bool, group.tally.values()))), round(room * len(group.rows) / self._largest))
        tail = [Cell(f"{len(group.rows):>7,} "), *bar(group.tally, cells), Cell(" " * (room - cells))]
        if width >= _COUNTS_FROM:
            tail += _counts(group)
        left = width - len(arrow) - sum(len(cell.text) for cell in tail)
        return [Cell(arrow, "running"), Cell(fit(one_line(group.text) or "none", max(0, left), elide=True)), *tail]


def _bar_width(width: int) -> int:
    return 24 if width >= _COUNTS_FROM else max(10, width // 3)


def _counts(group: "Group") -> list[Cell]:
    """How many tests have each status that somebody declared, in columns."""
    cells = [Cell("  ")]
    for word in DECLARED:
        count, look = group.tally.get(word, 0), WORD_LOOKS[word]
        cells.append(Cell(f"{look.letter} {count:<5,} " if count else " " * 8, look.style))
    undeclared = group.tally.get(Status.UNSPECIFIED, 0)
    letter = STATUS_LOOKS[Status.UNSPECIFIED].letter
    return [*cells, Cell(f"{letter} {undeclared:<6,}" if undeclared else " " * 8, "dim")]
