# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts check`: what each machine lacks, with the remedy."""

import argparse
from collections.abc import Sequence

from core import hosts, sources
from core.cli.context import Context
from core.cli.hosts_common import chosen
from core.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError
from core.files import plain
from core.hosts import Expected, HostReport


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")


def execute(args: argparse.Namespace, context: Context) -> int:
    asked = chosen(hosts.read_hosts(context.paths.hosts_file), args.names)
    if not asked:
        context.console.note(f"{context.paths.hosts_file} names no hosts")
    reports = hosts.check_hosts(asked, _expected(context))
    if context.console.json:
        context.console.document([{"host": one.host, "ok": one.ok, "findings": plain(one.findings)} for one in reports])
    else:
        _print(context, reports)
    return EXIT_OK if all(one.ok for one in reports) else EXIT_FINDINGS


def _print(context: Context, reports: Sequence[HostReport]) -> None:
    rows = [
        (report.host, "ok" if one.ok else "LACKS", one.check, one.found)
        for report in reports
        for one in report.findings
    ]
    context.console.table(("host", "", "check", "found"), rows)
    for report in reports:
        for one in report.findings:
            if one.remedy:
                context.console.note(f"{report.host}: {one.check}: {one.remedy}.")


def _expected(context: Context) -> Expected:
    """What is checked out here; anything where nothing is."""
    if not context.in_checkout:
        return Expected()
    checkout = context.checkout
    git, models = sources.Git(checkout.root), sources.Git(checkout.models)
    try:
        # Within another repository's work tree git would answer for that one.
        return Expected(git.head_commit(), models.head_commit() if models.own_root() else "")
    except TTMatrixError:
        return Expected()
