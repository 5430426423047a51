# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix triage`: run a workflow on failing training tests, from the CPU repro to a reviewed change."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_OK, UsageError
from core.base.text import printable
from core.cli.console import Console
from core.cli.context import Context
from core.cli.runs_common import agreed_interpreter, configure_yes
from core.cli.triage_sessions import list_sessions
from core.cli.workflow_report import report_record
from core.matrix.query import select
from core.workflows import (
    Progress,
    UserInput,
    WorkflowContext,
    drive_all,
    find_target,
    forget_edited,
    is_target,
    leave,
    leave_all,
    markdown,
    operations_of,
    plan_of,
    run_cpu_first,
    sessions_directory,
    take,
    workflow_lock,
)
from core.workflows.procedures import AUTO, WORKFLOWS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "workflows:\n" + "\n".join(f"  {name:<22} {kind.help}" for name, kind in WORKFLOWS.items())
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="a training entry, or the name of a model; none: list open workflows"
    )
    parser.add_argument("--query", default="", metavar="QUERY", help="all training entries that match the query")
    parser.add_argument(
        "--workflow",
        choices=(AUTO, *WORKFLOWS),
        default=AUTO,
        help="default: auto, chosen from what the CPU repro shows",
    )
    parser.add_argument(
        "--apply", action="store_true", help="keep the loader edit and write the YAML; default: leave neither"
    )
    parser.add_argument(
        "--device-result", type=Path, metavar="XML", help="continue with a JUnit file of the device run made elsewhere"
    )
    parser.add_argument(
        "--choose",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="continue with answer N to the question it asked",
    )
    configure_yes(parser)
    parser.add_argument("--resume", action="store_true", help="continue where it stopped, instead of starting over")


def execute(args: argparse.Namespace, context: Context) -> int:
    if not (args.ids or args.query or args.apply or args.resume or args.choose or args.device_result):
        list_sessions(context, lambda: _world(context))
        return EXIT_OK
    ids = _targets(args, context)
    agreed_interpreter(ids, context, yes=args.yes)
    world = _world(context)
    root = sessions_directory(context.paths.state, context.checkout.root)
    with workflow_lock(root):
        done = _drive(args, world, root, ids)
        planned = plan_of(context.matrix, [op for one in done for op in operations_of(one)])
        for rejection in planned.rejected:
            context.console.note(f"rejected: {rejection.op.op} {rejection.op.id}: {rejection.why}")
        # Before anything is written; afterwards there would be no difference.
        diffs = [plan_of(context.matrix, operations_of(one)).diff() for one in done]
        if planned.rejected:
            leave_all(world, done)
        elif args.apply:
            with context.sole_writer() as bench:
                take(world, bench, [one for one in done if one.blocked is None], planned)
        _print(context.console, list(zip(done, diffs, strict=True)), applies=args.apply)
    return EXIT_FINDINGS if planned.rejected else max(map(exit_code, done), default=EXIT_OK)


def _world(context: Context) -> WorkflowContext:
    world = context.evidence.world(context.arch)
    world.said = context.console.note
    return world


def _drive(args: argparse.Namespace, world: WorkflowContext, root: Path, ids: Sequence[str]) -> list[Progress]:
    """Drive all of `ids` as far as they go; loader edits stay in the work tree only with `--apply`."""
    given = UserInput(list(args.choose), args.device_result)
    again = bool(args.resume or given.choices or given.device_result)
    done: list[Progress] = []

    def after(progress: Progress) -> None:
        done.append(progress)
        if args.apply:
            forget_edited(world, root, progress)
        else:
            leave(world, progress)

    run_cpu_first(world, root, ids, again=again)
    try:
        for _ in drive_all(world, root, ids, args.workflow, given, after, again=again):
            pass
    except BaseException:
        leave_all(world, done)
        raise
    if given.choices:
        world.said(f"--choose {given.choices[0]} was not used: there was no question")
    if given.device_result is not None and not given.used:
        world.said(f"--device-result {given.device_result} was not used: no step needed a device result")
    return done


def exit_code(progress: Progress) -> int:
    """0 if it ended with a proposal; 1 if it aborted or needs a person; 2 if this machine cannot run it."""
    report = progress.session.state.report
    if report is not None and report.environment:
        return EXIT_INFRASTRUCTURE
    aborted = report is not None and report.aborted is not None
    return EXIT_FINDINGS if aborted or progress.blocked is not None else EXIT_OK


def _targets(args: argparse.Namespace, context: Context) -> Sequence[str]:
    matrix = context.matrix
    found = [find_target(matrix, text, context.workspace.ids_of_model) for text in args.ids]
    if args.query:
        query = context.parse(args.query)
        rows = select(matrix, query, context.arch, context.learned(matrix, query))
        found += [matrix.ids[row] for row in rows if is_target(matrix, matrix.ids[row])]
    if not found:
        raise UsageError("No training entries to triage", hint="Name some, or give a --query that matches some.")
    return list(dict.fromkeys(found))


def _print(console: Console, results: Sequence[tuple[Progress, str]], *, applies: bool) -> None:
    """Print the report of each, with the diff of its expectations."""
    if console.json:
        reports = [report_record(one, diff, applies=applies) for one, diff in results]
        console.document(reports[0] if len(reports) == 1 else reports)
        return
    for number, (one, diff) in enumerate(results):
        if number:
            console.line()
        console.line(printable(markdown(one, diff, applies=applies).rstrip("\n")))
