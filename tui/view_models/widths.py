# SPDX-License-Identifier: Apache-2.0
"""The widths of the columns of a table: one rule for all tables, which only say what their columns are.

A column is as wide as its texts need. Where there is too little room, each has at least the width with which it is of
use, and those that yield most go. What is left is dealt out among the columns whose texts are cut, so that none is cut
while cells are free.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from tui.view_models.ids import Identified, IdLook, id_look, looks_of
from tui.view_models.rows import Row, RowSource
from tui.view_models.style import TableColumn

_SAMPLE = 64
"""So many rows, from all over a table, are looked at before it is painted; the others when they become visible."""
_MOST_SEEN = 4096


def column_widths(columns: Sequence[TableColumn], needs: Sequence[int], total: int) -> list[int]:
    """The width of each column in a line of `total` cells; 0: it is not shown.

    `needs` are the cells of the widest text of each. There is one cell for the mark, and one behind each column.
    """
    wanted = [max(column.least, min(need, column.most or need)) for column, need in zip(columns, needs, strict=True)]
    floors = [min(column.width, need) for column, need in zip(columns, wanted, strict=True)]
    shown = _shown(columns, floors, total)
    least = [floor if at in shown else 0 for at, floor in enumerate(floors)]
    free = total - 1 - sum(least) - len(shown)
    if free < 0:
        return _dealt(columns, [0] * len(columns), least, free + sum(least))
    for at, column in enumerate(columns) if len(shown) == len(columns) else ():
        if 0 < column.roomy - least[at] <= free:
            free -= column.roomy - least[at]
            least[at] = wanted[at] = column.roomy
    full = [max(least[at], wanted[at]) if at in shown else 0 for at in range(len(columns))]
    widths = _dealt(columns, least, full, free)
    for at in shown:
        if columns[at].fills:
            widths[at] += free - sum(widths) + sum(least)
            break
    return widths


def _shown(columns: Sequence[TableColumn], floors: Sequence[int], total: int) -> set[int]:
    """The columns that fit, by their numbers. After one that does not, none that yields as much or more is shown."""
    used = [at for at, floor in enumerate(floors) if floor]
    # Of those that never go, each has a cell at least.
    shown = [at for at in used if not columns[at].yields][: max(0, total - 1) // 2]
    left = total - 1 - sum(floors[at] + 1 for at in shown)
    for at in sorted((at for at in used if columns[at].yields), key=lambda at: columns[at].yields):
        left -= floors[at] + 1
        if left < 0:
            break
        shown.append(at)
    return set(shown)


def _dealt(columns: Sequence[TableColumn], least: Sequence[int], full: Sequence[int], free: int) -> list[int]:
    """`free` cells dealt to columns that have `least` of what is `full`: round by round, each as many as its share."""
    widths = list(least)
    while free > 0 and widths != full:
        for at, column in enumerate(columns):
            given = min(column.share, full[at] - widths[at], free)
            widths[at] += given
            free -= given
    return widths


class Fitted(NamedTuple):
    """Columns in a line of some width."""

    widths: list[int]
    look: IdLook


class Fitting:
    """The widths of the columns of some rows, and the display of their ids. The widest texts become known as rows are
    seen."""

    def __init__(self, source: RowSource) -> None:
        self.source = source
        self.columns = source.columns
        self._needs: list[int] = []
        self._seen: set[int] = set()
        self._ids: Sequence[str] = ()
        self._fitted: dict[int, Fitted] = {}
        """By the width of the table."""

    def widths(self, total: int) -> list[int]:
        """The width of each column in a line of `total` cells; 0: it is not shown."""
        return self.at(total).widths

    def look(self, total: int) -> IdLook:
        """The display of ids in a line of that width."""
        return self.at(total).look

    def forget(self) -> None:
        """The texts of the rows have changed."""
        self._seen.clear()

    def see(self, positions: Sequence[int]) -> bool:
        """Take in rows that become visible; whether a text is wider than all before."""
        new = [at for at in positions if at not in self._seen]
        if not new:
            return False
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        self._seen.update(new)
        before = list(self._known())
        for at in new:
            _widen(self._needs, self.source.cells(at))
        if self._needs == before:
            return False
        self._fitted.clear()
        return True

    def _known(self) -> list[int]:
        if not self._needs:
            self._needs = [cell_len(column.title) for column in self.columns]
            if isinstance(self.source, Identified) and any(column.ids for column in self.columns):
                self._ids = list(self.source.ids())
            count = len(self.source)
            for nth in range(min(count, _SAMPLE)):
                _widen(self._needs, self.source.cells(nth * count // min(count, _SAMPLE)))
        return self._needs

    def at(self, total: int) -> Fitted:
        """The columns in a line of `total` cells."""
        fitted = self._fitted.get(total)
        if fitted is None:
            fitted = self._fitted[total] = self._new_fit(total)
        return fitted

    def _new_fit(self, total: int) -> Fitted:
        needs = self._known()
        at = next((at for at, column in enumerate(self.columns) if column.ids), None)
        if at is None or not self._ids:
            return Fitted(column_widths(self.columns, needs, total), IdLook())
        longest, title = max(map(len, self._ids)), self.columns[at].title
        needs = [max(need, longest) if nth == at else need for nth, need in enumerate(needs)]
        widths = column_widths(self.columns, needs, total)
        if 0 < widths[at] < longest:
            # What all of them share is said above them: they need no more than the rest.
            needs[at] = min(needs[at], *(max(longest - one.left_out, one.head(title)) for one in looks_of(self._ids)))
            widths = column_widths(self.columns, needs, total)
        return Fitted(widths, id_look(self._ids, widths[at], title) if widths[at] else IdLook())


def _widen(needs: list[int], row: Row) -> None:
    """Widen what columns need to the texts of a row. A piece that has the room of several columns is none of theirs."""
    for at, cells in enumerate(row if len(row) == len(needs) else row[:-1]):
        width = sum(len(one.text) if one.text.isascii() else cell_len(one.text) for one in cells)
        if width > needs[at]:
            needs[at] = width
