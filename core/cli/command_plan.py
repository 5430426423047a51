# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix plan`: the device runs that fit into the time left on machines, the most valuable first."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from core import hosts, sessions
from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.cli.runs_common import agree_to, configure_yes
from core.runs.execution import launch_all
from core.runs.planning import scale_of
from core.runs.store import RunStore
from core.sessions import Accuracy, SessionPlan, Slot


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="only these tests; default: those with an entry")
    parser.add_argument(
        "--hours", type=float, metavar="H", help="length of the session in hours; default: what is left of each lease"
    )
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="plan only for this host; can be repeated"
    )
    parser.add_argument(
        "--days",
        type=float,
        default=sessions.RECENT_DAYS,
        metavar="D",
        help="results of the last so many days are recent; default: 7",
    )
    parser.add_argument("--queue", action="store_true", help="queue what is planned, in this order")
    configure_yes(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    slots = _slots(args, context)
    asked = context.ids_of(" ".join(args.query))
    ids = [id for id in context.matrix.ids if (id in context.matrix.entries if asked is None else id in asked)]
    plan, good = context.evidence.plan_session(ids, slots, context.arch, args.days)
    queued = _queue(context, plan, yes=args.yes) if args.queue else []
    if context.console.json:
        context.console.document(_document(plan, good, queued))
    else:
        _print(context, plan, good)
        if args.queue:
            context.console.note(f"{counted(len(queued), 'run')} queued")
    return EXIT_OK


def _queue(context: Context, plan: SessionPlan, *, yes: bool) -> list[str]:
    """Start the planned runs in order, each on a machine that has its arch; returns the run ids."""
    cells = [(one.candidate.id, one.candidate.arch, one.candidate.runs) for one in plan.placed]
    runs_of = context.evidence.plan_cells(cells)
    for obstacle in runs_of.obstacles:
        context.console.note(f"{obstacle.level}: {obstacle.what}\n  {obstacle.remedy}")
    scale = scale_of(runs_of.specs, runs_of.downloads, context.paths.runs)
    agree_to(runs_of.downloads, context, yes=yes, scale=scale)
    started = launch_all(RunStore(context.paths.runs), runs_of.specs, provenance=runs_of.provenance)
    return [record.spec.run_id for record in started]


def _slots(args: argparse.Namespace, context: Context) -> Sequence[Slot]:
    """The slots of the machines that the arguments select."""
    if args.hours is not None and not 0 < args.hours <= sessions.MOST_HOURS:
        raise UsageError(f"--hours must be more than 0, not {args.hours:g}")
    known = hosts.chosen_hosts(hosts.read_hosts(context.paths.hosts_file), args.host)
    return sessions.session_slots(known, context.matrix.schema.archs, context.arch, args.hours, datetime.now(UTC))


def _document(plan: SessionPlan, good: Accuracy, queued: Sequence[str]) -> records.SessionPlan:
    return records.SessionPlan(
        slots=[records.SessionSlot(host=one.host, archs=sorted(one.labels), seconds=one.seconds) for one in plan.slots],
        runs=[
            records.SessionRun(
                id=one.candidate.id,
                arch=one.candidate.arch,
                host=one.host,
                slot=one.slot,
                begin=one.begin,
                seconds=one.candidate.seconds,
                runs=one.candidate.runs,
                known=one.candidate.known,
                why=list(one.candidate.why),
            )
            for one in plan.placed
        ],
        left_over=[
            records.LeftOver(id=one.candidate.id, arch=one.candidate.arch, seconds=one.candidate.total, why=one.why)
            for one in plan.left_over
        ],
        machine_minutes=plan.machine_seconds / 60,
        free_minutes=plan.free_seconds / 60,
        estimates=records.Estimates(runs=good.runs, ratio=good.ratio, near=good.near),
        queued=queued,
    )


def _print(context: Context, plan: SessionPlan, good: Accuracy) -> None:
    rows = [
        (
            one.host or "here",
            f"{one.begin / 60:,.0f}",
            f"{'' if one.candidate.known else '~'}{one.candidate.total / 60:,.1f}",
            str(one.candidate.runs),
            one.candidate.arch,
            one_line(one.candidate.id),
            "; ".join(one.candidate.why),
        )
        for one in plan.placed
    ]
    console = context.console
    if rows:
        console.table(("host", "from min", "takes min", "runs", "arch", "id", "why"), rows)
    guessed = sum(not one.candidate.known for one in plan.placed)
    free = plan.free_seconds / 60
    console.note(
        f"{counted(len(plan.placed), 'cell')} in {plan.machine_seconds / 60:,.0f} machine minutes on "
        f"{counted(len(plan.slots), 'slot')}, {free:,.0f} min free; {counted(len(plan.left_over), 'cell')} left over"
    )
    if guessed:
        console.note(f"~: the time of {counted(guessed, 'cell')} is a guess: no earlier run or CI time is known")
    if good.ratio is not None and good.near is not None:
        console.note(
            f"{counted(good.runs, 'earlier run')} took {good.ratio:.2f} times the estimate (median), "
            f"{good.near:.0%} within a quarter of it"
        )
    else:
        console.note("no earlier run had an estimate to compare with")
