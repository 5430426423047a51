# SPDX-License-Identifier: Apache-2.0
"""Grids: tests counted by two criteria, one for the rows and one for the columns, by status or result."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.matrix.columns import Column
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import RESULTS
from core.matrix.query import (
    BACKEND,
    LAST,
    Learned,
    Node,
    Query,
    Scope,
    VerdictColumns,
    beginning,
    family,
    lens,
    named,
    own_column,
    select,
    variant_column,
    written,
)
from core.matrix.row_kinds import all_kinds, kinds_with
from core.matrix.view.tally import WORDS, Outcomes, Tally, case_outcomes, rate, status_words
from core.matrix.view.tree import BY_GROUPING, paired

ARCH = "arch"
WORK = "work"
RUNS = "runs"
"""The provider of results, of `core.providers.base`."""

Terms = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A grid that a person can choose. `down` is a grouping, or WORK; `across` is ARCH, BACKEND, WORK or a grouping."""

    name: str
    down: str
    across: str
    help: str
    kind: str
    """The kind of its rows."""
    results: bool = False
    """Whether it counts last results instead of expected statuses."""

    @property
    def needs(self) -> str:
        """The provider of `core.providers.base` whose facts the grid needs."""
        return RUNS if self.results else BY_GROUPING[self.down].needs

    @property
    def has_newest(self) -> bool:
        """Whether cells also have how the newest results of their tests ended."""
        return self.kind in kinds_with(LAST)


