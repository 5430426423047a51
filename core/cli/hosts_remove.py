# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts remove`: remove machines from the hosts file."""

import argparse
from datetime import UTC, datetime

from core.cli.context import Context
from core.cli.hosts_common import chosen, print_hosts
from core.errors import EXIT_OK
from core.hosts import change_hosts, read_hosts, without_host


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="+", metavar="NAME")


def execute(args: argparse.Namespace, context: Context) -> int:
    file = context.paths.hosts_file
    hosts = chosen(read_hosts(file), args.names)

    def without(text: str) -> str:
        for one in hosts:
            text = without_host(text, one.name, file)
        return text

    change_hosts(file, without)
    print_hosts(context, read_hosts(file), datetime.now(UTC))
    return EXIT_OK
