# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence stats`: how many results are stored."""

import argparse
from datetime import UTC, datetime

from core.cli import records
from core.cli.context import Context
from core.errors import EXIT_OK
from core.evidence import evidence_store
from core.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """It takes no arguments of its own."""


def execute(args: argparse.Namespace, context: Context) -> int:
    store = evidence_store(context.checkout, context.paths)
    stats = store.stats()
    size = store.file.stat().st_size if store.file.exists() else 0
    first, last = (datetime.fromtimestamp(at, UTC).date().isoformat() if at else None for at in stats[-2:])
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
