# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix triage`: take failing training tests through a workflow, from the CPU repro to a reviewed change."""

import argparse
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from core.cli.context import Context
from core.edits.exclusive import sole_writer
from core.edits.operations import Operation
from core.edits.workbench import Workbench
from core.errors import EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_OK, UsageError
from core.matrix.fields import select
from core.matrix.query import Query
from core.runs.store import RunStore
from core.text import printable
from core.triage.bulk import drive_all, forget_edited, look_first
from core.triage.driver import Given, Progress, sole_triage
from core.triage.finish import leave, operations_of, plan_of, take
from core.triage.perform import World
from core.triage.report_document import document
from core.triage.report_text import markdown
from core.triage.resolve import find_target, is_target
from core.triage.workflows import AUTO, KINDS

_WAIT_SECONDS = 5.0
"""How long another writer is waited for."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "workflows:\n" + "\n".join(f"  {name:<22} {kind.help}" for name, kind in KINDS.items())
    parser.add_argument("ids", nargs="*", metavar="ID", help="a training entry, or the name of its model")
    parser.add_argument("--query", default="", metavar="QUERY", help="all training entries that match it")
    parser.add_argument("--workflow", choices=(AUTO, *KINDS), default=AUTO, help="default: what the CPU repro shows")
    parser.add_argument("--apply", action="store_true", help="keep the loader edit and write the expectations")
    parser.add_argument(
        "--device-result", type=Path, metavar="XML", help="a JUnit file of the device run, made elsewhere; goes on"
    )
    parser.add_argument(
        "--choose", type=int, action="append", default=[], metavar="N", help="answer a question; goes on"
    )
    parser.add_argument("--resume", action="store_true", help="go on where it stopped, instead of anew")


def execute(args: argparse.Namespace, context: Context) -> int:
    ids = _targets(args, context)
    world = World(context.matrix, context.model_infos, context.settings, RunStore(context.paths.runs), context.arch)
    world.said = context.console.note
    root = sessions_directory(context)
    given = Given(list(args.choose), args.device_result)
    again = bool(args.resume or given.choices or given.device_result)

    def after(progress: Progress) -> None:
        if args.apply and progress.session.state.end is not None:
            forget_edited(world, progress)
        elif not args.apply:
            leave(world, progress)

    with sole_triage(root):
        if not again:
            look_first(world, ids)
        done = list(drive_all(world, root, ids, args.workflow, given, after, again=again))
        planned = plan_of(context.matrix, [op for one in done for op in operations_of(one)])
        for rejection in planned.rejected:
            context.console.note(f"rejected: {rejection.op.op} {rejection.op.id}: {rejection.why}")
        ended = [one for one in done if one.blocked is None]
        if args.apply and not planned.rejected:
            bench = Workbench(context.checkout, context.paths.journal)
            with sole_writer(context.checkout.root, "writing expectations", wait=_WAIT_SECONDS):
                take(world, bench, ended, plan_of(context.matrix, planned.applied))
    _tell(context, done, applied=args.apply and not planned.rejected)
    return EXIT_FINDINGS if planned.rejected else max(map(exit_code, done), default=EXIT_OK)


def sessions_directory(context: Context) -> Path:
    """Where the workflows on this checkout are kept."""
    name = hashlib.sha256(os.fsencode(context.checkout.root.resolve())).hexdigest()[:16]
    return context.paths.state / "triage" / name


def exit_code(progress: Progress) -> int:
    """0 at an end with a proposal; 1 where it aborted, or waits for somebody; 2 where the machine cannot run it."""
    report = progress.session.state.report
    if report is not None and report.environment:
        return EXIT_INFRASTRUCTURE
    aborted = report is not None and report.aborted is not None
    return EXIT_FINDINGS if aborted or progress.blocked is not None else EXIT_OK


def _targets(args: argparse.Namespace, context: Context) -> Sequence[str]:
    matrix = context.matrix
    found = [find_target(matrix, text, context.ids_of_model_named) for text in args.ids]
    if args.query:
        query = Query.parse(args.query)
        rows = select(matrix, query, context.arch, context.learned(matrix, query))
        found += [matrix.ids[row] for row in rows if is_target(matrix, matrix.ids[row])]
    if not found:
        raise UsageError("There is nothing to triage", hint="Name training entries, or give a --query that has some.")
    return list(dict.fromkeys(found))


def _tell(context: Context, done: Sequence[Progress], *, applied: bool) -> None:
    told = [(one, _diff(context, operations_of(one)), applied and one.blocked is None) for one in done]
    if context.console.json:
        documents = [document(one, diff, applied=taken) for one, diff, taken in told]
        context.console.document(documents[0] if len(documents) == 1 else documents)
        return
    for number, (one, diff, taken) in enumerate(told):
        if number:
            context.console.line()
        context.console.line(printable(markdown(one, diff, applied=taken).rstrip("\n")))


def _diff(context: Context, operations: Sequence[Operation]) -> str:
    return plan_of(context.matrix, operations).diff()
