# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir ops`: how many ops of each name a program has; with `--find` these ops and where they come from."""

import argparse

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
    documents = []
    for one in found:
        counts = count_ops(one.file, one.stage)
        documents.append({"stage": one.stage, "name": one.name, "total": sum(counts.values()), "ops": counts})
        if not context.console.json:
            context.console.note(f"{one.name} ({one.stage}): {counted(sum(counts.values()), 'op')}")
            context.console.table(("count", "op"), ((f"{count:,}", name) for name, count in counts.items()))
    if context.console.json:
        context.console.document(documents)
    return EXIT_OK


def _find(found: list[Program], text: str, context: Context) -> int:
    hits = [(one, op) for one in found for op in read_ops(one.file, one.stage) if text in op.text]
    if context.console.json:
        context.console.document(
            [
                {"program": one.name, "line": op.line, "op": op.name, "source": op.place or None, "text": op.text}
                for one, op in hits
            ]
        )
    elif hits:
        rows = ((one.name, str(op.line), op.place, one_line(op.text)) for one, op in hits)
        context.console.table(("program", "line", "source", "op"), rows)
    context.console.note(counted(len(hits), "op"))
    return EXIT_OK if hits else EXIT_FINDINGS
