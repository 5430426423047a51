# SPDX-License-Identifier: Apache-2.0
"""What the verbs of `ttmatrix hosts` share: hosts as a table and as JSON, and those that arguments name."""

import difflib
from collections.abc import Sequence
from datetime import datetime

from core.cli.context import Context
from core.errors import UsageError
from core.files import plain
from core.hosts import Host, time_text


def chosen(hosts: Sequence[Host], names: Sequence[str]) -> list[Host]:
    """The hosts of these names; all without names. Raises UsageError for an unknown one."""
    by_name = {one.name: one for one in hosts}
    for name in names:
        if name not in by_name:
            near = difflib.get_close_matches(name, by_name, 3) or sorted(by_name)
            known = f"Known: {', '.join(near)}." if near else "Add one: ttmatrix hosts add NAME --ssh user@host:port"
            raise UsageError(f"There is no host {name}", hint=known)
    return [by_name[name] for name in dict.fromkeys(names)] if names else list(hosts)


def print_hosts(context: Context, hosts: Sequence[Host], now: datetime) -> None:
    """A line for each host, or their JSON."""
    if context.console.json:
        context.console.document([_document(one, now) for one in hosts])
        return
    context.console.table(
        ("name", "ssh", "labels", "slots", "time left", "checkout"), (_line(one, now) for one in hosts)
    )


def _line(host: Host, now: datetime) -> tuple[str, ...]:
    left = host.time_left(now)
    time = "" if left is None else time_text(left) if left else "it has ended"
    return host.name, host.ssh or "this machine", ", ".join(host.labels), str(host.slots), time, host.checkout


def _document(host: Host, now: datetime) -> dict[str, object]:
    return {**plain(host), "local": host.here, "seconds_left": host.time_left(now)}
