# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts check`: what each machine lacks, with the remedy."""

import argparse
from collections.abc import Sequence

from core import hosts
from core.cli import records
from core.cli.context import Context
from core.cli.hosts_common import chosen
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.files import plain
from core.hosts import Expected, HostReport
from core.runs.planning import expected_code


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")


def execute(args: argparse.Namespace, context: Context) -> int:
    asked = chosen(hosts.read_hosts(context.paths.hosts_file), args.names)
    if not asked:
        context.console.note(f"{context.paths.hosts_file} names no hosts")
    expected = expected_code(context.checkout) if context.in_checkout else Expected()
    reports = hosts.check_hosts(asked, expected)
    if context.console.json:
        context.console.document(
            [
                records.HostChecked(
                    host=one.host, ok=one.ok, findings=[records.HostFinding(**plain(f)) for f in one.findings]
                )
                for one in reports
            ]
        )
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
