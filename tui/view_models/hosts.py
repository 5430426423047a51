# SPDX-License-Identifier: Apache-2.0
"""Machines as rows of a table: their slots, their runs, their time left; and one machine as a text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from core.base.processes import this_host
from core.base.text import counted, one_line
from core.hosts import Host, time_text
from core.runs.cluster import ClusterStatus, HostState, HostStatus
from core.runs.store import RunRecord, RunState
from tui.view_models.rows import Row, Rows
from tui.view_models.runs import time_text as run_time
from tui.view_models.style import Cell, TableColumn

if TYPE_CHECKING:
    from core.hosts import HostReport

_HERE = Host("here")
"""This machine, if the hosts file does not contain it."""
_BAR_HOURS = 8
"""A cell of the bar is an hour; more hours than this are not shown."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHORT, _SHORTEST = 30 * 60.0, 5 * 60.0
_MOST_SLOTS = 4
_LABEL = 12
_STYLES = {
    HostState.UP: "pass",
    HostState.CONNECTING: "running",
    HostState.LOST: "fail",
    HostState.QUARANTINED: "xfail",
    HostState.REFUSED: "fail",
}


@dataclass(frozen=True, slots=True)
class HostView:
    """A machine with its activity."""

    host: Host
    status: HostStatus | None
    """None: it should not be up."""
    runs: tuple[RunRecord, ...]
    """Runs on it from this run store."""
    waiting: int
    """Number of waiting runs that could go there."""

    @property
    def state(self) -> str:
        return "here" if self.host.here else str(self.status.state) if self.status else "down"

    @property
    def others(self) -> int:
        """Number of runs on it from other run stores."""
        mine = {one.spec.run_id for one in self.runs}
        return sum(one not in mine for one in self.status.runs) if self.status else 0


def host_views(hosts: Sequence[Host], status: ClusterStatus | None, records: Sequence[RunRecord]) -> list[HostView]:
    """Every machine, this one first; `records` are runs of every checkout."""
    here = [one for one in hosts if one.here] or [_HERE]
    active = [one for one in records if one.active]
    found = []
    for host in [*here, *(one for one in hosts if not one.here)]:
        place = "" if host.here else host.name
        runs = tuple(one for one in active if one.state is RunState.RUNNING and one.place == place)
        labels = {host.name, *host.labels, *([""] if host.here else [])}
        waiting = sum(one.state is RunState.QUEUED and one.spec.needs in labels for one in active)
        found.append(HostView(host, status.host(host.name) if status and place else None, runs, waiting))
    return found


def host_news(before: ClusterStatus | None, now: ClusterStatus | None) -> Iterator[str]:
    """Messages about hosts that are lost, fail or are back, shown on every screen."""
    for one in now.hosts if now else ():
        last = before.host(one.name) if before else None
        if last is None or last.state is one.state:
            continue
        if last.state is HostState.UP:
            yield f"{one.name} is {one.state}: {one_line(one.why)}. Its runs go elsewhere, or wait."
        elif one.state is HostState.UP and last.state is not HostState.CONNECTING:
            yield f"{one.name} is up again."


def hosts_words(status: ClusterStatus, *, short: bool = False) -> str:
    """`hosts: 2 up, 1 lost`, in few cells `3 hosts, 1 lost`; empty: there are none."""
    states = [one.state for one in status.hosts]
    counts = {state: f"{states.count(state):,} {state}" for state in HostState if state in states}
    if short and states:
        return ", ".join(
            (counted(len(states), "host"), *(text for state, text in counts.items() if state is not HostState.UP))
        )
    return f"hosts: {', '.join(counts.values())}" if states else ""


