# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts add`: add one machine to the hosts file."""

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.cli.context import Context
from core.cli.hosts_common import print_hosts
from core.errors import EXIT_OK, UsageError
from core.hosts import Host, change_hosts, parse_end, read_hosts, with_host

_TEXTS = ("ssh", "python", "checkout", "ssh_config", "worker", "reset")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="your name for it")
    parser.add_argument("--ssh", metavar="TARGET", help="user@host:port, or a name of your ssh configuration")
    parser.add_argument("--local", action="store_true", help="it is this machine, such as the container you work in")
    parser.add_argument(
        "--label", action="append", metavar="LABEL", help="an arch that it has, or another word; repeat"
    )
    parser.add_argument("--slots", type=int, metavar="N", help="how many device runs at a time; default: 1")
    parser.add_argument("--python", metavar="FILE", help="interpreter there; default: that of the checkout's venv")
    parser.add_argument("--checkout", metavar="DIR", help="the tt-xla checkout there")
    parser.add_argument(
        "--expires", metavar="TIME", help="when the reservation ends: 4h, 1:30:00, 2026-11-23T18:00; none"
    )
    parser.add_argument("--worker", metavar="FILE", help="interpreter there that has ttmatrix[dask]; default: --python")
    parser.add_argument(
        "--reset", metavar="COMMAND", help="a command that resets its devices after a crash: 'tt-smi -r'"
    )
    parser.add_argument("--ssh-config", metavar="FILE", help="configuration for ssh -F; default: your own")


def execute(args: argparse.Namespace, context: Context) -> int:
    file, now = context.paths.hosts_file, datetime.now(UTC)
    if args.local and args.ssh:
        raise UsageError("--local and --ssh exclude each other")
    known = next((one for one in read_hosts(file) if one.name == args.name), None)
    if known is None and not (args.local or args.ssh):
        raise UsageError(
            f"Host {args.name} has no address",
            "It is not in the hosts file yet.",
            "Give --ssh user@host:port, or --local.",
        )
    host = replace(known or Host(args.name), **_given(args, now))
    change_hosts(file, lambda text: with_host(text, host, file))
    print_hosts(context, [host], now)
    return EXIT_OK


def _given(args: argparse.Namespace, now: datetime) -> dict[str, Any]:
    """The fields that the command line names."""
    found: dict[str, Any] = {name: value for name in _TEXTS if (value := getattr(args, name)) is not None}
    if args.local:
        found["ssh"] = ""
    if args.label is not None:
        found["labels"] = tuple(args.label)
    if args.slots is not None:
        found["slots"] = args.slots
    if args.expires is not None:
        found["expires"] = None if args.expires == "none" else parse_end(args.expires, now)
    return found
