# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops results`: the last result of each op case on each backend, what that means, and how stable it is."""

import argparse
from collections.abc import Sequence

from core.base.checked_numbers import moment_text
from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.text import counted, significant
from core.cli import records
from core.cli.context import Context
from core.evidence import Observation
from core.evidence.analysis import Course, Stability, courses
from core.evidence.verdicts import Judgement, newest_by_backend

_HEADER = ("id", "backend", "status", "max abs", "max rel", "PCC", "verdict", "stability", "message")
_BAD = (Stability.NEW_FAIL, Stability.STILL_FAILING, Stability.FLAKY)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="a case, MODEL::CASE; default: all with results")
    parser.add_argument("--model", action="append", default=[], metavar="MODEL", help="only cases of this model")
    parser.add_argument("--backend", action="append", default=[], metavar="NAME", help="only results on this backend")


def execute(args: argparse.Namespace, context: Context) -> int:
    verdicts = context.evidence.op_verdicts
    unknown = [id for id in args.ids if id not in verdicts.rows]
    if unknown:
        raise UsageError(f"No op case {unknown[0]}", hint="`ttmatrix ops list` has them all.")
    ids = args.ids or [row.id for row in context.workspace.op_tests.of_models(args.model)]
    rows = [row for archs in verdicts.seen.values() for found in archs.values() for row in found]
    rows.sort(key=lambda row: row.when)
    by_case = {(id, one.backend): one for one in courses(rows) for id in one.ids}
    judged = {(one.id, one.arch): one for found in verdicts.judged.values() for one in found}
    newest = [row for row in newest_by_backend(rows, ids) if not args.backend or row.arch in args.backend]
    found = [(row, judged[row.cell], by_case.get(row.cell)) for row in newest]
    if context.console.json:
        context.console.document([_document(*one) for one in found])
    elif found:
        context.console.table(_HEADER, (_cells(*one) for one in found))
    counts = {name: sum(1 for _, _, one in found if one and one.stability is name) for name in Stability}
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    context.console.note(counted(len(found), "result") + (f": {said}" if said else ""))
    return EXIT_FINDINGS if any(one and one.stability in _BAD for _, _, one in found) else EXIT_OK


def _cells(row: Observation, verdict: Judgement, course: Course | None) -> Sequence[str]:
    assert row.op is not None
    numbers = ("" if one is None else significant(one) for one in (row.op.max_abs, row.op.max_rel, row.op.pcc))
    stability = course.stability if course else ""
    return row.test_id, row.arch, row.op.status, *numbers, verdict.verdict, stability, row.reason


def _document(row: Observation, verdict: Judgement, course: Course | None) -> records.OpCaseResult:
    assert row.op is not None
    when = moment_text(row.when)
    return records.OpCaseResult(
        id=row.test_id,
        backend=row.arch,
        status=row.op.status,
        seconds=row.seconds,
        max_abs=row.op.max_abs,
        max_rel=row.op.max_rel,
        pcc=row.op.pcc,
        message=row.reason,
        key=row.op.key,
        dup_of=row.op.dup_of or None,
        when=when,
        run=row.job or row.run,
        verdict=verdict.verdict,
        why=verdict.why,
        stability=course.stability if course else None,
        since=(course.since or None) if course else None,
    )
