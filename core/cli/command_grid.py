# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix grid`: pass rates by two fields at once: the heat map of the app as a table or JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core import kinds
from core.base.errors import EXIT_OK, QueryError, UsageError
from core.base.text import counted
from core.cli import records
from core.cli.context import Context
from core.matrix.query import Query, lacking_words
from core.matrix.view import BY_LAYOUT, LAYOUTS, RUNS, Grid, Outcomes, View, ViewSpec, by_rate, rate, share

_DEFAULT = LAYOUTS[0].name
_MOST_COLUMNS = 2


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="the tests to show; the query language is in: ttmatrix list --help"
    )
    parser.add_argument(
        "--layout",
        choices=tuple(BY_LAYOUT),
        default=_DEFAULT,
        metavar="LAYOUT",
        help=f"{'; '.join(f'{one.name}: {one.help}' for one in LAYOUTS)}; default: {_DEFAULT}",
    )
    parser.add_argument(
        "--sort",
        action="append",
        default=[],
        metavar="COLUMN",
        help="rows by their pass rate in this column, the worst first; given twice: by the difference of both columns",
    )
    parser.add_argument("--best-first", action="store_true", help="with --sort: the best first")


def execute(args: argparse.Namespace, context: Context) -> int:
    layout = BY_LAYOUT[args.layout]
    query = context.parse(" ".join(args.query))
    matrix = kinds.by_name(layout.kind).add(context.matrix, context.workspace)
    matrix.check_arch(context.arch)
    view = View(matrix, arch=context.arch)
    try:
        runs = [RUNS] if layout.has_newest else []
        view.learn(context.learned(matrix, query, *([layout.needs] if layout.needs else []), *runs))
        view.adopt(ViewSpec(query, context.arch, grid=layout.name))
    except QueryError as error:
        raise _explained(layout.name, query, context) from error
    if not view.rows and lacking_words(query, layout.kind):
        raise _explained(layout.name, query, context)
    made = view.cells()
    columns = _columns(made, args.sort)
    rows = by_rate(made, columns, best_first=args.best_first) if columns else range(len(made))
    if context.console.json:
        context.console.document(
            records.Grid(
                layout=layout.name,
                down=layout.down,
                across=layout.across,
                columns=list(made.heads),
                rows=[_row(made, row) for row in rows],
            )
        )
    else:
        cells = ((made.label(row) or "none", *(_words(made, row, at) for at in range(len(made.heads)))) for row in rows)
        context.console.table((layout.down, *made.heads), cells)
        _note_results(made, context)
    if not view.rows and (found := len(_everywhere(query, context).rows)):
        context.console.note(f"No test of the layout {layout.name} matches, but {counted(found, 'other test')}.")
        context.console.note(_layouts_of_others(layout.name))
    return EXIT_OK


def _explained(layout: str, query: Query, context: Context) -> UsageError:
    """What is wrong with a query that selects nothing in a layout: the query, or that other layouts have its tests."""
    try:
        _everywhere(query, context)
    except QueryError as error:
        return error
    return UsageError(f"The layout {layout} has no tests that {query} could select", hint=_layouts_of_others(layout))


def _everywhere(query: Query, context: Context) -> View:
    """What a query selects of all tests, those of other layouts too."""
    view = View(context.workspace.whole_table, arch=context.arch)
    view.learn(context.learned(view.matrix, query))
    view.adopt(ViewSpec(query, context.arch))
    return view


def _layouts_of_others(layout: str) -> str:
    return f"Layouts of others: {', '.join(one.name for one in LAYOUTS if one.kind != BY_LAYOUT[layout].kind)}."


def _columns(made: Grid, names: Sequence[str]) -> list[int]:
    """The columns of these names. Raises UsageError where there are none, or too many."""
    for name in names:
        if name not in made.heads:
            raise UsageError(f"There is no column {name!r}", hint=f"Columns: {', '.join(made.heads)}.")
    if len(names) > _MOST_COLUMNS:
        raise UsageError("Rows are sorted by one column, or by the difference of two")
    return [made.heads.index(name) for name in names]


def _row(made: Grid, row: int) -> records.GridRow:
    """A row; the first one is the total. Cells without a test are left out."""
    cells = [(at, made.at(row, at)) for at in range(len(made.heads))]
    return records.GridRow(
        label=made.label(row),
        all=row == 0,
        cells=[
            records.GridCell(
                column=made.heads[at],
                tests=sum(counts.values()),
                passed=rate(counts).passed,
                of=rate(counts).total,
                rate=rate(counts).share,
                results=made.outcomes(row, at).ran,
                as_expected=made.outcomes(row, at).as_expected,
                results_passed=made.outcomes(row, at).passed,
                counts=dict(counts),
                query=str(made.query_of(row, at)),
            )
            for at, counts in cells
            if counts
        ],
    )


def _note_results(made: Grid, context: Context) -> None:
    """What the numbers of results mean, and what they come to in all."""
    ended = [made.outcomes(0, at) for at in range(len(made.heads))]
    total = Outcomes(*map(sum, zip(*ended, strict=True))) if ended else Outcomes()
    if not total.ran:
        return
    if made.layout.has_newest:
        context.console.note("In brackets: of the newest results, how many were as expected, and how many passed.")
    context.console.note(f"{total.words}.")


def _words(made: Grid, row: int, column: int) -> str:
    """`80% 24 (95% 85%)`: 24 tests with an entry, 80% expected to pass; of their newest results 95% were as expected,
    85% passed. `- 7`: 7 tests without an entry; empty: no test.
    """
    counts = made.at(row, column)
    if not counts:
        return ""
    found, ended = rate(counts), made.outcomes(row, column)
    said = f"{found.percent}% {found.total}" if found.percent is not None else f"- {sum(counts.values())}"
    if not ended.ran or not made.layout.has_newest:
        return said
    return f"{said} ({share(ended.as_expected, ended.ran)}% {share(ended.passed, ended.ran)}%)"
