# SPDX-License-Identifier: Apache-2.0
"""The visible part of a matrix: filtered and sorted rows, facet counts, and marks that persist across both."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.base.errors import QueryError
from core.base.text import counted, one_line
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.query import (
    BY_NAME,
    NONE,
    Learned,
    Query,
    Scope,
    Standing,
    VerdictColumns,
    backends_asked,
    column_of,
    lens,
    needs,
    select,
    standing,
    texts_of,
)
from core.matrix.row_kinds import USUAL_KIND, RowKind, all_kinds, row_kind
from core.matrix.view.columns import (
    RunWords,
    ordered,
)
from core.matrix.view.grid import BY_LAYOUT, Grid, grid
from core.matrix.view.spec import HeatOrder, ViewSpec
from core.matrix.view.tree import BY_GROUPING, Tree

_NAMED = 6
"""How many tests a question names."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet and how many rows would have it if it were chosen."""

    value: str
    count: int | None
    """None: rows with it are still being read."""
    chosen: bool


class Facet(NamedTuple):
    """A field with the counts of its values under the rest of the query."""

    field: str
    values: tuple[FacetValue, ...]


@dataclass(frozen=True, slots=True)
class Targets:
    """The marked tests, or, if none is marked, those under the cursor: one, or all of a group or a cell."""

    ids: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    """Those of `ids` that the filter hides."""
    marked: bool = False
    """Whether the targets are the marked tests, not those under the cursor."""

    @property
    def plain(self) -> bool:
        """Whether the target is the one test under the cursor, which is visible."""
        return len(self.ids) == 1 and not self.marked

    @property
    def visible(self) -> "Targets":
        """The targets without those that the filter hides."""
        return self.where(frozenset(self.ids).difference(self.hidden).__contains__)

    def where(self, fits: Callable[[str], bool]) -> "Targets":
        """Only those for which `fits` is true."""
        return Targets(tuple(filter(fits, self.ids)), tuple(filter(fits, self.hidden)), self.marked)

    @property
    def name(self) -> str:
        """An id, or `5 marked tests (2 hidden by the filter)`."""
        if len(self.ids) == 1 and not self.hidden:
            return one_line(self.ids[0])
        return counted(len(self.ids), "marked test" if self.marked else "test") + hidden_words(len(self.hidden))

    @property
    def listing(self) -> str:
        """Some of the ids, a line each: the hidden ones if there are any, because they cannot be seen."""
        ids = self.hidden or self.ids
        lines = [one_line(id) for id in ids[:_NAMED]]
        more = [f"and {len(ids) - _NAMED:,} more"] if len(ids) > _NAMED else []
        return "\n".join((*(["Hidden by the filter:"] if self.hidden else []), *lines, *more))


def hidden_words(count: int) -> str:
    """` (2 hidden by the filter)`; empty for none."""
    return f" ({count:,} hidden by the filter)" if count else ""


