# SPDX-License-Identifier: Apache-2.0
"""The tests that a difference touches, the riskiest first: which of them fit into a time, and their runs."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.base.errors import EXIT_OK, TTMatrixError
from core.base.text import counted, one_line
from core.cli import records
from core.cli.arguments import hours
from core.cli.context import Context
from core.cli.runs_common import configure_start, start
from core.matrix import supported_archs
from core.runs import RunSpec
from core.runs.planning import KINDS, Options, fitting, guess_of, plan_tests
from core.runs.store import RunStore
from core.states import Difference, Touched, touched


def configure_touched(parser: argparse.ArgumentParser) -> None:
    """The options with which `diff` and `uplift` plan and start runs."""
    group = parser.add_argument_group("runs of the touched tests")
    group.add_argument(
        "--hours",
        type=hours,
        metavar="H",
        help="list the touched tests of this checkout that fit into this many hours, one after the other, "
        "riskiest first, with estimates",
    )
    group.add_argument("--kind", choices=[*KINDS], metavar="KIND", default="", help="how to run them, as for run")
    group.add_argument("--run", action="store_true", help="start these runs; without --hours: of all that is touched")
    configure_start(group)


def asked_for_runs(args: argparse.Namespace) -> bool:
    """Whether runs are wanted, not the difference."""
    return bool(args.hours or args.run or args.plan)


def report_touched(found: Difference, args: argparse.Namespace, context: Context) -> int:
    """List, or start, the runs of what a difference touches."""
    here = _of_checkout(touched(found), context)
    store = RunStore(context.paths.runs)
    options = Options(kind=args.kind, arch=context.arch)
    specs, refused = plan_tests(
        context.matrix, [one.id for one in here], context.settings, options, runs=store.root, records=store.ended()
    )
    guess = guess_of(specs)
    if args.hours is not None:
        specs, left = fitting(specs, args.hours)
        refused += left
    if args.run or args.plan:
        _say_left_out(refused, context)
        return start(args, context, specs)
    plan = _Plan(here, {spec.test_id: spec for spec in specs}, guess)
    if context.console.json:
        context.console.document(_document(found, args.hours, plan))
    else:
        _print(plan, refused, context)
    return EXIT_OK


def _of_checkout(tests: Sequence[Touched], context: Context) -> list[Touched]:
    """Those that can be run: the checkout has them, and their entry supports the arch."""
    here = [one for one in tests if one.id in context.matrix.rows]
    if absent := len(tests) - len(here):
        context.console.note(f"{counted(absent, 'test')} of another commit: check it out to run them")
    entries, arch = context.matrix.entries, context.arch
    return [one for one in here if not arch or arch in supported_archs(entries.get(one.id))]


@dataclass(frozen=True)
class _Plan:
    """What fits, in the order of risk."""

    tests: Sequence[Touched]
    specs: Mapping[str, RunSpec]
    guess: float
    """The seconds of a run without an estimate."""

    @cached_property
    def runs(self) -> list[tuple[Touched, RunSpec, float]]:
        """Each test with its run, and the seconds that this takes."""
        pairs = ((one, self.specs[one.id]) for one in self.tests if one.id in self.specs)
        return [(one, spec, self.guess if spec.estimate is None else spec.estimate) for one, spec in pairs]


def _say_left_out(refused: Sequence[TTMatrixError], context: Context) -> None:
    """Each reason once, the most frequent first."""
    for why, count in Counter(error.detail or error.title for error in refused).most_common():
        context.console.note(f"left out {counted(count, 'test')}: {one_line(why)}")


def _document(found: Difference, hours: float, plan: _Plan) -> records.TouchedTests:
    return records.TouchedTests(
        from_=records.Moment(tt_xla=found.before.tt_xla, models=found.before.models or None),
        to=records.Moment(tt_xla=found.after.tt_xla, models=found.after.models or None),
        hours=hours,
        tests=[
            records.TouchedTest(
                id=one.id,
                kind=spec.kind,
                arch=spec.arch,
                seconds=seconds,
                known=spec.estimate is not None,
                why=one.why,
            )
            for one, spec, seconds in plan.runs
        ],
        left_over=[one.id for one in plan.tests if one.id not in plan.specs],
    )


def _print(plan: _Plan, refused: Sequence[TTMatrixError], context: Context) -> None:
    console, runs = context.console, plan.runs
    if runs:
        rows = (
            (f"{'~' if spec.estimate is None else ''}{seconds / 60:,.1f}", spec.arch or "", one_line(one.id), one.why)
            for one, spec, seconds in runs
        )
        console.table(("takes min", "arch", "id", "why"), rows)
    total = sum(seconds for _, _, seconds in runs) / 60
    console.note(f"{counted(len(runs), 'test')} in {total:,.0f} min{'; --run starts them' if runs else ''}")
    _say_left_out(refused, context)
    if guessed := sum(spec.estimate is None for _, spec, _ in runs):
        console.note(f"~: the time of {counted(guessed, 'test')} is a guess: no earlier run or CI time is known")
