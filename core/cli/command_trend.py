# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix trend`: the number of entries per status over time."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_OK
from core.cli import records
from core.cli.context import Context
from core.cli.history_report import commit_document, note_limits
from core.domain.model import Status
from core.history import Every, Point, Split, by_arch, by_group, by_status, day_of, trend
from core.providers import info_of

_WHOLE = "status"
_UNKNOWN_GROUP = "unknown"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by",
        choices=(_WHOLE, "arch", "group"),
        default=_WHOLE,
        help="status: entries by their own status; arch: entries by their status on each supported arch; group: by "
        "the group of their model today",
    )
    parser.add_argument(
        "--every",
        choices=tuple(Every),
        default=Every.MONTH,
        type=Every,
        help="one line for the last commit of each; default: %(default)s",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    points = trend(context.workspace.history, _split(args.by, context), args.every)
    if context.console.json:
        context.console.document(
            records.EntryTrend(by=args.by, every=args.every, points=[_document(point, args.by) for point in points])
        )
    else:
        _print(points, args.by, context)
    note_limits(context.console, context.workspace.history)
    return EXIT_OK


def _split(by: str, context: Context) -> Split:
    if by == "arch":
        return by_arch((context.arch,) if context.arch else context.matrix.schema.archs)
    if by == "group":
        infos = context.workspace.model_infos
        return by_group(lambda id: info.group if (info := info_of(infos, id)) else _UNKNOWN_GROUP)
    return by_status


def _document(point: Point, by: str) -> records.TrendPoint:
    """`counts` is by status, or by arch or group and then by status."""
    series: dict[str, dict[str, int]] = {}
    for (name, status), number in point.counts.items():
        series.setdefault(name, {})[status] = number
    counts = series.get("", {}) if by == _WHOLE else series
    return commit_document(point.commit).extended(records.TrendPoint, counts=counts)


def _print(points: Sequence[Point], by: str, context: Context) -> None:
    names = _names(points)
    label = () if by == _WHOLE else (by,)
    context.console.table(
        ("date", *label, "entries", *Status),
        (
            (day_of(point.commit), *((name,) if label else ()), str(sum(numbers)), *map(str, numbers))
            for name in names
            for point in points
            if any(numbers := [point.counts.get((name, status), 0) for status in Status])
        ),
    )


def _names(points: Sequence[Point]) -> Sequence[str]:
    """The series that ever had an entry, ordered by their final count, largest first."""
    last = points[-1].counts if points else {}
    names = {name for point in points for name, _ in point.counts}
    return sorted(names, key=lambda name: (-sum(last.get((name, status), 0) for status in Status), name))
