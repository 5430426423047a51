# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix list`: rows that match a query, as a table, ids, CSV or JSON."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence

from core import ops, runs
from core.cli import handwritten_records, placeholder_records, records
from core.cli.absent_report import note_absent
from core.cli.context import Context
from core.cli.op_records import op_records, print_cases
from core.errors import EXIT_OK, QueryError, UsageError
from core.matrix import HANDWRITTEN_KIND, NO_ARCH, OP_KIND, PLACEHOLDER_KIND, Matrix, Universe, with_placeholder_rows
from core.matrix.query import NUMBERS, RESULT, VERDICT, Query, help_text, lacking_words, plain, select
from core.matrix.view import RUN_KINDS, ViewSpec, ordered, read_saved, text_of_row
from core.model import Function

_COLUMNS = ("id", "status", "bringup", "archs", "reason")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = help_text()
    parser.add_argument("query", nargs="*", metavar="QUERY", help="which tests; see below")
    parser.add_argument(
        "--kind",
        choices=("model", "op", "all", "handwritten"),
        help="op: cases of op manifests; handwritten: tests below tests/jax and tests/torch; default: all, "
        "with --universe model",
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
    if args.kind == HANDWRITTEN_KIND:
        handwritten_records.refuse_options(args.view, args.universe)
        args.query = _in_one_language(args.query, context)
    code = _list_rows(args, context)
    note_absent(context)
    return code


def _in_one_language(words: Sequence[str], context: Context) -> list[str]:
    """Words as hand-written tests had them before there was one language: a dash excludes, parentheses are letters."""
    words = [f"!{word[1:]}" if word.startswith("-") else word for word in words]
    try:
        context.parse(" ".join(words))
    except QueryError:
        return [
            str(Query((plain(word),))) if set("()").intersection(word) and ":" not in word else word for word in words
        ]
    return words


def _list_rows(args: argparse.Namespace, context: Context) -> int:
    """Print the requested rows of the matrix."""
    view = _view(args.view, context)
    query = Query((*view.query.terms, *context.parse(" ".join(args.query)).terms))
    matrix = _rows_of_kind(args, query, context)
    arch = context.arch or view.arch
    matrix.check_arch(arch)
    rows = select(matrix, query, arch, context.learned(matrix, query))
    if args.kind in (OP_KIND, HANDWRITTEN_KIND):
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
    only_handwritten = args.kind == HANDWRITTEN_KIND or (bool(rows) and matrix.kind_of_all(rows) == HANDWRITTEN_KIND)
    if only_handwritten and args.view is None:
        handwritten_records.print_tests([matrix.ids[row] for row in rows], style, context)
        return EXIT_OK
    only_cases = args.kind == OP_KIND or (bool(rows) and matrix.kind_of_all(rows) == OP_KIND)
    if only_cases and args.view is None:
        print_cases(_op_records(matrix, rows, context, broken=not query.terms), style, context)
        return EXIT_OK
    columns = view.columns or _COLUMNS
    last = _last_words((*columns, view.sort), matrix, arch, context)
    rows = ordered(matrix, rows, view.sort, arch, last, descending=view.descending)
    cells = (tuple(text_of_row(matrix, row, name, arch, last) for name in columns) for row in rows)
    if style == "json":
        if args.universe == "collected":
            # One for each function under which pytest collects a row: an id can be in several tests.
            found = [_record(matrix, row, arch, function) for row in rows for function in matrix.functions(row)]
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
    cases = iter(_op_records(matrix, [row for row in rows if matrix.kind_of(row) == OP_KIND], context))
    by_hand = handwritten_records.records_of(
        [matrix.ids[row] for row in rows if matrix.kind_of(row) == HANDWRITTEN_KIND], context
    )
    others = iter(by_hand)
    return [
        next(cases)
        if matrix.kind_of(row) == OP_KIND
        else next(others)
        if matrix.kind_of(row) == HANDWRITTEN_KIND
        else placeholder_records.record(matrix, row)
        if matrix.kind_of(row) == PLACEHOLDER_KIND
        else _record(matrix, row, arch, matrix.function(row))
        for row in rows
    ]


def _rows_of_kind(args: argparse.Namespace, query: Query, context: Context) -> Matrix:
    """A matrix that contains at least the rows that the query asks for."""
    if args.universe is not None and args.kind in (OP_KIND, "all"):
        raise UsageError("--universe is for tests of models", hint=f"Leave out --universe or --kind {args.kind}.")
    if args.universe is None and args.kind != "model":
        asked = args.kind == HANDWRITTEN_KIND or (args.kind is None and _may_be_handwritten(query))
        matrix = context.workspace.whole_table if asked else context.workspace.table
        return with_placeholder_rows(matrix) if args.kind is None and _may_be_placeholder(query) else matrix
    return context.workspace.index(Universe.COLLECTED if args.universe == "collected" else Universe.VALIDATOR)


def _say_lacking(query: Query, kind: str | None, matrix: Matrix, context: Context) -> None:
    """Say which fields of a query the rows that are asked for do not have: they match nothing."""
    for words in lacking_words(query, kind or "", matrix):
        context.console.note(words)


def _may_be_handwritten(query: Query) -> bool:
    """Whether a query asks for hand-written tests by kind or a field of their own; otherwise they are not listed."""
    return _names(query, "kind", HANDWRITTEN_KIND) or any(map(query.values_of, ("level", "known")))


def _may_be_placeholder(query: Query) -> bool:
    """Whether a query asks for placeholders explicitly; otherwise they are not listed."""
    own = {"kind": PLACEHOLDER_KIND, "is": PLACEHOLDER_KIND, "function": Function.PLACEHOLDER}
    return any(_names(query, field, text) for field, text in own.items())


def _names(query: Query, field: str, text: str) -> bool:
    """Whether a value of `field` is `text` or a part of it."""
    return any(value and value.lower() in text for value in query.values_of(field))


def _op_records(matrix: Matrix, rows: Sequence[int], context: Context, *, broken: bool = False) -> list[records.OpCase]:
    """Op cases in their JSON form, in the order of `rows`; `broken` includes faulty cases, which have no row."""
    if not rows and not broken:
        return []
    tests = ops.read_op_tests(context.checkout.root, context.settings.ops_dirs)
    found = {one.id: one for one in op_records(tests, (), ops.default_backend(), dedupe=True)}
    return [
        *(found[matrix.ids[row]] for row in rows if matrix.ids[row] in found),
        *(one for one in found.values() if broken and not one.op),
    ]


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


def _record(matrix: Matrix, row: int, arch: str, function: str) -> records.ModelTest:
    entry = matrix.entry(row)
    return records.ModelTest(
        id=matrix.ids[row],
        function=function,
        status=matrix.status[arch or NO_ARCH][row],
        statuses={one: matrix.status[one][row] for one in matrix.schema.archs},
        archs=list(matrix.flags["arch"][row]),
        bringup_status=matrix.columns["bringup"][row] or None,
        reason=entry.fields.get("reason") if entry else None,
        markers=list(matrix.flags["marker"][row]),
        loader=matrix.columns["loader"][row] or None,
        file=entry.file if entry else None,
        line=entry.line if entry else None,
    )
