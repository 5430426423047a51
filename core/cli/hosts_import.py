# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts import`: add the reservations of `ird list` as hosts."""

import argparse
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from core.cli.context import Context
from core.cli.hosts_common import print_hosts
from core.errors import EXIT_OK, TTMatrixError
from core.files import read_given
from core.hosts import change_hosts, imported, parse_reservations, read_hosts, with_host
from core.proc import run_command, this_host

_PATIENCE = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="what `ird list` printed; -: standard input; default: run it"
    )
    parser.add_argument(
        "--user", default="", metavar="NAME", help="who logs in; default: what your ssh configuration says"
    )
    parser.add_argument("--label", action="append", default=[], metavar="LABEL", help="a label of new hosts; repeat")


def execute(args: argparse.Namespace, context: Context) -> int:
    file, now = context.paths.hosts_file, datetime.now(UTC)
    reservations = parse_reservations(_text(args.file))
    hosts = imported(read_hosts(file), reservations, now, user=args.user, labels=args.label, here=this_host())

    def with_all(text: str) -> str:
        for one in hosts:
            text = with_host(text, one, file)
        return text

    change_hosts(file, with_all)
    print_hosts(context, hosts, now)
    return EXIT_OK


def _text(file: str | None) -> str:
    if file == "-":
        return sys.stdin.read()
    if file is not None:
        return read_given(Path(file))
    if shutil.which("ird") is None:
        hint = "On the machine where you reserve: ird list > FILE; then here: ttmatrix hosts import FILE"
        raise TTMatrixError("There is no ird here", "Containers of reservations do not have it.", hint)
    result = run_command(("ird", "list"), cwd=Path.cwd(), timeout=_PATIENCE)
    if result.returncode:
        raise TTMatrixError(f"ird list ended with exit code {result.returncode}", result.stderr.strip())
    return result.stdout
