# SPDX-License-Identifier: Apache-2.0
"""Rows of a table in groups, each below a heading; a group of one has none."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from tui.view_models.ids import Identified
from tui.view_models.style import Cell, TableColumn

_HEADING = "\0"
"""What the keys of headings begin with: no other key does."""


class Rows(Protocol):
    """What is grouped."""

    @property
    def columns(self) -> Sequence[TableColumn]: ...

    def __len__(self) -> int: ...

    def key(self, position: int) -> str: ...

    def cells(self, position: int) -> Sequence[Sequence[Cell]]: ...

    def marked(self, position: int) -> bool: ...


class RowGroup(NamedTuple):
    """Some rows, with what they have in common."""

    key: str
    heading: Sequence[Cell]
    rows: Sequence[int]


class GroupedRows:
    """A RowSource over rows in groups."""

    def __init__(self, rows: Rows, groups: Sequence[RowGroup], folded: Collection[str] = ()) -> None:
        """`folded` are the keys of groups whose rows are hidden. Without groups, all rows are there as they are."""
        self.rows = rows
        self.columns = rows.columns
        self.groups = groups or [RowGroup("", (), range(len(rows)))]
        headed = len(groups) > 1
        self._folded = folded
        self._lines: list[tuple[RowGroup, int | None]] = []
        for group in self.groups:
            headless = not headed or len(group.rows) == 1
            self._lines += [] if headless else [(group, None)]
            self._lines += [(group, row) for row in group.rows] if headless or group.key not in folded else []

    def __len__(self) -> int:
        return len(self._lines)

    def row(self, position: int) -> int | None:
        """The row at a position; None for a heading, and beyond the end."""
        return self._lines[position][1] if 0 <= position < len(self._lines) else None

    def group(self, position: int) -> RowGroup | None:
        """The group at a position."""
        return self._lines[position][0] if 0 <= position < len(self._lines) else None

    def key(self, position: int) -> str:
        group, row = self._lines[position]
        return f"{_HEADING}{group.key}" if row is None else self.rows.key(row)

    @staticmethod
    def heading_key(group: RowGroup) -> str:
        """The key of the heading of a group."""
        return f"{_HEADING}{group.key}"

    def ids(self) -> Iterable[str]:
        return self.rows.ids() if isinstance(self.rows, Identified) else ()

    def marked(self, position: int) -> bool:
        row = self.row(position)
        return row is not None and self.rows.marked(row)

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        group, row = self._lines[position]
        if row is not None:
            return self.rows.cells(row)
        arrow = "▸" if group.key in self._folded else "▾"
        return ([Cell(f"{arrow} {len(group.rows):,} x ", "running"), *group.heading],)
