# SPDX-License-Identifier: Apache-2.0
"""Plan: which runs of the marked tests fit into the time that is left on machines; enter queues them."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from core import hosts
from core.base.errors import UsageError
from core.evidence import Page
from core.runs.planning import LaunchPlan
from core.sessions import Accuracy, ArchUnknown, HoursUnknown, SessionPlan, Slot, hours_if_any, session_slots
from tui.commands import Changes, Need, Where, command
from tui.keymap import with_keys
from tui.protocol import Context
from tui.screens.dialogs import Ask, ask_to_start
from tui.screens.list_and_text import ListAndPane
from tui.session import Session
from tui.view_models import PlanRow, plan_parts, plan_rows, plan_text, plan_words
from tui.widgets import RowTable

_NONE = Accuracy(0, None, None)
_HOURS = 2.0
"""The length of a session that nobody has said."""
_HINTS: dict[type[UsageError], str] = {
    HoursUnknown: "It is not known how long that is: {plan.hours} asks for the hours.",
    ArchUnknown: "No machine here has an arch: {matrix.arch} in the matrix chooses one.",
}


class PlanScreen(ListAndPane[PlanRow]):
    """The cells of the plan above, the sums and all about the highlighted one below."""

    PLACES = (Where.PLAN,)
    PURPOSE = "What fits into the time that is left on the machines."
    LONG = True
    TEXT = "The plan"

    def __init__(self, context: Context) -> None:
        super().__init__(context, RowTable(plan_rows(None), id="plan"))
        self._evidence = self.read_when_seen(
            self._read, context.signals.matrix_changed, context.signals.evidence_changed
        )
        self._hours: float | None = None
        """None: until the leases end."""
        self._plan: SessionPlan | None = None
        self._good = _NONE
        self._problem = ""

    def on_mount(self) -> None:
        self.title_line("planning …")

    def on_screen_resume(self) -> None:
        # Marks and the filter may be others by now.
        self._evidence.ask()

    def page(self) -> Callable[[], Page]:
        one = self.current.candidate if self.current is not None else None
        return self.page_of_tests([one.id], one.arch) if one is not None else super().page()

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.PLANNED:
                return self._plan is None or not self._plan.placed
            case Need.LISTED_TEST:
                return self.current is None
            case _:
                return super().lacks(need)

    # What is shown

    def plan(self, hours: float | None) -> None:
        """Plan for so many hours; None: until the leases end."""
        self._hours = hours
        if self.is_mounted:
            self._evidence.ask()

    def _read(self) -> None:
        session, view = self.session, self.session.view
        shown = (view.matrix.ids[row] for row in view.rows)
        asked = [*(view.marks or shown)]
        hours, arch, keymap = self._hours, view.arch, self.context.keymap

        def read() -> tuple[SessionPlan | None, Accuracy, str]:
            try:
                slots = _slots(session, hours, arch)
                ids = [id for id in asked if session.runs_as_test(id)]
                return *session.look().plan_session(ids, slots, arch), ""
            except (ArchUnknown, HoursUnknown) as error:
                return None, _NONE, with_keys(_HINTS[type(error)], keymap)

        self.context.background.run("session plan", read, self._take, supersede=True)

    def _take(self, found: tuple[SessionPlan | None, Accuracy, str]) -> None:
        self._plan, self._good, self._problem = found
        self.table.say_when_empty(self.first_step(self._problem or "No test that runs is among those of the matrix."))
        self.show_rows(plan_rows(self._plan))
        whose = "of the marked tests" if self.session.view.marks else "of the visible tests"
        self.title_line(*((*plan_parts(self._plan), whose) if self._plan else ("no plan",)))
        self.show_text()

    def show_text(self) -> None:
        if self._plan is not None:
            self.say(plan_text(self._plan, self._good, self.current))

    # Actions

    @command(
        "plan.queue",
        Where.PLAN,
        "enter",
        "Queue",
        "Queue what fits; asks first",
        footer=True,
        needs=Need.PLANNED,
        changes=Changes.RUNS,
    )
    def action_queue(self) -> None:
        """Queue what fits, in its order, after asking."""
        if self._plan is None:
            return
        cells = [(one.candidate.id, one.candidate.arch, one.candidate.runs) for one in self._plan.placed]
        words, session = plan_words(self._plan), self.session
        ask = partial(ask_to_start, self)

        def work() -> LaunchPlan:
            return session.look().plan_cells(cells)

        self.context.background.run("plan of a session", work, lambda plan: ask(plan, words), asks=True)

    @command("plan.hours", Where.PLAN, "h", "Hours", "Set the hours of the session", footer=True)
    def action_hours(self) -> None:
        """Ask for how long."""
        value = "" if self._hours is None else f"{self._hours:g}"
        question = Ask("How many hours?", "Empty: until the reservations end.", value=value, check=hours_if_any)
        self.app.push_screen(question, lambda text: None if text is None else self.plan(hours_if_any(text)))

    @command("plan.go", Where.PLAN, "t", "Go to", "Show the test in the matrix", footer=True, needs=Need.LISTED_TEST)
    def action_go_to_test(self) -> None:
        if self.current is not None:
            self.context.navigation.show_test(self.current.candidate.id)


def _slots(session: Session, hours: float | None, arch: str) -> Sequence[Slot]:
    """The slots of the machines until their leases end, or for so many hours; if no lease ends, for two."""
    known = hosts.read_hosts(session.paths.hosts_file)
    if hours is None and not any(one.expires for one in known):
        hours = _HOURS
    return session_slots(known, session.matrix.schema.archs, arch, hours, datetime.fromtimestamp(time.time(), UTC))
