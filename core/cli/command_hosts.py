# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts`: a person's machines: listed, changed, imported, checked, and workers on them."""

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError, UsageError
from core.base.files import plain, read_given
from core.base.processes import run_command, this_host
from core.base.text import counted
from core.cli import records
from core.cli.context import Context
from core.cli.verbs import Verb, configure_verbs, execute_verb
from core.hosts import (
    Expected,
    Host,
    HostReport,
    change_hosts,
    check_hosts,
    chosen_hosts,
    imported,
    parse_end,
    parse_reservations,
    read_hosts,
    time_text,
    with_host,
    without_host,
)
from core.runs.cluster import Cluster, HostState, HostStatus, take_down, take_up
from core.runs.planning import expected_code

_TEXTS = ("ssh", "python", "checkout", "ssh_config", "worker", "reset")
_PATIENCE = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, _VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb(_VERBS, args, context)


def _configure_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="list only these hosts; default: all")


def _list(args: argparse.Namespace, context: Context) -> int:
    hosts = chosen_hosts(read_hosts(context.paths.hosts_file), args.names)
    if not hosts:
        context.console.note(f"{context.paths.hosts_file} names no hosts")
    _print_hosts(context, hosts, datetime.now(UTC))
    return EXIT_OK


def _configure_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="your name for it")
    parser.add_argument("--ssh", metavar="TARGET", help="user@host:port, or a name of your ssh configuration")
    parser.add_argument(
        "--local", action="store_true", help="the host is this machine, such as the container you work in"
    )
    parser.add_argument(
        "--label", action="append", metavar="LABEL", help="an arch of the host, or another label; can be repeated"
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


def _add(args: argparse.Namespace, context: Context) -> int:
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
    _print_hosts(context, [host], now)
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


def _configure_remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="+", metavar="NAME")


def _remove(args: argparse.Namespace, context: Context) -> int:
    file = context.paths.hosts_file
    hosts = chosen_hosts(read_hosts(file), args.names)

    def without(text: str) -> str:
        for one in hosts:
            text = without_host(text, one.name, file)
        return text

    change_hosts(file, without)
    _print_hosts(context, read_hosts(file), datetime.now(UTC))
    return EXIT_OK


def _configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="what `ird list` printed; -: standard input; default: run it"
    )
    parser.add_argument(
        "--user", default="", metavar="NAME", help="the user who logs in; default: that of your ssh configuration"
    )
    parser.add_argument(
        "--label", action="append", default=[], metavar="LABEL", help="a label of new hosts; can be repeated"
    )


def _import(args: argparse.Namespace, context: Context) -> int:
    file, now = context.paths.hosts_file, datetime.now(UTC)
    reservations = parse_reservations(_text(args.file))
    hosts = imported(read_hosts(file), reservations, now, user=args.user, labels=args.label, here=this_host())

    def with_all(text: str) -> str:
        for one in hosts:
            text = with_host(text, one, file)
        return text

    change_hosts(file, with_all)
    _print_hosts(context, hosts, now)
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


def _configure_up(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="start workers only on these machines; default: all but this one"
    )


def _up(args: argparse.Namespace, context: Context) -> int:
    file = context.paths.hosts_file
    hosts = [one for one in chosen_hosts(read_hosts(file), args.names) if not one.here]
    if not hosts:
        raise UsageError(
            "No hosts to start workers on", f"{file} names no machine other than this one.", "ttmatrix hosts add --help"
        )
    found = take_up([one.name for one in hosts], said=lambda one: context.console.note(f"{one.name}: {one.state}"))
    _print_hosts(context, hosts, datetime.now(UTC))
    for one in found:
        if one.why and not context.console.json:
            context.console.line(f"{one.name}: {one.why}")
            if one.remedy:
                context.console.line(f"  {one.remedy}")
    return EXIT_OK if all(one.state is HostState.UP for one in found) else EXIT_FINDINGS


def _configure_down(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="end only the workers on these machines; default: all that are up"
    )


def _down(args: argparse.Namespace, context: Context) -> int:
    hosts = [one for one in chosen_hosts(read_hosts(context.paths.hosts_file), args.names) if not one.here]
    down = take_down([one.name for one in hosts])
    context.console.note(f"down: {', '.join(down)}" if down else "none of these machines was up")
    _print_hosts(context, hosts, datetime.now(UTC))
    return EXIT_OK


def _configure_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="check only these machines; default: all")


def _check(args: argparse.Namespace, context: Context) -> int:
    asked = chosen_hosts(read_hosts(context.paths.hosts_file), args.names)
    if not asked:
        context.console.note(f"{context.paths.hosts_file} names no hosts")
    expected = expected_code(context.checkout) if context.in_checkout else Expected()
    reports = check_hosts(asked, expected)
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
        _print_checks(context, reports)
    return EXIT_OK if all(one.ok for one in reports) else EXIT_FINDINGS


def _print_checks(context: Context, reports: Sequence[HostReport]) -> None:
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


def _print_hosts(context: Context, hosts: Sequence[Host], now: datetime) -> None:
    """Print a line for each host, or their JSON."""
    status = Cluster().status()
    states = {one.name: one for one in status.hosts} if status else {}
    if context.console.json:
        context.console.document([_document(one, states.get(one.name), now) for one in hosts])
        return
    header = ("name", "state", "ssh", "labels", "slots", "time left", "checkout")
    context.console.table(header, (_line(one, states.get(one.name), now) for one in hosts))


def _state(host: Host, status: HostStatus | None) -> str:
    """The state of a host: `up`, `up, 1 run`, `down`, ..."""
    if status is None or host.here:
        return "" if host.here else "down"
    return f"{status.state}, {counted(len(status.runs), 'run')}" if status.runs else status.state


def _line(host: Host, status: HostStatus | None, now: datetime) -> tuple[str, ...]:
    left = host.time_left(now)
    time = "" if left is None else time_text(left) if left else "it has ended"
    ssh = host.ssh or "this machine"
    return host.name, _state(host, status), ssh, ", ".join(host.labels), str(host.slots), time, host.checkout


def _document(host: Host, status: HostStatus | None, now: datetime) -> records.Host:
    return records.Host(
        **{**plain(host), "local": host.here},
        seconds_left=host.time_left(now),
        state=status.state if status else "down",
        why=status.why if status else "",
        runs=list(status.runs) if status else [],
    )


_VERBS: Mapping[str, Verb] = {
    "list": Verb("list the machines of the hosts file, with the time that is left on each", _configure_list, _list),
    "add": Verb("add a machine to the hosts file, or change one", _configure_add, _add),
    "remove": Verb("remove machines from the hosts file", _configure_remove, _remove),
    "import": Verb(
        "add the machines that `ird list` prints, with the time that is left on each", _configure_import, _import
    ),
    "up": Verb("start workers on machines, so that runs for their archs go there", _configure_up, _up),
    "down": Verb("end the workers on machines", _configure_down, _down),
    "check": Verb(
        "check what machines lack: ssh, interpreter, packages, checkout, devices, disk, time", _configure_check, _check
    ),
}
