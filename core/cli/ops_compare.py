# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops compare`: the last results of op cases on two backends side by side, with the difference."""

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.text import counted, significant
from core.cli import records
from core.cli.context import Context
from core.evidence import Observation
from core.evidence.analysis import (
    NUMBERS,
    BackendComparison,
    BackendKind,
    OnTwoBackends,
)

_NUMBERS = {"max abs": "max_abs", "PCC": "pcc", "s": "seconds"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="a case, MODEL::CASE; default: all with results")
    parser.add_argument("--model", action="append", default=[], metavar="MODEL", help="only cases of this model")
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help="one of the two, the reference of the comparison first; default: eager and the one with most results",
    )
    parser.add_argument(
        "--only", choices=tuple(BackendKind), action="append", type=BackendKind, help="only cases of this kind"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    if len(args.backend) > 2:
        raise UsageError("Two backends are compared", f"{len(args.backend)} are named.")
    cases = context.workspace.op_tests
    unknown = [id for id in args.ids if id not in cases.files]
    if unknown:
        raise UsageError(f"No op case {unknown[0]}", hint="`ttmatrix ops list` has them all.")
    ids = args.ids or [row.id for row in cases.of_models(args.model)]
    found = context.evidence.compare_cases(ids, args.backend).comparison
    chosen = [one for one in found.cases if not args.only or one.kind in args.only]
    if context.console.json:
        context.console.document(
            records.BackendsCompared(
                first=found.first,
                second=found.second,
                counts=found.counts,
                cases=[_document(one) for one in chosen],
            )
        )
    else:
        _print(found, chosen, context)
    return EXIT_FINDINGS if found.counts[BackendKind.ONLY_SECOND] else EXIT_OK


def _print(found: BackendComparison, chosen: Sequence[OnTwoBackends], context: Context) -> None:
    header = ("id", found.first, found.second, *(word for title in _NUMBERS for word in (title, "change")), "message")
    if chosen:
        context.console.table(header, map(_cells, chosen))
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items() if count)
    context.console.note(
        f"{counted(len(found.cases), 'op case')} on {found.first} and {found.second}"
        + (f": {counts}" if counts else "")
    )


def _cells(one: OnTwoBackends) -> list[str]:
    cells = [one.id, *(row.op.status if row and row.op else "-" for row in (one.first, one.second))]
    for name in _NUMBERS.values():
        second, change = one.numbers(name)[1], one.change(name)
        cells += ["" if second is None else significant(second), "" if change is None else f"{change:+.4g}"]
    reasons = [row.reason for row in (one.first, one.second) if row is not None and row.reason]
    return [*cells, " | ".join(dict.fromkeys(reasons))]


def _document(one: OnTwoBackends) -> records.CaseOnBackends:
    return records.CaseOnBackends(
        id=one.id,
        kind=one.kind,
        first=_side(one.first),
        second=_side(one.second),
        change=records.CaseChange(**{name: one.change(name) for name in NUMBERS}),
    )


def _side(row: Observation | None) -> records.CaseOnBackend | None:
    if row is None or row.op is None:
        return None
    return records.CaseOnBackend(
        status=row.op.status,
        rtol=row.op.rtol,
        atol=row.op.atol,
        max_abs=row.op.max_abs,
        max_rel=row.op.max_rel,
        mismatched=row.op.mismatched,
        pcc=row.op.pcc,
        seconds=row.seconds,
        message=row.reason or None,
        run=row.job or row.run,
    )
