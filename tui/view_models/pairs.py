# SPDX-License-Identifier: Apache-2.0
"""Two texts side by side with equal lines folded; lines are made as they become visible."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from core.base.text import one_line
from core.runs.ir import Change, ProgramDiff
from tui.view_models.fitting import fit
from tui.view_models.style import Cell, Line

_CONTEXT = 2
"""Equal lines shown before and after a difference."""
_LEAST_FOLD = 3
"""Fewer lines than this are shown instead of folded."""
_RULE = "│"
_BETWEEN = f" {_RULE} "


class Pair(NamedTuple):
    """A line of each side."""

    left: str
    right: str
    differs: bool
    style: str = ""
    """Style of both sides; empty: removed and added lines have their usual styles."""


class _Fold(NamedTuple):
    """Equal lines that are hidden."""

    lines: int


class Pairs(Protocol):
    """Pairs of lines, made on access."""

    @property
    def apart(self) -> Sequence[int]:
        """The positions of differing pairs, in order."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> Pair: ...


class ListedPairs:
    """Pairs from a list."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        self.apart: Sequence[int] = [at for at, pair in enumerate(pairs) if pair.differs]

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, position: int, /) -> Pair:
        return self._pairs[position]


class ProgramPairs:
    """Two programs op by op. An op whose operands come from other ops has a style of its own."""

    def __init__(self, diff: ProgramDiff) -> None:
        self._diff = diff
        self.apart: Sequence[int] = diff.differences

    def __len__(self) -> int:
        return len(self._diff)

    def __getitem__(self, position: int, /) -> Pair:
        row = self._diff[position]
        left, right = (f"{op.line:>5} {op.text}" if op else "" for op in (row.left, row.right))
        style = "hunk" if row.change is Change.OPERANDS else ""
        return Pair(left, right, row.change is not Change.SAME, style)


class PairLines:
    """A LineSource over pairs. `width` is that of a whole line in cells, `offset` the first visible character."""

    def __init__(self, pairs: Pairs, *, folded: bool = True) -> None:
        self.pairs = pairs
        self.width = 80
        self.offset = 0
        self.rows: Sequence[int | _Fold] = _folded(pairs) if folded else range(len(pairs))
        self.differences = _beginnings(pairs.apart, self.rows)
        """The rows at which a difference begins."""

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
        # The signs of a diff say it without colours too.
        minus, plus = "-" if pair.left else " ", "+" if pair.right else " "
        return [
            Cell(left, removed if pair.left else ""),
            Cell(minus, removed if pair.left else ""),
            Cell(_RULE, "dim"),
            Cell(plus, added if pair.right else ""),
            Cell(right, added if pair.right else ""),
        ]


def _beginnings(apart: Sequence[int], rows: Sequence[int | _Fold]) -> Sequence[int]:
    first = [at for number, at in enumerate(apart) if not number or apart[number - 1] != at - 1]
    if isinstance(rows, range):
        return first
    wanted = set(first)
    return [row for row, at in enumerate(rows) if at in wanted]


def _folded(pairs: Pairs) -> list[int | _Fold]:
    """All differing pairs, with some equal ones around them."""
    rows: list[int | _Fold] = []
    at = 0
    for next_apart in (*pairs.apart, len(pairs)):
        first = at + (_CONTEXT if at else 0)
        last = next_apart - (_CONTEXT if next_apart < len(pairs) else 0)
        if last - first >= _LEAST_FOLD:
            rows += [*range(at, first), _Fold(last - first), *range(last, next_apart)]
        else:
            rows += range(at, next_apart)
        if next_apart < len(pairs):
            rows.append(next_apart)
        at = next_apart + 1
    return rows
