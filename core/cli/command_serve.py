# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix serve`: the app in a browser of this machine, read-only unless edits are allowed."""

import argparse
import socket

from core.base.errors import UsageError
from core.cli import records
from core.cli.context import Context
from core.cli.parser import Serve, app_request

_PORT = 8470
_PORTS = 1 << 16


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=_port, default=_PORT, metavar="PORT", help=f"default: {_PORT}; 0: any that is free"
    )
    parser.add_argument(
        "--allow-edits",
        action="store_true",
        help="let the browser edit, run and commit; without it the app is read-only",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    console, read_only = context.console, not args.allow_edits
    if args.read_only and args.allow_edits:
        raise UsageError("--read-only and --allow-edits contradict each other", hint="Leave out one of them.")

    def announce(address: str) -> None:
        if console.json:
            console.document(records.Served(address=address, read_only=read_only))
        else:
            port = address.partition("//")[2].partition("/")[0].rpartition(":")[2]
            how = "read-only; --allow-edits lets it edit, run and commit" if read_only else "edits and runs allowed"
            console.line(f"Open in a browser of this machine ({how}):\n\n  {address}\n")
            console.line(f"From another machine: ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}")
            console.line("Anyone who has the address can open it. Press ctrl+c to stop.")
        console.out.flush()

    request = app_request(args, context.checkout.root)
    return context.open_app(request._replace(read_only=read_only, serve=Serve(args.port, announce)))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) >= _PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number below {_PORTS}")
    return int(text)
