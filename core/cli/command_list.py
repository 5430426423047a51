# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix list`: rows that match a query, as a table, ids, CSV or JSON."""

import argparse
import csv
from collections.abc import Iterable

from core.cli.context import Context
from core.errors import EXIT_OK
from core.matrix.fields import select, status_column
from core.matrix.index import NO_ARCH, Matrix, Universe
from core.matrix.query import Query
from core.matrix.query_help import help_text

_COLUMNS = ("id", "status", "bringup", "archs", "reason")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = help_text()
    parser.add_argument("query", nargs="*", metavar="QUERY", help="which rows; see below")
    parser.add_argument("--format", choices=("table", "ids", "csv", "json"), help="default: table, or json with --json")
    parser.add_argument(
        "--universe",
        choices=("entries", "validator", "collected"),
        help="which ids there are; default: those of the validator and of every entry",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    universe = Universe.COLLECTED if args.universe == "collected" else Universe.VALIDATOR
    matrix = context.index(universe)
    query = Query.parse(" ".join(args.query))
    rows = select(matrix, query, context.arch, context.learned(matrix, query))
    if args.universe == "entries":
        rows = [row for row in rows if matrix.ids[row] in matrix.entries]
    elif args.universe is not None:
        rows = [row for row in rows if matrix.ids[row] in matrix.known]
    style = args.format or ("json" if context.console.json else "table")
    if style == "ids":
        _print_ids(matrix, rows, context, with_function=args.universe == "collected")
    elif style == "json":
        context.console.document([_record(matrix, row, context.arch) for row in rows])
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(_cells(matrix, row, context.arch) for row in rows)
    else:
        context.console.table(_COLUMNS, (_cells(matrix, row, context.arch) for row in rows))
        context.console.note(f"{len(rows):,} of {len(matrix.ids):,}")
    return EXIT_OK


def _print_ids(matrix: Matrix, rows: Iterable[int], context: Context, *, with_function: bool) -> None:
    """Ids as they are: scripts compare them byte by byte."""
    if with_function:
        lines = sorted(f"{function}::{matrix.ids[row]}" for row in rows for function in matrix.functions(row))
    else:
        lines = [matrix.ids[row] for row in rows]
    context.console.out.writelines(f"{line}\n" for line in lines)


def _cells(matrix: Matrix, row: int, arch: str) -> tuple[str, ...]:
    return (
        matrix.ids[row],
        " / ".join(_statuses(matrix, row, arch)),
        matrix.columns["bringup"][row],
        " ".join(matrix.flags["arch"][row]),
        matrix.columns["reason"][row],
    )


def _statuses(matrix: Matrix, row: int, arch: str) -> tuple[str, ...]:
    """The status on `arch`; without one, every status the supported archs have."""
    value = status_column(matrix, arch)[row]
    return (value,) if isinstance(value, str) else value


def _record(matrix: Matrix, row: int, arch: str) -> dict[str, object]:
    entry = matrix.entry(row)
    return {
        "id": matrix.ids[row],
        "function": matrix.function(row),
        "status": matrix.status[arch or NO_ARCH][row],
        "statuses": {one: matrix.status[one][row] for one in matrix.schema.archs},
        "archs": list(matrix.flags["arch"][row]),
        "bringup_status": matrix.columns["bringup"][row] or None,
        "reason": entry.fields.get("reason") if entry else None,
        "markers": list(matrix.flags["marker"][row]),
        "loader": matrix.columns["loader"][row] or None,
        "file": entry.file if entry else None,
        "line": entry.line if entry else None,
    }
