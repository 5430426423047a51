# SPDX-License-Identifier: Apache-2.0
"""Hosts: the machines that a person has, their slots, what runs on each, and how long they are still there."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from core import hosts
from core.base.text import counted, one_line
from core.hosts import HostReport
from core.runs import cluster
from core.runs.cluster import HostState
from core.runs.planning import expected_code
from tui.commands import Changes, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import Confirm
from tui.screens.list_and_text import ListAndPane
from tui.screens.pick import Option, Pick
from tui.view_models import HostView, host_rows, host_text, host_views
from tui.widgets import RowTable

T = TypeVar("T")
U = TypeVar("U")

_TICK_SECONDS = 1.0

_ALONE = "Runs can go to other machines too: `ttmatrix hosts add NAME --ssh USER@HOST` adds one."


class HostsScreen(ListAndPane[HostView]):
    """The machines above, all about the highlighted one below."""

    PLACES = (Where.HOSTS,)
    TEXT = "The machine"

    def __init__(self, context: Context) -> None:
        super().__init__(context, RowTable(host_rows((), _now()), id="hosts"))
        self._views: list[HostView] = []
        self._cells: list[object] = []
        """The content of the table: the same again is not painted."""
        self._reports: dict[str, HostReport] = {}
        """By host, what its last check has found."""
        self._asked: frozenset[str] = frozenset()
        """Hosts that are being checked, connected or disconnected."""

    def on_mount(self) -> None:
        self.follow(self.context.signals.hosts_changed, self._show)
        self.follow(self.context.signals.runs_changed, self._show)
        self.every(_TICK_SECONDS, self._show)
        self._show()

    @property
    def lists_nothing(self) -> bool:
        """This machine is always listed."""
        return not self._others

    def lacks(self, need: Need) -> bool:
        view = self.current
        match need:
            case Need.RUN_THERE:
                return view is None or not view.runs
            case Need.OTHER_HOST:
                return view is None or view.host.here
            case Need.OTHER_HOSTS:
                return not self._others
            case Need.HOST_UP:
                return view is None or view.status is None
            case _:
                return super().lacks(need)

    # What is shown

    def _show(self) -> None:
        session = self.session
        self._views = host_views(session.hosts, session.cluster, session.all_runs)
        rows = host_rows(self._views, _now())
        cells: list[object] = [rows.cells(at) for at in range(len(rows))]
        if cells != self._cells:
            self._cells = cells
            self.show_rows(rows)
        self._say()
        self.show_text()

    def _say(self) -> None:
        up = sum(view.status is not None and view.status.state is HostState.UP for view in self._views)
        others = len(self._others)
        words = f"{up:,} of {counted(others, 'host')} up" if others else "no other machines"
        self.title_line(f"{words} · asking {', '.join(sorted(self._asked))} …" if self._asked else words)

    def show_text(self) -> None:
        view = self.current
        if view is None:
            return
        text = host_text(view, self._reports.get(view.host.name), time.time())
        if not self._others:
            text.append(f"\n\n{_ALONE}", "dim")
        self.say(text)

    @property
    def _others(self) -> Sequence[str]:
        return [view.host.name for view in self._views if not view.host.here]

    # Actions

    @command(
        "hosts.log", Where.HOSTS, "enter", "Log", "Show the log of what runs there", footer=True, needs=Need.RUN_THERE
    )
    def action_log(self) -> None:
        """To the log of what runs there; of several one is chosen."""
        view = self.current
        if view is None or not view.runs:
            return
        show = self.context.navigation.show_run
        if len(view.runs) == 1:
            show(view.runs[0].spec.run_id)
            return
        options = [Option(one.spec.run_id, one_line(one.spec.test_id), one.spec.run_id) for one in view.runs]
        self.app.push_screen(Pick(f"Runs on {view.host.name}", options), lambda id: show(id) if id else None)

    @command(
        "hosts.up",
        Where.HOSTS,
        "u",
        "Connect",
        "Start a worker there, so that runs go there",
        footer=True,
        needs=Need.OTHER_HOST,
        changes=Changes.HOSTS,
    )
    def action_up(self) -> None:
        if self.current is not None and not self.current.host.here:
            self._take_up([self.current.host.name])

    @command(
        "hosts.up_all",
        Where.HOSTS,
        "U",
        "Connect all",
        "Connect every host of the hosts file",
        needs=Need.OTHER_HOSTS,
        changes=Changes.HOSTS,
    )
    def action_up_all(self) -> None:
        self._take_up(self._others)

    def _take_up(self, names: Sequence[str]) -> None:
        self._ask(names, lambda: cluster.take_up(names), lambda _: None)

    @command(
        "hosts.down",
        Where.HOSTS,
        "D",
        "Disconnect",
        "End the worker there; asks first",
        footer=True,
        needs=Need.HOST_UP,
        changes=Changes.HOSTS,
    )
    def action_down(self) -> None:
        """End the worker, after asking where something runs there."""
        view = self.current
        if view is None or view.status is None:
            return
        name = view.host.name
        going = len(view.status.runs)
        what = f"{counted(going, 'run')} there will stop and start elsewhere." if going else "Nothing runs there."
        question = Confirm(f"Disconnect {name}?", what, verb="disconnect")
        down = partial(cluster.take_down, [name])
        self.app.push_screen(question, lambda yes: self._ask([name], down, lambda _: None) if yes else None)

    @command("hosts.check", Where.HOSTS, "c", "Check", "Check what the machine lacks", footer=True)
    def action_check(self) -> None:
        """Check what the machine lacks; nothing is changed there."""
        view = self.current
        if view is None:
            return

        def check() -> list[HostReport]:
            return hosts.check_hosts([view.host], expected_code(self.session.checkout))

        self._ask([view.host.name], check, self._take_reports)

    def _take_reports(self, found: Sequence[HostReport]) -> None:
        self._reports |= {one.host: one for one in found}

    def _ask(self, names: Sequence[str], work: Callable[[], T], take: Callable[[T], None]) -> None:
        """Do what takes a while with machines, and say that it is under way."""
        self._asked |= {*names}
        self._say()

        def then(take: Callable[[U], None]) -> Callable[[U], None]:
            def done(result: U) -> None:
                self._asked -= {*names}
                take(result)
                if self.is_mounted:
                    self._show()

            return done

        self.context.background.run("hosts", work, then(take), fail=then(self.context.notify.error))


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)
