# SPDX-License-Identifier: Apache-2.0
"""Shared by the verbs of `ttmatrix hosts`: hosts as a table and as JSON, and the hosts that arguments name."""

import difflib
from collections.abc import Sequence
from datetime import datetime

from core.cli import records
from core.cli.context import Context
from core.errors import UsageError
from core.files import plain
from core.hosts import Host, time_text
from core.runs.cluster import Cluster, HostStatus
from core.text import counted


def chosen(hosts: Sequence[Host], names: Sequence[str]) -> list[Host]:
    """The hosts with these names; all hosts without names. Raises UsageError for an unknown one."""
    by_name = {one.name: one for one in hosts}
    for name in names:
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 3) or sorted(by_name)
            known = f"Known: {', '.join(near)}." if near else "Add one: ttmatrix hosts add NAME --ssh user@host:port"
            raise UsageError(f"There is no host {name}", hint=known)
    return [by_name[name] for name in dict.fromkeys(names)] if names else list(hosts)


def print_hosts(context: Context, hosts: Sequence[Host], now: datetime) -> None:
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
