# SPDX-License-Identifier: Apache-2.0
"""A grid as a heat map: each cell has a shade, the pass rate and the number of tests; with a legend of the shades."""

from collections.abc import Sequence

from rich.cells import cell_len

from core.base.text import one_line
from core.matrix.query import BACKEND, Query
from core.matrix.view import ARCH, Grid, HeatOrder, Rate, Tally, by_rate, rate
from tui.view_models.style import Cell, TableColumn, short_archs, tally_text, work_word

_NAMES, _CHANGE = 22, 6
"""Cells: what the names of the rows keep, and a change in percentage points."""

_AROUND = 6
"""Cells of a shade and its rate, before the number of tests."""
_MOST_DIGITS = 4

_SHADES = (("▁", "heat0", "less"), ("░", "heat1", "25%+"), ("▒", "heat2", "50%+"), ("▓", "heat3", "75%+"))
_FULL = ("█", "heat4", "all")
"""Shades with their styles and rates: the shade is meaningful without colour."""
_BY_NAME = HeatOrder()


class GridRows:
    """A RowSource over a Grid: the rate of each cell, shaded."""

    def __init__(self, grid: Grid, order: HeatOrder = _BY_NAME) -> None:
        self.grid = grid
        self.order = order
        self._pair = [grid.heads.index(head) for head in order.pair if head in grid.heads]
        filled = [at for at in range(len(grid.heads)) if grid.at(0, at)] or list(range(len(grid.heads)))
        self._shown = self._pair if len(self._pair) == len(order.pair) == 2 else filled
        self.difference = self._shown is self._pair
        """Whether the last column is the difference of the two columns before it."""
        by = [grid.heads.index(head) for head in order.by if head in grid.heads]
        sorted_by = by if by and len(by) == len(order.by) else []
        self._rows = by_rate(grid, sorted_by, best_first=order.best_first) if sorted_by else range(len(grid))
        empty = len(grid.heads) - len(filled) if not self.difference else 0
        arrow = "▼" if order.best_first else "▲"
        # The first row has the largest number.
        self._digits = [min(_MOST_DIGITS, len(str(sum(grid.at(0, at).values())))) for at in self._shown]
        heads = [f"{arrow * (sorted_by == [at])}{self._head(at)}" for at in self._shown]
        names = max(len(self._names_head(empty)), *(cell_len(self._label(row)) for row in self._rows))
        self.columns: Sequence[TableColumn] = (
            TableColumn(self._names_head(empty), min(_NAMES, names), most=names, elide=True),
            *(
                TableColumn(head, _AROUND + digits, elide=True)
                for head, digits in zip(heads, self._digits, strict=True)
            ),
            *([TableColumn(f"{arrow * (sorted_by == self._pair)}change", _CHANGE)] if self.difference else []),
        )

    def _names_head(self, empty: int) -> str:
        """The name of the rows, with the number of columns that have no test and are not shown."""
        layout = self.grid.layout
        noun = layout.across if layout.across in (ARCH, BACKEND) else "column"
        return f"{layout.down} · {empty} of {len(self.grid.heads)} {noun}s empty" if empty else layout.down

    def _label(self, row: int) -> str:
        return one_line(self.grid.label(row)) or "none"

    def _head(self, column: int) -> str:
        heads = self.grid.heads
        # As in the table of tests, the full name is shown for the cell under the cursor.
        return short_archs(heads)[column] if self.grid.layout.across == ARCH else work_word(heads[column])

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, position: int) -> str:
        return self.grid.label(self._rows[position]) if position else ""

    def marked(self, position: int) -> bool:
        return False

    def heads(self, column: int) -> tuple[str, ...]:
        """The heads of the grid columns behind a shown column; for the difference, both of its columns."""
        if not self.grid.heads:
            return ()
        if self.difference and column == len(self._shown):
            return tuple(self.grid.heads[at] for at in self._pair)
        return (self.grid.heads[self._shown[column]],)

    def counts(self, position: int, column: int) -> Tally:
        """The tests of a cell; for the difference, those of the second column."""
        return self.grid.at(self._rows[position], self._column(column)) if self.grid.heads else {}

    def query_of(self, position: int, column: int) -> Query:
        """A query for exactly the tests of a cell."""
        return self.grid.query_of(self._rows[position], self._column(column))

    def _column(self, column: int) -> int:
        return self._shown[min(column, len(self._shown) - 1)]

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        grid, row = self.grid, self._rows[position]
        return (
            [Cell(self._label(row), "" if position else "running")],
            *(cell_look(grid.at(row, at), digits) for at, digits in zip(self._shown, self._digits, strict=True)),
            *([self._change(row)] if self.difference else []),
        )

    def _change(self, row: int) -> list[Cell]:
        return change_look(*(rate(self.grid.at(row, column)) for column in self._pair))

    def cell_text(self, position: int, column: int) -> str:
        """A cell in words."""
        counts = self.counts(position, column)
        if not counts:
            return self.title(position, column)
        known = self.grid.results_known
        ended = self.grid.outcomes(self._rows[position], self._column(column)).words if known else "results: …"
        return "   ".join(filter(None, (self.title(position, column), tally_text(counts, self._none), ended)))

    @property
    def _none(self) -> str:
        """Words for tests that count for no rate."""
        return "without a result" if self.grid.layout.results else "unspecified"

    def title(self, position: int, column: int) -> str:
        """The meaning of the row and column of a cell."""
        if not self.grid.heads:
            return ""
        head = " to ".join(map(one_line, self.heads(column)))
        return f"{self._label(self._rows[position])} · {head}"


