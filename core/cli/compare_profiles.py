# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix compare --profiles A,B QUERY`: tests under several profiles, in one batch and one table."""

import argparse
import csv
import io
from collections.abc import Iterator, Sequence

from core.cli.context import Context
from core.cli.runs_common import exit_code, queue_runs, summary
from core.errors import EXIT_OK, UsageError
from core.evidence.analysis import Metric, ProfileTable, profile_table
from core.runs import RunSpec, shell_command
from core.runs.execution import wait
from core.runs.planning import as_batch, default_kind, find_profile, plan_test, shown_name, sweep
from core.runs.store import RunRecord, RunStore
from core.settings import DEFAULT_PROFILE
from core.text import counted, printable

_MOST_RUNS = 500
_FORMATS = ("table", "csv", "markdown")


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("profiles")
    group.add_argument("--profiles", metavar="A,B", help="run the tests of QUERY under these profiles; default: none")
    group.add_argument("--sweep", metavar="NAME=1,2,3", help="each profile with each of these values of an option")
    group.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each; differences want 3 or more")
    group.add_argument("--batch", metavar="BATCH", help="start nothing: show the runs of this batch")
    group.add_argument("--format", choices=_FORMATS, default=_FORMATS[0], help="how to print the table")
    group.add_argument("--plan", action="store_true", help="print the commands and start nothing")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    profiles = _profiles(args, context)
    if args.batch:
        records = [one for one in store.records() if one.spec.batch == args.batch]
        if not records:
            hint = "ttmatrix runs --json has the batch of each run."
            raise UsageError(f"There is no batch {args.batch!r}", hint=hint)
        records.sort(key=lambda one: one.spec.run_id)
    else:
        specs = _specs(args, context, profiles, store)
        if args.plan:
            for spec in specs:
                context.console.line(printable(shell_command(spec)))
            return EXIT_OK
        started = queue_runs(context, store, specs)
        context.console.note(f"started {counted(len(started), 'run')} as batch {specs[0].batch}")
        records = wait(store, [one.spec.run_id for one in started])
    _print(profile_table(records, profiles), args.format, context)
    context.console.note(summary(records))
    return exit_code(records)


def _profiles(args: argparse.Namespace, context: Context) -> list[str]:
    """The profiles that are compared; `default` is none."""
    names = [one.strip() for one in (args.profiles or DEFAULT_PROFILE).split(",") if one.strip()]
    if args.sweep:
        field, equals, values = args.sweep.partition("=")
        if not (equals and values):
            raise UsageError(f"--sweep wants NAME=1,2,3, not {args.sweep!r}")
        names = sweep(names, field, [one for one in values.split(",") if one])
    found = list(dict.fromkeys("" if name == DEFAULT_PROFILE else name for name in names))
    if len(found) < 2:
        raise UsageError("One profile is not compared with itself", hint="For example: --profiles default,bfp8")
    for name in found:
        find_profile(context.checkout, context.settings, name)
    return found


def _specs(args: argparse.Namespace, context: Context, profiles: Sequence[str], store: RunStore) -> list[RunSpec]:
    """Each test under each profile, and again: what changes with time on the machine meets all profiles alike."""
    ids = _ids(args, context)
    kind = default_kind(context.checkout, context.settings, profiles)
    total = len(ids) * len(profiles) * args.repeat
    if not 0 < total <= _MOST_RUNS:
        raise UsageError(f"{counted(len(ids), 'test')} would be {total:,} runs, and 1 to {_MOST_RUNS} are compared")
    specs = [
        plan_test(context.matrix, id, context.settings, runs=store.root, kind=kind, arch=context.arch, profile=profile)
        for id in ids
        for _ in range(args.repeat)
        for profile in profiles
    ]
    return as_batch(specs)


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
        return
    header = ("test", "profile", "runs", "outcome", *Metric)
    rows = [*_lines(table)]
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        context.console.line(out.getvalue().rstrip("\n"))
    elif form == "markdown":
        lines = (header, ["---"] * len(header), *rows)
        context.console.line("\n".join(f"| {' | '.join(word.replace('|', '/') for word in line)} |" for line in lines))
    else:
        context.console.table(header, rows)


def _lines(table: ProfileTable) -> Iterator[Sequence[str]]:
    """A line for each test and profile: median, spread, and the difference to the first where it is one."""
    for id, row in table.rows.items():
        for profile, cell in row.items():
            first = profile == table.profiles[0]
            numbers = [_number(table, id, profile, metric, first=first) for metric in Metric]
            yield id, shown_name(profile), str(len(cell.runs)), cell.outcome, *numbers


def _number(table: ProfileTable, id: str, profile: str, metric: Metric, *, first: bool) -> str:
    numbers = table.rows[id][profile].numbers[metric]
    if numbers.median is None:
        return ""
    text = f"{numbers.median:.5g}"
    if len(numbers.values) > 1 and numbers.spread:
        text += f" ±{numbers.spread / 2:.2g}"
    base = table.rows[id][table.profiles[0]].numbers[metric].median
    if first or not base:
        return text
    change = f"{(numbers.median - base) / abs(base):+.1%}"
    match table.difference(id, profile, metric):
        case "more" | "less":
            return f"{text} {change}"
        case "unknown":
            return f"{text} ({change}?)"
    return f"{text} ="


def document(table: ProfileTable) -> dict[str, object]:
    """The table as JSON: the numbers of every run, and what is called a difference."""
    return {
        "profiles": [shown_name(one) for one in table.profiles],
        "tests": [{"id": id, "cells": [_cell(table, id, profile) for profile in table.profiles]} for id in table.rows],
    }


def _cell(table: ProfileTable, id: str, profile: str) -> dict[str, object]:
    cell = table.rows[id][profile]
    return {
        "profile": shown_name(profile),
        "runs": [one.spec.run_id for one in cell.runs],
        "outcomes": [_outcome(one) for one in cell.runs],
        "numbers": {
            metric: {
                "values": list(numbers.values),
                "median": numbers.median,
                "spread": numbers.spread,
                "difference": None if profile == table.profiles[0] else table.difference(id, profile, metric),
            }
            for metric, numbers in cell.numbers.items()
        },
    }


def _outcome(record: RunRecord) -> str:
    return str(record.outcome or record.state)
