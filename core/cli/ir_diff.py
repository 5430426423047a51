# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir diff`: two programs, or all programs of two runs, compared op by op."""

import argparse
from collections.abc import Iterator, Sequence

from core.cli import records
from core.cli.context import Context
from core.cli.ir_common import PLACE_HELP, add_stage, wanted
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.runs.ir import Change, Op, Ops, Program, ProgramDiff, Row, diff_programs, read_ops, same_program
from core.text import one_line

_SIGNS = {Change.REMOVED: "-", Change.ADDED: "+", Change.CHANGED: "~", Change.OPERANDS: "^"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="IR", help=PLACE_HELP)
    parser.add_argument("after", metavar="OTHER", help="what to compare it with, named in the same way")
    add_stage(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    before, after = (wanted(text, args.stage, context) for text in (args.before, args.after))
    found = [(one, other, diff_programs(_ops(one), _ops(other))) for one, other in _pairs(before, after)]
    if not found:
        raise UsageError(
            "The two have no program in common",
            f"{', '.join(one.name for one in before)} and {', '.join(one.name for one in after)}.",
            "Name two programs: RUN:PART, or files.",
        )
    if context.console.json:
        context.console.document([_document(*one) for one in found])
    else:
        for one in found:
            _print(*one, context)
    return EXIT_OK if all(one[2].same and not one[2].broken for one in found) else EXIT_FINDINGS


def _pairs(before: Sequence[Program], after: Sequence[Program]) -> Iterator[tuple[Program, Program]]:
    """The pairs to compare: two single programs regardless of their stages, else those that correspond."""
    if len(before) == 1 and len(after) == 1:
        yield before[0], after[0]
        return
    for one in before:
        if other := same_program(one, list(after)):
            yield one, other


def _ops(program: Program) -> Ops:
    return read_ops(program.file, program.stage)


def _print(before: Program, after: Program, diff: ProgramDiff, context: Context) -> None:
    counts = ", ".join(f"{count:,} {change}" for change, count in diff.counts.items() if count) or "no ops"
    context.console.note(f"{before.name} ({before.stage}), {after.name} ({after.stage}): {counts}")
    for line in diff.broken:
        context.console.note(line)
    for at in diff.differences:
        context.console.line("\n".join(_lines(diff[at])))


def _lines(row: Row) -> Iterator[str]:
    sides = [op for op in (row.left, row.right) if op is not None]
    sign = _SIGNS[row.change]
    for number, op in enumerate(sides):
        source = f"   {op.place}" if op.place else ""
        yield f"{sign if not number else ' '} {op.line:>6}  {one_line(op.text)}{source}"


def _document(before: Program, after: Program, diff: ProgramDiff) -> records.ProgramsCompared:
    return records.ProgramsCompared(
        before=records.ProgramName(name=before.name, stage=before.stage),
        after=records.ProgramName(name=after.name, stage=after.stage),
        counts=records.ProgramCounts(**{str(name): number for name, number in diff.counts.items()}),
        ops={name: both for name, both in diff.by_name.items()},
        differences=[
            records.OpDifference(change=row.change, before=_side(row.left), after=_side(row.right))
            for row in map(diff.__getitem__, diff.differences)
        ],
        broken=diff.broken,
    )


def _side(op: Op | None) -> records.ComparedOp | None:
    return None if op is None else records.ComparedOp(line=op.line, op=op.name, text=op.text, source=op.place or None)
