# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix check`: what a change adds to the findings, for hooks and CI."""

import argparse
import os

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.text import counted
from core.cli import records
from core.cli.context import Context
from core.cli.finding_record import finding_record
from core.cli.findings_report import Format, print_findings
from core.doctor import severity
from core.domain.model import Severity
from core.states import check_against, read_base


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base",
        metavar="REV",
        help="the commit that the change is based on; default: where it left its target branch",
    )
    parser.add_argument(
        "--fail-on",
        type=Severity,
        choices=list(Severity),
        default=Severity.ERROR,
        help="exit with 1 if a finding has at least this severity; default: error",
    )
    parser.add_argument(
        "--format",
        choices=list(Format),
        help="github: annotations of a workflow run; default: text; with --json: json",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    console = context.console
    if console.json and args.format not in (None, Format.JSON):
        raise UsageError(f"--json and --format {args.format} contradict each other", hint="Give one of the two.")
    wanted = Format.JSON if console.json else Format(args.format or Format.TEXT)
    if args.base == "":
        raise UsageError("--base is empty", hint="Name a commit, or leave it out.")
    base = read_base(context.checkout, args.base or "", os.environ)
    checked = check_against(context.workspace.states, base)
    if wanted is Format.JSON:
        console.document(
            records.Checked(
                base=base.commit,
                named=base.name,
                findings=[finding_record(one) for one in checked.findings],
                unknown=checked.notes,
            )
        )
    else:
        print_findings(checked.findings, wanted, context)
    for note in checked.notes:
        console.note(note)
    amount = counted(len(checked.findings), "new finding") if checked.findings else "nothing new"
    console.note(f"{amount} since {base.commit[:10]}" + (f" ({base.name})" if base.name != base.commit else ""))
    failed = any(severity(one.kind).at_least(args.fail_on) for one in checked.findings)
    return EXIT_FINDINGS if failed else EXIT_OK
