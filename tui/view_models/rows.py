# SPDX-License-Identifier: Apache-2.0
"""Rows of a table: one for each of some items, or in groups, each below a heading; a group of one has none."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from tui.view_models.headings import (
    HEADING,
    NO_TITLES,
    HeadingTitles,
    Part,
    bar_room,
    heading_line,
    heading_need,
    rate_text,
    scaled_bar,
    title_line,
)
from tui.view_models.ids import Identified
from tui.view_models.style import Cell, TableColumn

T_co = TypeVar("T_co", covariant=True)

Row = Sequence[Sequence[Cell]]
"""The pieces of every column of a row."""


_INDENT = Cell("  ")


def below_heading(row: Row) -> Row:
    """A row of a group that has a heading: one that has none could seem to be of the group above it."""
    first, *rest = row
    return ([_INDENT, *first], *rest)


class RowSource(Protocol):
    """The rows of a table. They are asked for by position when they become visible."""

    @property
    def columns(self) -> Sequence[TableColumn]: ...

    def __len__(self) -> int: ...

    def key(self, position: int) -> str:
        """The identity of the row, wherever it moves."""
        ...

    def cells(self, position: int) -> Row:
        """The pieces of every column; where there are fewer, the last ones have the rest of the row."""
        ...

    def marked(self, position: int) -> bool: ...


class HeadedRows(RowSource, Protocol):
    """Rows among which there are headings, each over a whole line."""

    def is_heading(self, position: int) -> bool:
        """Whether there is a heading at a position."""
        ...

    def heading(self, position: int, width: int) -> Sequence[Cell]:
        """The pieces of a heading, in so many cells."""
        ...

    def heading_titles(self, width: int) -> str:
        """The titles above such pieces."""
        ...


class Rows(Generic[T_co]):
    """A RowSource over `items`, a row each."""

    def __init__(
        self,
        items: Sequence[T_co],
        columns: Sequence[TableColumn],
        cells: Callable[[T_co], Row],
        *,
        key: Callable[[T_co], str],
        id: Callable[[T_co], str] | None = None,
        marked: Callable[[T_co], bool] | None = None,
    ) -> None:
        """`cells` draws an item, `key` identifies it, `id` is the test that it is about, if it is about one."""
        self.items = items
        self.columns = columns
        self._cells = cells
        self._key = key
        self._id = id
        self._marked = marked

    def __len__(self) -> int:
        return len(self.items)

    def ids(self) -> Iterable[str]:
        """The ids of the tests, which a table shows without what all of them share."""
        return [] if self._id is None else [id for id in map(self._id, self.items) if id]

    def key(self, position: int) -> str:
        return self._key(self.items[position])

    def marked(self, position: int) -> bool:
        return self.is_marked(self.items[position])

    def is_marked(self, item: T_co) -> bool:  # type: ignore[misc]
        """Whether an item is marked."""
        return self._marked is not None and self._marked(item)

    def cells(self, position: int) -> Row:
        return self._cells(self.items[position])

    def cells_of(self, item: T_co) -> Row:  # type: ignore[misc]
        """The row of an item."""
        return self._cells(item)


class RowGroup(NamedTuple):
    """Some rows, with what they have in common."""

    key: str
    heading: Sequence[Cell]
    rows: Sequence[int]
    parts: Sequence[Part] = ()
    """The pieces of its bar. The rate is the share of the first one; of the only one, that among all rows."""


class GroupedRows:
    """A RowSource over rows in groups."""

    def __init__(
        self,
        rows: RowSource,
        groups: Sequence[RowGroup],
        folded: Collection[str] = (),
        titles: HeadingTitles = NO_TITLES,
    ) -> None:
        """`folded` are the keys of groups whose rows are hidden. Without groups, all rows are there as they are."""
        self.rows = rows
        self._titles = titles
        self._largest = max((len(group.rows) for group in groups), default=0)
        self.columns = rows.columns
        self.groups = groups or [RowGroup("", (), range(len(rows)))]
        headed = len(groups) > 1
        self._headed = [group for group in groups if len(group.rows) > 1] if headed else []
        self._in_parts = any(len(group.parts) > 1 for group in groups)
        self._folded = folded
        self._lines: list[tuple[RowGroup, int | None]] = []
        self._headings: list[int | None] = []
        """By line, the line of its heading."""
        for group in self.groups:
            headless = not headed or len(group.rows) == 1
            heading = None if headless else len(self._lines)
            self._lines += [] if headless else [(group, None)]
            self._lines += [(group, row) for row in group.rows] if headless or group.key not in folded else []
            self._headings += [heading] * (len(self._lines) - len(self._headings))

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
        return self.heading_key(group) if row is None else self.rows.key(row)

    def heading_of(self, position: int) -> int | None:
        """The position of the heading of the group that a row is in, or that it is; None: the group has none."""
        return self._headings[position]

    @staticmethod
    def heading_key(group: RowGroup) -> str:
        """The key of the heading of a group."""
        return f"{HEADING}{group.key}"

    def ids(self) -> Iterable[str]:
        return self.rows.ids() if isinstance(self.rows, Identified) else ()

    def marked(self, position: int) -> bool:
        row = self.row(position)
        return row is not None and self.rows.marked(row)

    def cells(self, position: int) -> Row:
        group, row = self._lines[position]
        if row is not None:
            cells = self.rows.cells(row)
            return cells if self._headings[position] is None else below_heading(cells)
        return ([*group.heading, Cell(f" {len(group.rows):,}")],)

    def is_heading(self, position: int) -> bool:
        """Whether there is a heading at a position."""
        return self._lines[position][1] is None

    def heading(self, position: int, width: int) -> Sequence[Cell]:
        """The pieces of a heading over the whole width."""
        group, _ = self._lines[position]
        count, every = len(group.rows), len(self.rows)
        parts = group.parts or (Part(count),)
        rate = rate_text(parts if len(parts) > 1 else (Part(count), Part(every - count)))
        room = self._bar_room(width)
        return heading_line(
            group.heading,
            count,
            rate,
            scaled_bar(parts, room, self._scale) if self._tells(parts) else (),
            width,
            room,
            self._titles,
            opened=group.key not in self._folded,
        )

    def heading_titles(self, width: int) -> str:
        """The titles above the pieces of a heading."""
        return title_line(self._titles, width, self._bar_room(width))

    @property
    def heading_need(self) -> int:
        """The cells in which every heading is whole."""
        return max((heading_need(group.heading, self._titles) for group in self._headed), default=0)

    def _bar_room(self, width: int) -> int:
        return bar_room(width, self._largest)

    @property
    def _scale(self) -> int:
        """The rows of a full bar: beside a part of all rows all of them, else those of the largest group."""
        return len(self.rows) if self._titles.rate and not self._in_parts else self._largest

    def _tells(self, parts: Sequence[Part]) -> bool:
        """Whether a bar says something: how large a group is beside others, or of what it is made."""
        return len(self._headed) > 1 or sum(bool(one.count) for one in parts) > 1 or self._scale > self._largest
