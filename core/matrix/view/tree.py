# SPDX-License-Identifier: Apache-2.0
"""Tests in groups that can be folded, as numbered lines: only visible lines are made."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import cast

from core.matrix.columns import Column
from core.matrix.matrix import Matrix
from core.matrix.query import Scope, family_column, own_column, variant_column
from core.matrix.view.tally import Tally, status_words, tally

_MODELS = "models"


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to divide tests: every test belongs to the group of its text in a column."""

    name: str
    help: str
    column: Callable[[Scope], Column]
    biggest_first: bool = False
    """Whether the groups are sorted by size; otherwise they are in the order of the vocabulary."""
    needs: str = ""
    """The provider of `core.providers.base` whose facts the column needs."""


def _field(name: str) -> Callable[[Scope], Column]:
    return lambda scope: scope.matrix.columns[name]


def _of_models(name: str) -> Callable[[Scope], Column]:
    return lambda scope: cast(Column, scope.facts(_MODELS, name))


def _own(name: str) -> Callable[[Scope], Column]:
    return lambda scope: own_column(scope.matrix, name)


@lru_cache(maxsize=4)
def paired(first: Column, second: Column, between: str = " ") -> Column:
    """The column of both texts of each row, sorted by the first column and then the second."""
    pairs = list(zip(first.codes, second.codes, strict=True))
    codes = {pair: code for code, pair in enumerate(sorted(set(pairs)))}
    texts = tuple(f"{first.values[a]}{between}{second.values[b]}".strip() for a, b in codes)
    return Column.packed(texts, [codes[pair] for pair in pairs])


GROUPINGS: tuple[Grouping, ...] = (
    Grouping("loader", "directory of the loader", _field("loader")),
    Grouping("family", "first part of that directory", lambda s: family_column(s.matrix)),
    Grouping("variant", "loader and variant", lambda s: paired(s.matrix.columns["loader"], variant_column(s.matrix))),
    Grouping("status", "effective status", lambda s: status_words(s.matrix, s.arch)),
    Grouping("reason", "text of the reason", _field("reason"), biggest_first=True),
    Grouping("group", "group of the model", _of_models("group"), needs=_MODELS),
    Grouping("task", "task of the model", _of_models("task"), biggest_first=True, needs=_MODELS),
    Grouping("bringup", "bringup status of the entry", _field("bringup")),
    Grouping("parallelism", "how devices share the model", _field("parallelism")),
    Grouping("mode", "inference or training", _field("mode")),
    Grouping("phase", "default, llm_decode or llm_prefill", _field("phase")),
    Grouping("framework", "pytorch or jax", _field("framework")),
    Grouping("file", "file of the entry", _field("file")),
    Grouping("level", "what hand-written tests run", _own("level")),
    Grouping("op", "op of op cases", _own("op"), biggest_first=True),
    Grouping("model", "model that op cases are of", _own("model")),
)

BY_GROUPING = {one.name: one for one in GROUPINGS}


@dataclass(frozen=True, eq=False)
class Group:
    """The tests with the same text in the grouping's column."""

    text: str
    rows: Sequence[int]
    """Rows of the matrix, in the order of the view; never empty."""
    arch: str
    matrix: Matrix

    @cached_property
    def tally(self) -> Tally:
        """The number of its tests by status; computed on first use."""
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
    """Groups in their order, some of them open. Immutable; folding makes another tree over the same groups."""

    grouping: str
    groups: tuple[Group, ...]
    opened: frozenset[str] = frozenset()
    """Texts of the open groups; groups that do not exist at the moment stay remembered."""

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
        """The line of index `number`. Raises IndexError past the last one."""
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
        """The line of a test, or of its group's heading if the group is closed; None if it is in no group."""
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
        # Rows without a text come last: there are many, and they matter least.
        return not column.values[code], -len(found[code]) if grouping.biggest_first else code

    order = sorted(found, key=place)
    return tuple(Group(column.values[code], found[code], scope.arch, scope.matrix) for code in order)
