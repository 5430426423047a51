# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir ops`: how many ops of each name a program has; with `--find` these ops and where they come from."""

import argparse

from core.cli import records
from core.cli.context import Context
from core.cli.ir_common import PLACE_HELP, add_stage, wanted
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.runs.ir import Program, count_ops, read_ops
from core.text import counted, one_line


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="IR", help=PLACE_HELP)
    add_stage(parser)
    parser.add_argument("--find", metavar="TEXT", help="list the ops whose line has this text, with their source lines")


def execute(args: argparse.Namespace, context: Context) -> int:
    found = wanted(args.program, args.stage, context)
    return _find(found, args.find, context) if args.find else _count(found, context)


def _count(found: list[Program], context: Context) -> int:
    documents, broken = [], False
    for one in found:
        counts = count_ops(one.file, one.stage)
        broken = broken or bool(counts.broken)
        documents.append(
            records.ProgramOps(
                stage=one.stage,
                name=one.name,
                total=counts.total,
                ops=counts.by_name,
                broken=counts.broken or None,
            )
        )
        if not context.console.json:
            context.console.note(f"{one.name} ({one.stage}): {counted(counts.total, 'op')}")
            context.console.table(("count", "op"), ((f"{count:,}", name) for name, count in counts.by_name.items()))
        if counts.broken:
            context.console.note(counts.broken)
    if context.console.json:
        context.console.document(documents)
    return EXIT_FINDINGS if broken else EXIT_OK


def _find(found: list[Program], text: str, context: Context) -> int:
    hits = []
    for one in found:
        ops = read_ops(one.file, one.stage)
        hits += [(one, op) for op in ops.with_text(text)]
        if ops.broken:
            context.console.note(ops.broken)
    if context.console.json:
        context.console.document(
            [
                records.OpInProgram(program=one.name, line=op.line, op=op.name, source=op.place or None, text=op.text)
                for one, op in hits
            ]
        )
    elif hits:
        rows = ((one.name, str(op.line), op.place, one_line(op.text)) for one, op in hits)
        context.console.table(("program", "line", "source", "op"), rows)
    context.console.note(counted(len(hits), "op"))
    return EXIT_OK if hits else EXIT_FINDINGS
