# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops bisect`: find the first op of a model that a backend computes differently from the CPU."""

import argparse
import math
import re
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.cli.context import Context
from core.cli.runs_common import agreed_interpreter, configure_yes
from core.domain.ids import TestId
from core.ops import BACKENDS, BisectRequest, bisect, bisection_lines

_SLUG = re.compile(r"[^\w.-]+")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="TEST", help="a test of the model: an id, or a part that matches only one")
    parser.add_argument(
        "--backend",
        required=True,
        metavar="NAME",
        help=f"{', '.join(BACKENDS)}, another backend of dynamo, or MODULE:FUNCTION, a function that is a backend",
    )
    parser.add_argument(
        "--rtol", type=_tolerance, metavar="R", help="relative tolerance of one op; default: by its dtype"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the case that fails alone to FILE")
    parser.add_argument(
        "--import",
        dest="modules",
        action="append",
        default=[],
        metavar="MODULE",
        help="import this module where the model runs: it may register a backend",
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="stop after S seconds; 0: never")
    configure_yes(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    (id,) = context.resolve([args.id])
    test = TestId.parse(id)
    if test is None:
        raise UsageError(f"{id} names no model", "It has no loader, variant and mode.")
    root, settings = context.checkout.root, context.settings
    case: Path = args.output or context.paths.state / "bisect" / f"{_SLUG.sub('_', f'{id}-{args.backend}')}.yaml"
    request = BisectRequest(
        test,
        args.backend,
        case.absolute(),
        args.rtol,
        args.modules,
        settings.cpu_timeout if args.timeout is None else args.timeout,
    )
    python = agreed_interpreter([id], context, yes=args.yes)
    report = bisect(python, root, request, context.console.note)
    if context.console.json:
        context.console.document(report)
    else:
        for line in bisection_lines(report):
            context.console.line(line)
    return EXIT_OK if report.verdict == "none" else EXIT_FINDINGS


def _tolerance(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise UsageError(f"--rtol must be a number of at least 0, not {text}")
    return value
