# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts list`: print the machines of the hosts file."""

import argparse
from datetime import UTC, datetime

from core.cli.context import Context
from core.cli.hosts_common import chosen, print_hosts
from core.errors import EXIT_OK
from core.hosts import read_hosts


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")


def execute(args: argparse.Namespace, context: Context) -> int:
    hosts = chosen(read_hosts(context.paths.hosts_file), args.names)
    if not hosts:
        context.console.note(f"{context.paths.hosts_file} names no hosts")
    print_hosts(context, hosts, datetime.now(UTC))
    return EXIT_OK
