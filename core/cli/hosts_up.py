# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts up`: start workers on machines, so that runs go there."""

import argparse
from datetime import UTC, datetime

from core.cli.context import Context
from core.cli.hosts_common import chosen, print_hosts
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.hosts import read_hosts
from core.runs.cluster import HostState, take_up


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all but this machine")


def execute(args: argparse.Namespace, context: Context) -> int:
    file = context.paths.hosts_file
    hosts = [one for one in chosen(read_hosts(file), args.names) if not one.here]
    if not hosts:
        raise UsageError(
            "No hosts to start workers on", f"{file} names no machine other than this one.", "ttmatrix hosts add --help"
        )
    found = take_up([one.name for one in hosts], said=lambda one: context.console.note(f"{one.name}: {one.state}"))
    print_hosts(context, hosts, datetime.now(UTC))
    for one in found:
        if one.why and not context.console.json:
            context.console.line(f"{one.name}: {one.why}")
            if one.remedy:
                context.console.line(f"  {one.remedy}")
    return EXIT_OK if all(one.state is HostState.UP for one in found) else EXIT_FINDINGS
