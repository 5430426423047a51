# SPDX-License-Identifier: Apache-2.0
"""The widths of the columns of a table: one rule for all tables, which only say what their columns are.

A column is as wide as its texts need. Where there is too little room, each has at least the width with which it is of
use, and those that yield most go. What is left is dealt out among the columns whose texts are cut, so that none is cut
while cells are free. A column that says the same in every row says least: it yields before all others.

A list beside its detail is as wide as that needs.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from tui.view_models.ids import IdColumn, Identified, IdLook
from tui.view_models.rows import Row, RowSource
from tui.view_models.style import TableColumn

_SAMPLE = 64
"""So many rows, from all over a table, are looked at before it is painted; the others when they become visible."""
_MOST_SEEN = 4096


def column_widths(
    columns: Sequence[TableColumn], needs: Sequence[int], total: int, alike: Collection[int] = ()
) -> list[int]:
    """The width of each column in a line of `total` cells; 0: it is not shown.

    `needs` are the cells of the widest text of each. There is one cell for the mark, and one behind each column. The
    columns with the numbers `alike` say the same in every row: while a text is cut or a column is gone, those of them
    that yield are gone, and so are those that are spare; the others are as narrow as is of use.
    """
    wanted = wanted_widths(columns, needs)
    widths = _widths(columns, wanted, total, alike)
    going = (at for at, one in enumerate(columns) if one.yields and (at in alike or one.spare))
    for at in sorted(going, key=lambda at: -columns[at].yields):
        if all(width >= want for width, want in zip(widths, wanted, strict=True)):
            break
        wanted[at] = 0
        widths = _widths(columns, wanted, total, alike)
    return widths


def _widths(columns: Sequence[TableColumn], wanted: Sequence[int], total: int, alike: Collection[int]) -> list[int]:
    """The widths of columns that are as wide as their texts with `wanted` cells; with 0, they are gone."""
    floors = [min(column.width, need) for column, need in zip(columns, wanted, strict=True)]
    shown = _shown(columns, floors, total)
    least = [floor if at in shown else 0 for at, floor in enumerate(floors)]
    full = [need if at in shown else 0 for at, need in enumerate(wanted)]
    free = total - 1 - sum(least) - len(shown)
    if free < 0:
        return _dealt(columns, [0] * len(columns), least, free + sum(least))
    for at, column in enumerate(columns) if len(shown) == len(columns) else ():
        if 0 < column.roomy - least[at] <= free:
            free -= column.roomy - least[at]
            least[at] = column.roomy
    full = [max(pair) for pair in zip(least, full, strict=True)]
    end = sum(least) + free
    widths = _dealt(columns, least, [least[at] if at in alike else one for at, one in enumerate(full)], free)
    widths = _dealt(columns, widths, full, end - sum(widths))
    for at in shown:
        if columns[at].fills:
            widths[at] += end - sum(widths)
            break
    return widths


def wanted_widths(columns: Sequence[TableColumn], needs: Sequence[int]) -> list[int]:
    """The width of each column where there is room for all."""
    return [max(column.least, min(need, column.most or need)) for column, need in zip(columns, needs, strict=True)]


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
        self._said: dict[int, str] = {}
        """The texts of columns that say the same in every row that is known, by the numbers of the columns."""
        self._told = 0
        """So many rows have been compared with those texts."""
        self._seen: set[int] = set()
        self._ids: IdColumn | None = None
        self._fitted: dict[int, Fitted] = {}
        """By the width of the table."""

    def widths(self, total: int) -> list[int]:
        """The width of each column in a line of `total` cells; 0: it is not shown."""
        return self.at(total).widths

    @property
    def roomy(self) -> int:
        """The cells of a line in which no text is cut."""
        self.see(range(min(len(self.source), _MOST_SEEN)))
        return 1 + sum(width + 1 for width in wanted_widths(self.columns, self._known()) if width)

    def look(self, total: int) -> IdLook:
        """The display of ids in a line of that width."""
        return self.at(total).look

    def forget(self) -> None:
        """The texts of the rows have changed."""
        self._seen.clear()

    def see(self, positions: Sequence[int]) -> bool:
        """Take in rows that become visible; whether columns have other widths now."""
        new = [at for at in positions if at not in self._seen]
        if not new:
            return False
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        self._seen.update(new)
        before = [*self._known()], self._alike
        for at in new:
            self._take(self.source.cells(at))
        if (self._needs, self._alike) == before:
            return False
        self._fitted.clear()
        return True

    @property
    def _alike(self) -> Collection[int]:
        """The numbers of the columns that say the same in every row."""
        return self._said.keys() if self._told > 1 else ()

    def need(self, most: int) -> int:
        """The width of a line in which no more is cut than in one of `most` cells."""
        widths = [
            min(width, need) if column.fills else width
            for column, width, need in zip(self.columns, self.widths(most), self._known(), strict=True)
        ]
        headings: int = getattr(self.source, "heading_need", 0)
        return min(most, max(headings + 2, 1 + sum(width + 1 for width in widths if width)))

    def _known(self) -> list[int]:
        if not self._needs:
            self._needs = [cell_len(column.title) for column in self.columns]
            title = next((column.title for column in self.columns if column.ids), None)
            if title is not None and isinstance(self.source, Identified):
                self._ids = IdColumn(list(self.source.ids()), title)
            count = len(self.source)
            for nth in range(min(count, _SAMPLE)):
                self._take(self.source.cells(nth * count // min(count, _SAMPLE)))
        return self._needs

    def _take(self, row: Row) -> None:
        """Widen what columns need to the texts of a row, and tell which of them say what they said before.

        A piece that has the room of several columns is none of theirs.
        """
        whole = len(row) == len(self._needs)
        texts = [
            cells[0].text if len(cells) == 1 else "".join([one.text for one in cells])
            for cells in (row if whole else row[:-1])
        ]
        for at, text in enumerate(texts):
            width = len(text) if text.isascii() else cell_len(text)
            if width > self._needs[at]:
                self._needs[at] = width
        if not whole:
            return
        if not self._told:
            self._said = {at: texts[at] for at, one in enumerate(self.columns) if not (one.ids or one.stays)}
        elif self._said:
            self._said = {at: text for at, text in self._said.items() if texts[at] == text}
        self._told += 1

    def at(self, total: int) -> Fitted:
        """The columns in a line of `total` cells."""
        fitted = self._fitted.get(total)
        if fitted is None:
            fitted = self._fitted[total] = self._new_fit(total)
        return fitted

    def _new_fit(self, total: int) -> Fitted:
        needs = self._known()
        at = next((at for at, column in enumerate(self.columns) if column.ids), None)
        if at is None or self._ids is None:
            return Fitted(column_widths(self.columns, needs, total, self._alike), IdLook())
        needs = [max(need, self._ids.longest) if nth == at else need for nth, need in enumerate(needs)]
        widths = column_widths(self.columns, needs, total, self._alike)
        if 0 < widths[at] < self._ids.longest:
            # What all of them share is said above them: they need no more than the rest.
            needs[at] = min(needs[at], self._ids.need)
            widths = column_widths(self.columns, needs, total, self._alike)
        look = self._ids.look(widths[at]) if widths[at] else IdLook()
        # Groups indent the ids of their rows.
        indented = max(0, self._known()[at] - self._ids.longest)
        if look.short and (shortened := self._ids.shortened(look, widths[at]) + indented) < widths[at]:
            # What abbreviations leave free is for texts that are cut.
            needs[at] = shortened
            widths = column_widths(self.columns, needs, total, self._alike)
        return Fitted(widths, look)


LEAST_DETAIL = 76
"""Cells of a detail beside a list: diffs and logs have lines of this length."""
_MOST_DETAIL = 55
"""The most that a detail has beside a list, in a hundred: longer lines are no easier to read."""


def list_width(need: int, total: int) -> int:
    """The width of a list that needs `need` cells, beside its detail on a screen of `total` cells."""
    return max(total - total * _MOST_DETAIL // 100, min(need, total - LEAST_DETAIL))


class ListShare:
    """The width that a list has beside its detail. It is settled when rows are loaded and when the screen has another
    width: it does not follow the cursor, a filter, nor single rows that come and go."""

    def __init__(self) -> None:
        self._width = self._total = self._rows = 0

    def width(self, rows: int, total: int, need: Callable[[int], int]) -> int:
        """The width of the list of so many rows; `need` tells what they need of so many cells at most."""
        before, self._rows = self._rows, rows
        if total != self._total:
            self._width, self._total, before = 0, total, 0
        if rows and (not before or abs(rows - before) > 1):
            # What it once needed it keeps: another list on the same screen moves nothing.
            self._width = max(self._width, list_width(need(total - LEAST_DETAIL), total))
        return self._width or list_width(total, total)

    def forget(self) -> None:
        """Nobody has seen the list for a while: it may settle anew."""
        self._width = self._rows = 0