def cell_look(counts: Tally, digits: int) -> list[Cell]:
    """`▓ 80%   24`: 24 tests with an entry, 80% expected to pass; for op cases, 80% of 24 results are passes.

    The number of tests has so many `digits` in the whole column.
    `·` and the number of tests if none has an entry, and nothing if there is no test.
    """
    if not counts:
        return [Cell("")]
    found = rate(counts)
    if found.percent is None:
        return [Cell(f"·     {_short(sum(counts.values())):>{digits}}", "dim")]
    return [shaded(found.percent, f"% {_short(found.total):>{digits}}")]


def change_look(before: Rate, after: Rate) -> list[Cell]:
    """`▼ -30`: the second rate minus the first, in percentage points; nothing if one of them is missing."""
    if before.share is None or after.share is None:
        return [Cell("")]
    points = round(100 * (after.share - before.share))
    if before.share == after.share:
        return [Cell("=", "dim")]
    return [Cell(f"{'▲' if after.share > before.share else '▼'} {points:+}", "pass" if points > 0 else "fail")]


def grid_legend(grid: Grid) -> list[Cell]:
    """The meaning of the shades of a grid, in one line."""
    shades = ("results that passed", "result") if grid.layout.results else ("entries that PASS", "entry")
    return legend_of_shades(*shades)


def legend_of_shades(share: str, missing: str) -> list[Cell]:
    """The meaning of the shades of any heat map, in one line: they are a `share`, and `·` is where none is known."""
    cells = [Cell(f"{share}:", "dim")]
    for sign, style, words in (_FULL, *reversed(_SHADES)):
        cells += [Cell(" "), Cell(f"{sign} {words} ", style)]
    return [*cells, Cell(f"  · no {missing}", "dim")]


def shaded(percent: int, after: str) -> Cell:
    """A rate, 0 to 100, behind its shade, and what follows it: `▓ 80`."""
    sign, style, _ = _FULL if percent == 100 else _SHADES[percent // 25]
    return Cell(f"{sign}{percent:>3}{after}", style)


def _short(number: int) -> str:
    """A count in at most `_MOST_DIGITS` characters."""
    if number < 10_000:
        return str(number)
    return f"{number // 1000}k" if number < 1_000_000 else f"{number // 1_000_000}M"
