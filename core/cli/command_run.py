# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix run`: plan runs of tests and start them in the background; with --wait report their outcomes."""

import argparse

from core.cli.context import Context
from core.cli.runs_common import configure_start, start
from core.errors import UsageError
from core.runs.planning import KINDS, plan_test, with_estimates
from core.runs.store import RunStore
from core.sources.ci import read_durations


def configure(parser: argparse.ArgumentParser) -> None:
    kinds = "; ".join(f"{name}: {kind.help}" for name, kind in KINDS.items())
    parser.add_argument("ids", nargs="+", metavar="ID", help="test ids, node ids, or parts that match only one id")
    parser.add_argument("--kind", required=True, choices=list(KINDS), help=f"how to run the tests. {kinds}")
    parser.add_argument("--profile", default="", metavar="NAME", help="use the table [profiles.NAME] of the settings")
    parser.add_argument("--repeat", type=_positive, default=1, metavar="N", help="run each test N times")
    parser.add_argument("--timeout", type=float, metavar="S", help="stop a run after S seconds; 0: never")
    configure_start(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    ids = [id for id in context.resolve(args.ids) for _ in range(args.repeat)]
    specs = [
        plan_test(
            context.matrix,
            id,
            context.settings,
            runs=store.root,
            kind=args.kind,
            arch=context.arch,
            timeout=args.timeout,
            profile=args.profile,
        )
        for id in ids
    ]
    durations, _ = read_durations(context.checkout)
    return start(args, context, with_estimates(specs, store.records(), durations))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise UsageError(f"--repeat must be at least 1, not {text}")
    return number
