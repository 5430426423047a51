# SPDX-License-Identifier: Apache-2.0
"""Two texts side by side: equal lines folded, made as they become visible."""

from collections.abc import Sequence
from typing import NamedTuple

from core.runs.ir import Change, ProgramDiff
from core.text import one_line
from tui.view_models.fitting import fit
from tui.view_models.style import Cell, Line

_CONTEXT = 2
"""Equal lines that stay before and after a difference."""
_LEAST_FOLD = 3
"""Fewer lines are not worth a line that says how many they are."""
_BETWEEN = " │ "


class Pair(NamedTuple):
    """A line of each side."""

    left: str
    right: str
    differs: bool
    style: str = ""
    """Of both sides; empty: that of what was taken away and what was added."""


class _Fold(NamedTuple):
    """Equal lines that are not shown."""

    lines: int


class PairLines:
    """A LineSource over pairs. `width` is that of a whole line in cells, `offset` the first character of each side."""

    def __init__(self, pairs: Sequence[Pair], *, folded: bool = True) -> None:
        self.pairs = pairs
        self.width = 80
        self.offset = 0
        self.rows: list[int | _Fold] = _folded(pairs) if folded else list(range(len(pairs)))
        self.differences = [at for at, row in enumerate(self.rows) if isinstance(row, int) and self._begins(row)]
        """The rows at which something begins to differ."""

    def _begins(self, number: int) -> bool:
        return self.pairs[number].differs and (number == 0 or not self.pairs[number - 1].differs)

    @property
    def line_count(self) -> int:
        return len(self.rows)

    def lines(self, first: int, count: int) -> Sequence[Line]:
        return [self._line(row) for row in self.rows[first : first + count]]

    def _line(self, row: int | _Fold) -> Line:
        if isinstance(row, _Fold):
            return [Cell(fit(f"   … {row.lines:,} equal lines", self.width), "dim")]
        pair = self.pairs[row]
        half = max(1, (self.width - len(_BETWEEN)) // 2)
        left, right = (fit(one_line(text[self.offset :]), half) for text in pair[:2])
        if not pair.differs:
            return [Cell(left), Cell(_BETWEEN, "dim"), Cell(right)]
        removed, added = pair.style or "removed", pair.style or "added"
        return [
            Cell(left, removed if pair.left else ""),
            Cell(_BETWEEN, "dim"),
            Cell(right, added if pair.right else ""),
        ]


def _folded(pairs: Sequence[Pair]) -> list[int | _Fold]:
    rows: list[int | _Fold] = []
    at = 0
    while at < len(pairs):
        end = at
        while end < len(pairs) and not pairs[end].differs:
            end += 1
        first = at + (_CONTEXT if at else 0)
        last = end - (_CONTEXT if end < len(pairs) else 0)
        if last - first >= _LEAST_FOLD:
            rows += [*range(at, first), _Fold(last - first), *range(last, end)]
        else:
            rows += range(at, end)
        while end < len(pairs) and pairs[end].differs:
            rows.append(end)
            end += 1
        at = end
    return rows


def program_pairs(diff: ProgramDiff) -> list[Pair]:
    """Two programs op by op. An op on results of other ops has a style of its own."""
    found = []
    for row in diff.rows:
        left, right = (f"{op.line:>5} {op.text}" if op else "" for op in (row.left, row.right))
        style = "hunk" if row.change is Change.OPERANDS else ""
        found.append(Pair(left, right, row.change is not Change.SAME, style))
    return found
