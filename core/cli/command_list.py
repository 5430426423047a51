# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix list`: rows that match a query, as a table, ids, CSV or JSON."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence

from core import kinds, runs
from core.base.errors import EXIT_OK, UsageError
from core.cli import records
from core.cli.absent_report import note_absent, note_other_models
from core.cli.context import Context
from core.cli.row_printers import print_rows
from core.kinds import Kind
from core.matrix import KINDS, MODEL_KIND, USUAL_KIND, Matrix, Universe
from core.matrix.query import NUMBERS, RESULT, VERDICT, Query, help_text, lacking_words, select
from core.matrix.view import RUN_KINDS, ViewSpec, ordered, read_saved, text_of_row

_COLUMNS = ("id", "status", "bringup", "archs", "reason")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = help_text()
    parser.add_argument("query", nargs="*", metavar="QUERY", help="which tests; see below")
    parser.add_argument(
        "--kind",
        choices=(*KINDS, "all"),
        help="op: cases of op manifests; handwritten: tests below tests/jax, tests/torch, ...; placeholder: planned "
        "models; benchmark: the matrix of performance; default: all, which are models and op cases, and what the query "
        "names; with --universe model",
    )
    parser.add_argument("--format", choices=("table", "ids", "csv", "json"), help="default: table; with --json: json")
    parser.add_argument("--view", metavar="VIEW", help="use the query, arch, order and columns of a saved view")
    parser.add_argument("--views", action="store_true", help="list the saved views instead")
    parser.add_argument(
        "--universe",
        choices=("entries", "validator", "collected"),
        help="which set of ids to list; default: the validator's ids and every entry",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.views:
        return _print_views(context)
    if args.kind in KINDS:
        _prepare(kinds.by_name(args.kind), args, context)
    code = _list_rows(args, context)
    note_absent(context)
    note_other_models(context)
    return code


def _prepare(kind: Kind, args: argparse.Namespace, context: Context) -> None:
    """Check and change the arguments of `list --kind`."""
    if (args.view or args.universe) and not kind.in_views:
        raise UsageError("--view and --universe are for tests of models", hint="Leave out --view and --universe.")
    args.query = kind.words_of_before(args.query, context.parse)


def _list_rows(args: argparse.Namespace, context: Context) -> int:
    """Print the requested rows of the matrix."""
    view = _view(args.view, context)
    query = Query((*view.query.terms, *context.parse(" ".join(args.query)).terms))
    matrix = _rows_of_kind(args, query, context)
    arch = context.arch or view.arch
    matrix.check_arch(arch)
    rows = select(matrix, query, arch, context.learned(matrix, query))
    if args.kind in KINDS:
        rows = [row for row in rows if row in matrix.kinds[args.kind]]
    _say_lacking(query, args.kind, matrix, context)
    if args.universe == "entries":
        rows = [row for row in rows if matrix.has_entry(row)]
    elif args.universe is not None:
        rows = [row for row in rows if matrix.ids[row] not in matrix.strays]
    style = args.format or ("json" if context.console.json else "table")
    if style == "ids":
        _print_ids(matrix, rows, context, with_function=args.universe == "collected")
        return EXIT_OK
    only = kinds.by_name(matrix.kind_of_all(rows) or (args.kind if args.kind in KINDS else USUAL_KIND))
    if args.view is None and only.own_table:
        print_rows(only, matrix, [matrix.ids[row] for row in rows], style, context, all=not query.terms)
        return EXIT_OK
    columns = view.columns or _COLUMNS
    last = _last_words((*columns, view.sort), matrix, arch, context)
    rows = ordered(matrix, rows, view.sort, arch, last, descending=view.descending)
    cells = (tuple(text_of_row(matrix, row, name, arch, last) for name in columns) for row in rows)
    if style == "json":
        if args.universe == "collected":
            # One for each function under which pytest collects a row: an id can be in several tests.
            found = [
                kinds.model_test(matrix, row, arch, function) for row in rows for function in matrix.functions(row)
            ]
            context.console.document(found)
        else:
            context.console.document(_records(matrix, rows, arch, context))
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(cells)
    else:
        context.console.table(columns, cells)
        context.console.note(f"{len(rows):,} of {len(matrix.ids):,}")
    return EXIT_OK


def _last_words(columns: Sequence[str], matrix: Matrix, arch: str, context: Context) -> dict[str, Mapping[str, str]]:
    """The values of these columns from the last runs and results, by column and id."""
    last: dict[str, Mapping[str, str]] = {
        name: _last_runs(context, kind) for name, kind in RUN_KINDS.items() if name in columns
    }
    if RESULT in columns:
        last[RESULT] = {id: context.evidence.verdicts.result_words(id) for id in context.evidence.verdicts.results}
    if VERDICT in columns:
        judged = context.evidence.verdicts.facts()
        last[VERDICT] = {id: judged.words(matrix, row, arch) for row, id in enumerate(matrix.ids)}
    if numbers := {*NUMBERS}.intersection(columns):
        found = context.evidence.judged(matrix)
        last |= {name: found.number_words(name, arch) for name in numbers}
    return last


def _records(matrix: Matrix, rows: Sequence[int], arch: str, context: Context) -> list[records.Row]:
    """Rows of all kinds in their JSON form."""
    found: dict[str, records.Row] = {}
    for kind, own in matrix.kinds.items():
        if ids := [matrix.ids[row] for row in rows if row in own]:
            printed = kinds.by_name(kind).records(matrix, ids, context.workspace, arch)
            found |= {one.id: one for one in printed}
    return [found[matrix.ids[row]] for row in rows if matrix.ids[row] in found]


def _rows_of_kind(args: argparse.Namespace, query: Query, context: Context) -> Matrix:
    """A matrix that contains at least the rows that the query asks for."""
    if args.universe is not None and args.kind not in (None, MODEL_KIND):
        raise UsageError("--universe is for tests of models", hint=f"Leave out --universe or --kind {args.kind}.")
    if args.universe is not None or args.kind == MODEL_KIND:
        return context.workspace.index(Universe.COLLECTED if args.universe == "collected" else Universe.VALIDATOR)
    matrix = context.matrix
    for kind in kinds.kinds():
        if kind.listed or kind.name == args.kind or (args.kind is None and kind.asked_by(query)):
            matrix = kind.add(matrix, context.workspace)
    return matrix


def _say_lacking(query: Query, kind: str | None, matrix: Matrix, context: Context) -> None:
    """Say which fields of a query the rows that are asked for do not have: they match nothing."""
    for words in lacking_words(query, kind or "", matrix):
        context.console.note(words)


def _view(name: str | None, context: Context) -> ViewSpec:
    """The saved view of that name; without one, a view of everything."""
    if name is None:
        return ViewSpec()
    return read_saved(context.paths.views_file).named(name)


def _print_views(context: Context) -> int:
    saved = read_saved(context.paths.views_file)
    if context.console.json:
        own = saved.views
        context.console.document(
            [records.NamedView(name=n, own=n in own, **spec.to_json()) for n, spec in saved.all().items()]
        )
    else:
        rows = ((name, spec.arch, str(spec.query)) for name, spec in saved.all().items())
        context.console.table(("view", "arch", "query"), rows)
    return EXIT_OK


def _last_runs(context: Context, kind: str) -> dict[str, str]:
    """The outcome of the last run of a kind, by id, with the changes to the checkout since."""
    found = runs.newest_by_test(context.workspace.run_records, kind)
    old = runs.ages(found.values(), context.matrix.entries, context.workspace.tree)
    words: dict[str, str] = {}
    for id, record in found.items():
        age = old.get(record.spec.run_id)
        words[id] = f"{record.outcome or record.state}{f' ({age.text})' if age else ''}"
    return words


def _print_ids(matrix: Matrix, rows: Iterable[int], context: Context, *, with_function: bool) -> None:
    """Ids unaltered: scripts compare them byte by byte."""
    if with_function:
        lines = sorted(f"{function}::{matrix.ids[row]}" for row in rows for function in matrix.functions(row))
    else:
        lines = sorted(matrix.ids[row] for row in rows)
    context.console.out.writelines(f"{line}\n" for line in lines)
