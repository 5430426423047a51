# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence`: the store of results: exchanged as files, counted, thinned out."""

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from core.base.checked_numbers import day_of
from core.base.errors import EXIT_OK
from core.base.text import counted
from core.cli import records
from core.cli.context import Context
from core.cli.verbs import Verb, configure_verbs, execute_verb
from core.evidence import evidence_store, read_file, write_file

_DAYS = 90.0


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, _VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb(_VERBS, args, context)


def _configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a name that ends in .csv or .parquet")


def _export(args: argparse.Namespace, context: Context) -> int:
    count = write_file(args.file, evidence_store(context.checkout, context.paths).reports())
    if context.console.json:
        context.console.document(records.Exported(file=str(args.file), results=count))
    else:
        context.console.line(f"{args.file}: {counted(count, 'result')}")
    return EXIT_OK


def _configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file that export wrote")


def _import(args: argparse.Namespace, context: Context) -> int:
    store, found = evidence_store(context.checkout, context.paths), []
    for file in args.files:
        added = store.add_stored(read_file(file))
        found.append(records.Imported(file=str(file), new=added.new, known=added.known))
        if not context.console.json:
            context.console.line(f"{file}: {counted(added.new, 'new report')}, {added.known:,} known")
    if context.console.json:
        context.console.document(found)
    return EXIT_OK


def _configure_stats(parser: argparse.ArgumentParser) -> None:
    """It takes no arguments of its own."""


def _stats(args: argparse.Namespace, context: Context) -> int:
    store = evidence_store(context.checkout, context.paths)
    stats = store.stats()
    size = store.file.stat().st_size if store.file.exists() else 0
    first, last = (day_of(at) if at else None for at in stats[-2:])
    if context.console.json:
        context.console.document(
            records.StoreStats(
                file=str(store.file),
                bytes=size,
                results=stats.results,
                reports=stats.reports,
                runs=stats.runs,
                cells=stats.cells,
                first=first,
                last=last,
            )
        )
        return EXIT_OK
    when = f", {first} to {last}" if first else ""
    each = f", {size / stats.results:.0f} bytes a result" if stats.results else ""
    context.console.line(f"{counted(stats.results, 'result')} of {counted(stats.cells, 'cell')}{when}")
    context.console.line(f"{counted(stats.reports, 'report')} of {counted(stats.runs, 'run')}")
    context.console.line(f"{store.file}: {size / 2**20:.1f} MiB{each}")
    return EXIT_OK


def _configure_prune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--older-than", type=float, metavar="DAYS", help=f"default: retention.days of the policy, else {_DAYS:g}"
    )
    parser.add_argument(
        "--write", action="store_true", help="remove the results; default: only print how many there are"
    )


def _prune(args: argparse.Namespace, context: Context) -> int:
    store = evidence_store(context.checkout, context.paths)
    policy = context.evidence.policy
    days = (policy.retention.days or _DAYS) if args.older_than is None else args.older_than
    gone = store.thin(datetime.now(UTC).timestamp() - days * 86_400, policy.retained, write=args.write)
    left = store.stats().results
    if context.console.json:
        context.console.document(records.Pruned(removed=gone, written=args.write, results=left))
        return EXIT_OK
    what = "removed" if args.write else "would be removed"
    context.console.line(f"{counted(gone, 'result')} {what}; {left:,} are stored")
    if gone and not args.write:
        context.console.note("Nothing was changed. --write removes them.")
    return EXIT_OK


_VERBS: Mapping[str, Verb] = {
    "export": Verb(
        "write all results to one file: .csv, or .parquet with the extra ttmatrix[parquet]", _configure_export, _export
    ),
    "import": Verb("add the results of such files, except those that are known", _configure_import, _import),
    "stats": Verb("print how many results there are, and how large the file is", _configure_stats, _stats),
    "prune": Verb(
        "thin out old results: keep every change of outcome, and one a week of those that repeat",
        _configure_prune,
        _prune,
    ),
}
