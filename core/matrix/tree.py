# SPDX-License-Identifier: Apache-2.0
"""Tests in groups that can be folded, as lines found by their number: nothing is made for lines nobody sees."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from core.matrix.groupings import BY_GROUPING, Grouping
from core.matrix.matrix import Matrix
from core.matrix.scope import Scope
from core.matrix.tally import Tally, status_words, tally


@dataclass(frozen=True, eq=False)
class Group:
    """The tests with one text in the column they are grouped by."""

    text: str
    rows: Sequence[int]
    """Rows of the matrix, in the order of the view; never none."""
    arch: str
    matrix: Matrix

    @cached_property
    def tally(self) -> Tally:
        """How many of its tests have which status; counted when first asked for."""
        return tally(status_words(self.matrix, self.arch), self.rows)

    def ids(self) -> list[str]:
        return [self.matrix.ids[row] for row in self.rows]

    def marked(self, marks: AbstractSet[str]) -> int:
        """How many of its tests are among `marks`."""
        return sum(map(marks.__contains__, self.ids())) if marks else 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the heading of a group, or a test in it."""

    group: Group
    row: int | None
    """None: the heading."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Groups in their order, some of them open. Never changed; folding makes another tree over the same groups."""

    grouping: str
    groups: tuple[Group, ...]
    opened: frozenset[str] = frozenset()
    """Texts of the open groups; those that are not there at the moment are remembered."""

    @classmethod
    def of(cls, scope: Scope, rows: Iterable[int], name: str, opened: frozenset[str]) -> "Tree":
        """Divide `rows`, keeping their order within each group."""
        return cls(name, _groups(scope, rows, BY_GROUPING[name]), opened)

    @cached_property
    def _ends(self) -> list[int]:
        """The number of the first line after each group."""
        return list(accumulate(1 + (len(one.rows) if one.text in self.opened else 0) for one in self.groups))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def line(self, number: int) -> Line:
        """The line of that number, counted from 0. Raises IndexError past the last one."""
        at = bisect_right(self._ends, number)
        if number < 0 or at == len(self.groups):
            raise IndexError(number)
        group = self.groups[at]
        inside = number - self._start(at) - 1
        return Line(group, group.rows[inside] if inside >= 0 else None)

    def heading(self, text: str) -> int | None:
        """The line of a group's heading."""
        at = self._by_text.get(text)
        return None if at is None else self._start(at)

    def place(self, row: int) -> int | None:
        """The line of a test; that of its heading where its group is closed, None where it is in no group."""
        at = next((at for at, one in enumerate(self.groups) if row in one.rows), None)
        if at is None:
            return None
        group = self.groups[at]
        return self._start(at) + (1 + group.rows.index(row) if group.text in self.opened else 0)

    def fold(self, texts: Iterable[str], *, opened: bool) -> "Tree":
        """The tree with some of its groups opened or closed."""
        changed = self.opened | set(texts) if opened else self.opened - set(texts)
        return Tree(self.grouping, self.groups, changed)

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {one.text: at for at, one in enumerate(self.groups)}

    def _start(self, at: int) -> int:
        return self._ends[at - 1] if at else 0


def _groups(scope: Scope, rows: Iterable[int], grouping: Grouping) -> tuple[Group, ...]:
    column = grouping.column(scope)
    codes, found = column.codes, dict[int, list[int]]()
    for row in rows:
        found.setdefault(codes[row], []).append(row)

    def place(code: int) -> tuple[bool, int]:
        # What has no text comes last: there is much of it and little to see.
        return not column.values[code], -len(found[code]) if grouping.biggest_first else code

    order = sorted(found, key=place)
    return tuple(Group(column.values[code], found[code], scope.arch, scope.matrix) for code in order)
