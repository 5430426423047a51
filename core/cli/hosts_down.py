# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts down`: end the workers on machines."""

import argparse
from datetime import UTC, datetime

from core.cli.context import Context
from core.cli.hosts_common import chosen, print_hosts
from core.errors import EXIT_OK
from core.hosts import read_hosts
from core.runs.cluster import take_down


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all that are up")


def execute(args: argparse.Namespace, context: Context) -> int:
    hosts = [one for one in chosen(read_hosts(context.paths.hosts_file), args.names) if not one.here]
    down = take_down([one.name for one in hosts])
    context.console.note(f"down: {', '.join(down)}" if down else "none of them was up")
    print_hosts(context, hosts, datetime.now(UTC))
    return EXIT_OK