class View:
    """The state of a view of a matrix. Positions count visible rows, rows count those of the matrix."""

    def __init__(self, matrix: Matrix, query: Query | None = None, arch: str = NO_ARCH) -> None:
        """Show `matrix` through `query`. Raises UsageError for an invalid arch or query."""
        matrix.check_arch(arch)
        self.matrix = matrix
        self.arch = arch
        self.learned: Learned = {}
        self._cells: tuple[object, Grid] | None = None
        """The last grid, with the inputs it was made from."""
        self.query = query or Query()
        self.columns_of: dict[str, tuple[str, ...]] = {name: kind.columns for name, kind in all_kinds().items()}
        """The columns of tables, by the kind of all their rows; of a table with several kinds, those of model tests."""
        self.sort_key = "id"
        self.descending = False
        self.group = ""
        self.grid = ""
        self.heat = HeatOrder()
        self.marks: set[str] = set()
        self.runs: RunWords = {}
        """Words for the last runs of tests: a sort order that the matrix does not have."""
        self._order: tuple[str, Sequence[int]] | None = None
        """The arch whose values were compared, and all rows in the order of the view.

        Queries select from these: sorting what each letter of a query leaves takes longer than selecting it.
        """
        self._visible: frozenset[int] | None = None
        """The rows as a set, made when it is first needed."""
        self._kind: str | None = None
        """The kind of all rows, looked for when it is first needed."""
        self._typed: tuple[Query, str, list[int]] | None = None
        """The last typed query with its arch and rows: after one more letter, a subset of these remains."""
        self.rows: Sequence[int] = self._selected(self.query, self.arch)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of tables of model tests, and of several kinds."""
        return self.columns_of[USUAL_KIND]

    @columns.setter
    def columns(self, names: tuple[str, ...]) -> None:
        self.columns_of[USUAL_KIND] = names

    def filter(self, query: Query) -> None:
        """Show what `query` selects; on a QueryError nothing changes."""
        rows = self._selected(query, self.arch, self._among(query))
        self._typed = None if self._missing(query) else (query, self.arch, rows)
        self.query = query
        self._show(rows)

    def look_at(self, arch: str) -> None:
        """Use the values for `arch`, or with NO_ARCH those of every supported arch."""
        self.matrix.check_arch(arch)
        self.arch = arch
        self._show(self._selected(self.query, self.arch))

    @property
    def lens(self) -> str:
        """The arch whose values are shown: the one that the query names, else the chosen one."""
        return self._lens_of(self.query, self.arch)

    def sort(self, key: str, *, descending: bool = False) -> None:
        """Order by a column; rows with the same value stay in the order of their ids."""
        self.sort_key, self.descending = key, descending
        self._show_sorted(self.rows)

    @property
    def spec(self) -> ViewSpec:
        """The content and form of the view, as a value."""
        order = self.sort_key, self.descending
        return ViewSpec(self.query, self.arch, self.columns, *order, self.group, self.grid, self.heat)

    def with_columns(self, kind: str, names: tuple[str, ...]) -> ViewSpec:
        """The present view with these columns for tables of one kind. Only those of model tests are part of a view."""
        if kind == USUAL_KIND:
            return self.spec._replace(columns=names)
        self.columns_of[kind] = names
        return self.spec

    def adopt(self, spec: ViewSpec) -> None:
        """Switch to another view; on a UsageError nothing changes."""
        spec.check()
        self.matrix.check_arch(spec.arch)
        rows = self._selected(spec.query, spec.arch, self._every_row)
        self.query, self.arch, self.columns = spec.query, spec.arch, spec.columns or self.columns
        self.sort_key, self.descending, self.group = spec.sort, spec.descending, spec.group
        self.grid, self.heat = spec.grid, spec.heat
        self._show_sorted(rows)

    def tree(self, opened: frozenset[str]) -> Tree:
        """The visible rows in groups, those in `opened` open. Only call it if there is a grouping."""
        return Tree.of(self.scope, self.rows, self.group, opened)

    def cells(self) -> Grid:
        """The visible tests as a grid. Only call it if a grid is chosen and no facts are missing."""
        state = self.query, self.arch, self.grid
        if self._cells is None or self._cells[0] != state:
            self._cells = state, grid(self.matrix, self.query, self.arch, self.grid, self.learned)
        return self._cells[1]

    def select(self, query: Query) -> list[int]:
        """The rows of any query, in the order of this view; none while facts are missing."""
        return self._selected(query, self.arch)

    def replace_matrix(self, matrix: Matrix, learned: Learned | None = None) -> None:
        """Look at a newer index through the same query. Marks on ids that are gone are dropped.

        `learned` are the facts about the newer index. If the query names something that no longer exists, nothing is
        shown.
        """
        self.matrix = matrix
        self.learned = learned or {}
        self._cells = None
        self._order = None
        self._typed = None
        self.marks &= matrix.rows.keys()
        self._show_again()

    def learn(self, learned: Learned) -> None:
        """Add facts about the matrix; a query that waited for them is evaluated."""
        self.learned = {**self.learned, **learned}
        self._cells = None
        if any(name in learned for name in self.needs):
            self._typed = None
            self._show_again()

    @property
    def needs(self) -> tuple[str, ...]:
        """The providers whose facts the query, the grouping and the grid need."""
        names = list(_needs(self.query))
        if self.group:
            names.append(BY_GROUPING[self.group].needs)
        if self.grid:
            names.append(BY_LAYOUT[self.grid].needs)
        return tuple(dict.fromkeys(filter(None, names)))

    def missing(self) -> tuple[str, ...]:
        """The needed providers whose facts are missing; until they arrive nothing is shown."""
        return tuple(name for name in self.needs if name not in self.learned)

    @property
    def judged(self) -> VerdictColumns | None:
        """The verdicts on all rows, if they are present."""
        found = self.learned.get("runs")
        return found if isinstance(found, VerdictColumns) else None

    @property
    def scope(self) -> Scope:
        """The scope in which queries are evaluated here."""
        return Scope(self.matrix, self.lens, self.learned, backends_asked(self.query.terms))

    def position_of(self, id: str) -> int | None:
        """The position of an id; None if it is unknown or filtered out."""
        row = self.matrix.rows.get(id)
        if row is None:
            return None
        if self.sort_key == "id" and not self.descending:
            # Called for each letter of a query: the rows are sorted, so no mapping is needed.
            at = bisect_left(self.rows, row)
            return at if at < len(self.rows) and self.rows[at] == row else None
        try:
            return self.rows.index(row)
        except ValueError:
            return None

    def shows(self, id: str) -> bool:
        """Whether an id is visible."""
        if self._visible is None:
            self._visible = frozenset(self.rows)
        return self.matrix.rows.get(id) in self._visible

    def nearest(self, id: str | None) -> str | None:
        """The visible id that is `id`, else the next one in id order, else the last; in another sort order the first.

        None: nothing is visible.
        """
        if not self.rows:
            return None
        row = self.matrix.rows.get(id) if id else None
        if row is None:
            at = 0
        elif self.sort_key == "id" and not self.descending:
            at = min(bisect_left(self.rows, row), len(self.rows) - 1)
        else:
            at = self.position_of(self.matrix.ids[row]) or 0
        return self.matrix.ids[self.rows[at]]

    def mark(self, ids: Iterable[str]) -> None:
        """Mark tests in addition to those marked already."""
        self.marks.update(ids)

    def mark_shown(self) -> None:
        """Mark all visible rows, in addition to those marked already."""
        self.mark(self.matrix.ids[row] for row in self.rows)

    def toggle_all(self, ids: Sequence[str]) -> bool:
        """Mark tests, or unmark them if all are marked; returns whether they are marked now."""
        if marked := not self.marks.issuperset(ids):
            self.marks.update(ids)
        else:
            self.marks.difference_update(ids)
        return marked

    def hidden_marks(self) -> int:
        """How many marked ids the filter hides."""
        return sum(not self.shows(id) for id in self.marks)

    def targets(self, chosen: Sequence[str]) -> Targets:
        """The targets of an action: the marked tests in the order of their ids, else `chosen` (under the cursor)."""
        if not self.marks:
            return Targets(tuple(chosen))
        ids = tuple(sorted(self.marks))
        hidden = tuple(id for id in ids if not self.shows(id))
        return Targets(ids, hidden, marked=ids != tuple(chosen))

    @property
    def kind(self) -> str:
        """The kind of all visible rows; empty: they are of several kinds, or there are none."""
        if self._kind is None:
            # In the order of ids, rows are sorted, or the other way round.
            ends = (self.rows[0], self.rows[-1]) if self.sort_key == "id" and self.rows else self.rows
            self._kind = self.matrix.kind_of_all(ends)
        return self._kind

    @property
    def row_kind(self) -> RowKind:
        """What is said of the kind of all visible rows; of several kinds, of model tests."""
        return row_kind(self.kind or USUAL_KIND)

    @property
    def layouts(self) -> list[str]:
        """The grids of the kind of all visible rows, the usual one first; if it has none, those of model tests."""
        own = self.row_kind.layouts or row_kind(USUAL_KIND).layouts
        return [one.name for one in own]

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table: those for the kind of all visible rows."""
        return self.columns_of[self.kind or USUAL_KIND]

    def facets(self, names: Iterable[str] = ()) -> list[Facet]:
        """Counts per value; a facet is counted without its own terms, so that alternatives show.

        A facet whose facts are missing is left out. Without `names`, the facets are those for the visible kind of rows.
        """
        return [self._facet(name) for name in names or self._facet_names if self._is_known(name)]

    @property
    def facts_of_facets(self) -> tuple[str, ...]:
        """The providers whose facts the facets for the visible kind of rows count."""
        return tuple(dict.fromkeys(need for name in self._facet_names if (need := BY_NAME[name].needs)))

    def awaited_facets(self) -> list[str]:
        """The facets for the visible kind of rows whose facts are missing."""
        return [name for name in self._facet_names if not self._is_known(name)]

    def standing(self, name: str, row: int) -> Standing:
        """Whether a row has a field; the name may be that of a column that is none."""
        return standing(self.scope, name, self.matrix.kind_of(row)) if name in BY_NAME else Standing.HAS

    @property
    def order_waits(self) -> bool:
        """Whether the values that rows are sorted by are not read yet."""
        return self.sort_key in BY_NAME and not self._is_known(self.sort_key)

    @property
    def _facet_names(self) -> tuple[str, ...]:
        # Of one kind that is asked for, the area is known, unless the kind has several.
        area = () if self.query.values_of("kind") else ("area",)
        return ("kind", *self.row_kind.facets, *area)

    def _is_known(self, name: str) -> bool:
        return BY_NAME[name].needs in ("", *self.learned)

    def _facet(self, name: str) -> Facet:
        scope = self.scope
        asked = {text for value in self.query.values_of(name) for text in texts_of(scope, name, value)}
        rows = self.rows
        if asked:
            # To count them, they need no order.
            rows = self._selected(self.query.without(name), self.arch, self._every_row)
        counts = column_of(scope, name).counts(BY_NAME[name].having(self.matrix, rows))
        unread = self.matrix.unread if name == "kind" else ()
        return Facet(
            name,
            tuple(
                FacetValue(v or NONE, None if v in unread else count, (v or NONE).lower() in asked)
                for v, count in counts.items()
            ),
        )

    def toggled(self, name: str, text: str) -> Query:
        """The query with a text of a facet, in lower case, added or removed, in whatever form its terms name it."""
        scope, values, found = self.scope, list[str](), False
        for value in self.query.values_of(name):
            texts = texts_of(scope, name, value)
            found |= text in texts
            values += sorted(texts - {text}) if text in texts else [value]
        return self.query.asking_for(name, tuple(values if found else (*values, text)))

    def _selected(self, query: Query, arch: str, among: Sequence[int] | None = None) -> list[int]:
        rows = self._sorted_rows(self._lens_of(query, arch)) if among is None else among
        if not query.terms:
            return list(rows)
        return [] if self._missing(query) else select(self.matrix, query, arch, self.learned, rows)

    def _among(self, query: Query) -> Sequence[int] | None:
        """Rows that include all that a query can select, if these are known to be fewer than all."""
        if self._typed is None:
            return None
        typed, arch, rows = self._typed
        return rows if arch == self.arch and query.narrows(typed) else None

    def _missing(self, query: Query) -> tuple[str, ...]:
        return tuple(name for name in _needs(query) if name not in self.learned)

    def _show_again(self) -> None:
        try:
            self._show(self._selected(self.query, self.arch))
        except QueryError:
            self._show([])

    def _show(self, rows: list[int]) -> None:
        self._visible = self._kind = None
        self.rows = rows

    def _show_sorted(self, rows: Sequence[int]) -> None:
        """Show `rows`, in any order, after the order of the view has changed."""
        self._order = self._typed = None
        order = self._sorted_rows(self.lens)
        shown = frozenset(rows) if len(rows) < len(order) else None
        self._show([row for row in order if row in shown] if shown is not None else list(order))

    @property
    def _every_row(self) -> Sequence[int]:
        """All rows of the matrix, in its own order."""
        return range(len(self.matrix.ids))

    def _sorted_rows(self, arch: str) -> Sequence[int]:
        """All rows of the matrix as they are sorted by the values of `arch`."""
        if self._order is None or self._order[0] != arch:
            order = ordered(self.matrix, self._every_row, self.sort_key, arch, self.runs, descending=self.descending)
            self._order = arch, order
        return self._order[1]

    def _lens_of(self, query: Query, arch: str) -> str:
        """The arch whose values `query` shows where `arch` is chosen."""
        return (lens(self.matrix, query.terms) if query.terms else NO_ARCH) or arch


def _needs(query: Query) -> tuple[str, ...]:
    if not query.terms:
        return ()
    return needs(query)