def lease_bar(seconds: float) -> str:
    """The hours left: `███▌    `."""
    eighths = min(_BAR_HOURS * 8, -int(-seconds // 450))
    bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return bar.ljust(_BAR_HOURS)


_COLUMNS = (
    TableColumn("host", 12, elide=True),
    TableColumn("state", 11),
    TableColumn("slots", 8),
    TableColumn("time left", 20),
    TableColumn("labels", 14, yields=1),
    TableColumn("what runs there, or why nothing does", 16, share=2),
)


def host_rows(views: Sequence[HostView], now: datetime) -> Rows[HostView]:
    """Machines, with the time that is left on each."""

    def cells(view: HostView) -> Row:
        style = _STYLES.get(view.status.state, "") if view.status else "dim"
        return (
            [Cell(one_line(view.host.name))],
            [Cell(view.state, style)],
            _slots(view),
            _lease(view.host, now),
            [Cell(one_line(" ".join(view.host.labels)), "dim")],
            [Cell(_doing(view), "" if view.runs else "dim")],
        )

    return Rows(views, _COLUMNS, cells, key=lambda view: view.host.name)


def _slots(view: HostView) -> list[Cell]:
    taken = len(view.runs) + view.others
    if view.host.here and not view.host.labels:
        # The number depends on the kinds of its runs.
        return [Cell(counted(taken, "run") if taken else "", "dim")]
    free = max(0, view.host.slots - taken)
    text = f"{taken}/{view.host.slots}"
    if view.host.slots > _MOST_SLOTS:
        return [Cell(text)]
    return [Cell("■" * min(taken, view.host.slots), "running"), Cell("□" * free, "dim"), Cell(f" {text}", "dim")]


def _lease(host: Host, now: datetime) -> list[Cell]:
    left = host.time_left(now)
    if left is None:
        return [Cell("")]
    if not left:
        return [Cell(" " * _BAR_HOURS), Cell(" over", "fail")]
    style = "fail" if left <= _SHORTEST else "xfail" if left <= _SHORT else "pass"
    return [Cell(lease_bar(left), style), Cell(f" {time_text(left)}", "" if left > _SHORT else style)]


def _doing(view: HostView) -> str:
    said = [one_line(one.spec.test_id) for one in view.runs]
    if view.others:
        said.append(f"{counted(view.others, 'run')} of another queue")
    if said:
        return ", ".join(said)
    if view.status and view.status.why:
        return one_line(view.status.why)
    return f"{counted(view.waiting, 'run')} could go there" if view.waiting else ""


def host_text(view: HostView, report: "HostReport | None", now: float) -> Text:
    """Everything about a machine; `report` is the result of its check, `now` seconds since the epoch."""
    host, status = view.host, view.status
    # `here  here` would say nothing.
    state = "this machine" if host.here else view.state
    lines = [Text.assemble((one_line(host.name), "bold"), f"  {state}")]
    if status and status.why:
        since = datetime.fromtimestamp(status.since)
        lines.append(_fact("why", f"{status.why} (since {since:%H:%M:%S})", "red"))
        if status.remedy:
            lines.append(_fact("what helps", status.remedy))
    for one in view.runs:
        lines.append(_fact("runs", f"{one.spec.test_id}  {run_time(one, now)}"))
    if view.others:
        lines.append(_fact("runs", f"{view.others:,} of another queue"))
    if host.here and not view.runs:
        lines.append(_fact("runs", "nothing"))
    free = host.slots - len(view.runs) - view.others
    if status and status.state is HostState.UP and free > 0:
        lines.append(_fact("free", counted(free, "slot")))
    if view.waiting:
        lines.append(_fact("waiting", f"{counted(view.waiting, 'run')} could go there"))
    if host.expires:
        lines.append(_fact("lease", f"until {host.expires.astimezone():%Y-%m-%d %H:%M}"))
    facts = {
        "ssh" if host.ssh else "host name": host.ssh or this_host(),
        "labels": ", ".join(host.labels),
        # Without labels the number depends on the kinds of its runs.
        "slots": f"{host.slots:,}" if host.here and host.labels else "",
        "checkout": host.checkout,
    }
    facts |= {"python": host.python, "worker": host.worker, "reset": host.reset}
    lines += [_fact(name, value) for name, value in facts.items() if value]
    return Text("\n").join([*lines, *_findings(report)])


def _findings(report: "HostReport | None") -> Iterator[Text]:
    if report is None:
        return
    yield Text("")
    yield Text("check: nothing is missing" if report.ok else "check:", "bold")
    for one in report.findings:
        yield Text.assemble(
            (f"{'ok' if one.ok else 'no':4}{one.check}".ljust(_LABEL), "green" if one.ok else "red"),
            one_line(one.found),
        )
        if one.remedy:
            yield Text(" " * _LABEL + one_line(one.remedy))


def _fact(name: str, value: str, style: str = "") -> Text:
    return Text.assemble((name.ljust(_LABEL), "dim"), (one_line(value), style))
