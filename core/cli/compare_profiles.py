# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix compare --profiles A,B QUERY`: tests under several profiles, in one batch and one table."""

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_OK, UsageError
from core.base.settings import DEFAULT_PROFILE
from core.base.text import counted, one_line, printable
from core.cli import records
from core.cli.context import Context
from core.cli.runs_common import configure_yes, exit_code, queue_runs, summary
from core.evidence.analysis import FORMATS, HEADER, ProfileTable, exported, profile_table, table_lines
from core.runs import RunSpec, own_runs, shell_command
from core.runs.execution import wait
from core.runs.planning import compared_profiles, plan_profiles, profiles_of, shown_name
from core.runs.store import RunRecord, RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("profiles")
    group.add_argument("--profiles", metavar="A,B", help="run the tests of QUERY under these profiles; default: none")
    group.add_argument(
        "--sweep", metavar="NAME=1,2,3", help="run each profile with each of these values; 1..32 doubles from 1 to 32"
    )
    group.add_argument("--until-failure", action="store_true", help="start no more once a run has failed")
    group.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="runs of each; 3 or more to tell differences from noise"
    )
    group.add_argument("--kind", choices=("cpu", "device"), default="", help="how tests run; default: device")
    group.add_argument("--batch", metavar="BATCH", help="start nothing: show this batch with all its profiles")
    group.add_argument("--format", choices=("table", *FORMATS), default="table", help="how to print the table")
    group.add_argument("--plan", action="store_true", help="print the commands and start nothing")
    configure_yes(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    if args.batch:
        ended = [one for one in store.records() if one.spec.batch == args.batch]
        if not ended:
            hint = "ttmatrix runs --json has the batch of each run."
            raise UsageError(f"There is no batch {args.batch!r}", hint=hint)
        ended.sort(key=lambda one: one.spec.created)
        _say_where(ended, context)
        profiles = _profiles(args, context) if args.profiles or args.sweep else profiles_of(ended)
    else:
        profiles = _profiles(args, context)
        specs = _specs(args, context, profiles, store)
        if args.plan:
            for spec in specs:
                context.console.line(printable(shell_command(spec)))
            return EXIT_OK
        started = queue_runs(context, store, specs, yes=args.yes)
        context.console.note(f"started {counted(len(started), 'run')} as batch {specs[0].batch}")
        ended = wait(store, [one.spec.run_id for one in started])
    _print(profile_table(ended, profiles), args.format, context)
    context.console.note(summary(ended))
    return exit_code(ended)


def _say_where(ended: Sequence[RunRecord], context: Context) -> None:
    """Name the checkout of runs that are not of this one: they say nothing about it."""
    own = own_runs(ended, context.workspace.tree) if context.in_checkout else []
    ids = {one.spec.run_id for one in own}
    for place in sorted({str(one.spec.cwd) for one in ended if one.spec.run_id not in ids}):
        context.console.note(f"runs of another checkout: {one_line(place)}")


def _profiles(args: argparse.Namespace, context: Context) -> list[str]:
    """The profiles that are compared."""
    names = [one.strip() for one in (args.profiles or DEFAULT_PROFILE).split(",") if one.strip()]
    return compared_profiles(names, args.sweep or "", context.checkout, context.settings)


def _specs(args: argparse.Namespace, context: Context, profiles: Sequence[str], store: RunStore) -> list[RunSpec]:
    return plan_profiles(
        context.matrix,
        _ids(args, context),
        context.settings,
        profiles,
        repeat=args.repeat,
        runs=store.root,
        kind=args.kind,
        arch=context.arch,
        until_failure=args.until_failure,
    )


def _ids(args: argparse.Namespace, context: Context) -> list[str]:
    words = [one for one in (args.before, args.after) if one]
    if not words:
        example = 'ttmatrix compare --profiles default,bfp8 "mlp single_device"'
        raise UsageError("Which tests?", hint=f"For example: {example}")
    wanted = context.ids_of(" ".join(words))
    return sorted(context.matrix.ids if wanted is None else wanted)


def _print(table: ProfileTable, form: str, context: Context) -> None:
    if context.console.json:
        context.console.document(document(table))
    elif form in FORMATS:
        context.console.line(exported(table, form).rstrip("\n"))
    else:
        context.console.table(HEADER, table_lines(table))


def document(table: ProfileTable) -> records.ProfilesCompared:
    """The table as JSON: the numbers of every run, and what is called a difference."""
    return records.ProfilesCompared(
        profiles=[shown_name(one) for one in table.profiles],
        tests=[
            records.ProfiledTest(id=id, cells=[_cell(table, id, profile) for profile in table.profiles])
            for id in table.rows
        ],
    )


def _cell(table: ProfileTable, id: str, profile: str) -> records.ProfiledCell:
    cell = table.rows[id][profile]
    return records.ProfiledCell(
        profile=shown_name(profile),
        runs=[one.spec.run_id for one in cell.runs],
        outcomes=[_outcome(one) for one in cell.runs],
        numbers=records.ProfiledNumbers(
            **{
                metric: records.ProfiledNumber(
                    values=list(numbers.values),
                    median=numbers.median,
                    spread=numbers.spread,
                    difference=None if profile == table.profiles[0] else table.difference(id, profile, metric),
                )
                for metric, numbers in cell.numbers.items()
            }
        ),
    )


def _outcome(record: RunRecord) -> str:
    return str(record.outcome or record.state)