LAYOUTS: tuple[Layout, ...] = tuple(
    Layout(one.name, one.down, one.across, one.help, kind.name, one.results)
    for kind in all_kinds().values()
    for one in kind.layouts
)
BY_LAYOUT = {one.name: one for one in LAYOUTS}


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells that count tests. The first row has the totals of all rows. Immutable."""

    matrix: Matrix
    query: Query
    layout: Layout
    heads: tuple[str, ...]
    """One for each column."""
    codes: tuple[int, ...]
    """The code of the side for each row except the first."""
    side: Column
    cells: Mapping[tuple[int, int], Tally]
    """By row and column; there is no cell without tests."""
    column_terms: tuple[Terms, ...]
    """The query terms that select the tests of each column."""
    newest: Mapping[tuple[int, int], Outcomes]
    """How the newest results of the cells of model tests ended, by row and column."""
    results_known: bool
    """Whether results have been read; if not, `newest` is empty."""

    def __len__(self) -> int:
        return len(self.codes) + 1

    def label(self, row: int) -> str:
        """The label of a row."""
        return self.side.values[self.codes[row - 1]] if row else "all"

    def at(self, row: int, column: int) -> Tally:
        """The statuses of the tests in a cell; of op cases the last results, there or the worst of all backends."""
        return self.cells.get((row, column), {})

    def outcomes(self, row: int, column: int) -> Outcomes:
        """How the newest results of the tests in a cell ended."""
        if self.layout.results:
            return case_outcomes(self.at(row, column))
        return self.newest.get((row, column), Outcomes())

    def query_of(self, row: int, column: int) -> Query:
        """The query that selects exactly the tests of a cell."""
        down = _terms(self.matrix, self.layout.down, self.side, self.codes[row - 1]) if row else ()
        return Query((*self.query.terms, *down, *self.column_terms[column]))


def by_rate(grid: Grid, columns: Sequence[int], *, best_first: bool = False) -> list[int]:
    """The rows of a grid in the order of their pass rate in a column, the worst first; the first row stays first.

    With two columns, rows are sorted by how much the second is below the first. Of equal rows the larger comes first;
    rows without a rate come last.
    """

    def place(row: int) -> tuple[bool, float, int]:
        rates = [rate(grid.at(row, column)) for column in columns]
        shares = [one.share for one in rates]
        known = [share for share in shares if share is not None]
        value = known[-1] - (known[0] if len(columns) > 1 else 0) if len(known) == len(columns) else 0.0
        return len(known) < len(columns), -value if best_first else value, -sum(one.total for one in rates)

    return [0, *sorted(range(1, len(grid)), key=place)]


def grid(matrix: Matrix, query: Query, arch: str, name: str, learned: Learned = MappingProxyType({})) -> Grid:
    """The tests that `query` selects, in the layout called `name`. Raises QueryError.

    If `across` is ARCH, a cell has the tests that the query selects for that arch, with their statuses there: the
    filter `status:xfail` selects on each arch the tests that are expected to fail on it. Otherwise the query is
    evaluated for `arch`. `learned` has the facts that the query and the layout need.
    """
    layout = BY_LAYOUT[name]
    asked, among = query, select(matrix, Query())
    if len(matrix.kinds[layout.kind]) < len(matrix.ids):
        # Once, not for each column: the rows of a kind are the same on all archs.
        kind = named("kind", layout.kind)
        query, among = Query((*asked.terms, kind)), select(matrix, Query((kind,)))
    side = _side(matrix, layout.down, learned)
    make = {ARCH: _by_arch, BACKEND: _by_backend}.get(layout.across, _by_column)
    columns = make(Scope(matrix, arch, learned), asked, among, side, layout)
    codes = tuple(sorted({code for column in columns for code, _ in column.counts}))
    return Grid(
        matrix=matrix,
        query=query,
        layout=layout,
        heads=tuple(column.head for column in columns),
        codes=codes,
        side=side,
        cells=_cells(columns, {code: row for row, code in enumerate(codes, 1)}),
        column_terms=tuple(column.terms for column in columns),
        newest=_newest(columns, side, {code: row for row, code in enumerate(codes, 1)}, matrix, learned),
        results_known=RUNS in learned,
    )


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    terms: Terms
    counts: Mapping[tuple[int, str], int]
    """By code of the side and word of a status or result."""
    rows: Sequence[int] = ()
    arch: str = NO_ARCH
    """The arch that its results are of; NO_ARCH: any."""


def _select(scope: Scope, query: Query, among: Sequence[int], terms: Terms = ()) -> list[int]:
    return select(scope.matrix, Query((*query.terms, *terms)), scope.arch, scope.learned, among)


def _by_arch(scope: Scope, query: Query, among: Sequence[int], side: Column, layout: Layout) -> list[_Column]:
    columns = []
    for one in scope.matrix.schema.archs:
        terms = (named(layout.across, one),)
        rows = _select(scope, query, among, terms)
        columns.append(_Column(one, terms, _counts(side, scope.matrix.status[one], rows), rows, one))
    return columns


def _by_backend(scope: Scope, query: Query, among: Sequence[int], side: Column, layout: Layout) -> list[_Column]:
    facts = scope.learned[layout.needs]
    assert isinstance(facts, VerdictColumns), "the provider of results"
    columns = []
    for one in facts.backends:
        terms = (named(layout.across, one),)
        if rows := _select(scope, query, among, terms):
            columns.append(_Column(one, terms, _counts(side, facts.on_backend(scope.matrix, one), rows)))
    return columns


def _by_column(scope: Scope, query: Query, among: Sequence[int], side: Column, layout: Layout) -> list[_Column]:
    matrix = scope.matrix
    arch = lens(matrix, query.terms) or scope.arch
    across = _side(matrix, layout.across, scope.learned)
    if layout.results:
        # What a manifest expects is no result: a case that has not run says nothing.
        facts = scope.learned[layout.needs]
        assert isinstance(facts, VerdictColumns), "the provider of results"
        words = facts.worst(matrix)
    else:
        words = status_words(matrix, arch)
    rows_of: dict[int, list[int]] = {}
    for row in _select(scope, query, among):
        rows_of.setdefault(across.codes[row], []).append(row)
    return [
        _Column(
            across.values[code],
            _terms(matrix, layout.across, across, code),
            _counts(side, words, rows_of[code]),
            rows_of[code],
            arch,
        )
        for code in sorted(rows_of)
    ]


def _newest(
    columns: Iterable[_Column], side: Column, rows: Mapping[int, int], matrix: Matrix, learned: Learned
) -> Mapping[tuple[int, int], Outcomes]:
    """How the newest results of model tests ended, by row and column; nothing where results are not known."""
    facts = learned.get(RUNS)
    if not isinstance(facts, VerdictColumns):
        return {}
    cells: dict[tuple[int, int], Outcomes] = {}
    for number, column in enumerate(columns):
        for row in column.rows:
            for on, words in facts.last.get(matrix.ids[row], {}).items():
                if column.arch in (on, NO_ARCH):
                    for place in ((0, number), (rows[side.codes[row]], number)):
                        cells[place] = cells.get(place, Outcomes()).with_result(words)
    return cells


def _counts(side: Column, words: Column, rows: Sequence[int]) -> dict[tuple[int, str], int]:
    counted = Counter(zip(map(side.codes.__getitem__, rows), map(words.codes.__getitem__, rows), strict=True))
    return {(code, words.values[word]): count for (code, word), count in counted.items()}


def _cells(columns: Iterable[_Column], rows: Mapping[int, int]) -> Mapping[tuple[int, int], Tally]:
    """`rows` maps a code of the side to its row; the first row has the sums of the others."""
    cells: dict[tuple[int, int], dict[str, int]] = {}
    rank = {word: at for at, word in enumerate((*WORDS, *RESULTS))}
    for number, column in enumerate(columns):
        total = Counter[str]()
        known = ((rank[word], rows[code], word, count) for (code, word), count in column.counts.items() if word in rank)
        # Words in the outer loop, so that each cell has them in their order.
        for _, row, word, count in sorted(known):
            cells.setdefault((row, number), {})[word] = count
            total[word] += count
        if total:
            cells[0, number] = dict(total)
    return cells


def _side(matrix: Matrix, name: str, learned: Learned) -> Column:
    if name == WORK:
        return paired(matrix.columns["parallelism"], matrix.columns["mode"])
    return BY_GROUPING[name].column(Scope(matrix, learned=learned))


def _terms(matrix: Matrix, name: str, side: Column, code: int) -> Terms:
    """The terms that select the rows with one text of a side."""
    if BY_GROUPING[name].needs if name in BY_GROUPING else "":
        return (named(name, side.values[code]),)
    # Any row with the text will do to look up its parts.
    row = side.codes.index(code)
    return tuple(term(matrix, row) for term in _TERMS.get(name, (_own(name),)))


def _name(name: str) -> Callable[[Matrix, int], Node]:
    return lambda matrix, row: named(name, matrix.columns[name][row])


def _own(name: str) -> Callable[[Matrix, int], Node]:
    def term(matrix: Matrix, row: int) -> Node:
        column = own_column(matrix, name)
        text = str(column[row])
        alike = [one for one in column.values if one.lower() == text.lower()]
        return named(name, text) if len(alike) < 2 else written(name, text, alike)

    return term


def _loader(matrix: Matrix, row: int) -> Node:
    column = matrix.columns["loader"]
    return written("loader", column[row], column.values)


def _file(matrix: Matrix, row: int) -> Node:
    column = matrix.columns["file"]
    return written("file", column[row], column.values)


def _variant(matrix: Matrix, row: int) -> Node:
    column = variant_column(matrix)
    return written("variant", column[row], column.values)


def _family(matrix: Matrix, row: int) -> Node:
    column = matrix.columns["loader"]
    name = family(column[row])
    return (
        beginning("loader", f"{name}/", (f"{family(one)}/" for one in column.values)) if name else _loader(matrix, row)
    )


_TERMS: Mapping[str, Sequence[Callable[[Matrix, int], Node]]] = {
    "loader": (_loader,),
    "variant": (_loader, _variant),
    "family": (_family,),
    "parallelism": (_name("parallelism"),),
    "mode": (_name("mode"),),
    WORK: (_name("parallelism"), _name("mode")),
    "file": (_file,),
}
"""The terms that select the rows with the text of a row in a column; a column that kinds of rows have is its own."""
