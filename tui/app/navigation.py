# SPDX-License-Identifier: Apache-2.0
"""The screens of the app and moving between them: in, out, across, and to the previous view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from textual.app import App

from tui import screens
from tui.screens import SCREENS, SessionScreen
from tui.screens.matrix import MatrixScreen

if TYPE_CHECKING:
    from pathlib import Path

    from core.evidence import JobState
    from core.evidence.github import OfJob
    from core.matrix.query import Query


_MOST = 50
"""The maximum depth; beyond it, the outermost level is forgotten."""


class Place(NamedTuple):
    """A screen, and what a person was looking at on it."""

    screen: str
    at: object = None
    """View and spot as the screen describes them: `SessionScreen.spot`. None: unchanged."""


class Level(NamedTuple):
    """One step inwards."""

    begun: Place
    """The place where it began; escape leads back there."""
    changed: Place
    """The view of its target screen before."""
    base: str = ""
    """Its restriction of that screen, such as a query: escape alone does not remove that."""


class BackStack(NamedTuple):
    """The levels that lead to the current place, and the previous view."""

    inner: tuple[Level, ...] = ()
    last: tuple[Place, tuple[Level, ...]] | None = None
    """The previous view, with the levels that lead there; None: there was none."""

    @property
    def base(self) -> str:
        """The restriction of the current level on its screen."""
        return self.inner[-1].base if self.inner else ""

    def enter(self, here: Place, target: Place, base: str = "") -> BackStack:
        """Go one level in, from `here` to another place on the screen of `target`, which still shows `target`."""
        return BackStack((*self.inner, Level(here, target, base))[-_MOST:], (here, self.inner))

    def jump(self, here: Place) -> BackStack:
        """Go to another view on the same level."""
        return BackStack(self.inner, (here, self.inner))

    def start(self, here: Place) -> BackStack:
        """Go to a screen by its own key, which starts at the outermost level."""
        return BackStack((), (here, self.inner))

    def back(self, here: Place) -> tuple[Level, BackStack] | None:
        """Go one level out; returns the level that is left and the new levels, or None on the outermost one."""
        if not self.inner:
            return None
        return self.inner[-1], BackStack(self.inner[:-1], (here, self.inner))

    def swap(self, here: Place) -> tuple[Place, BackStack] | None:
        """Go to the previous view, and make `here` the previous one; None if there was none."""
        if self.last is None:
            return None
        place, inner = self.last
        return place, BackStack(inner, (here, self.inner))


S = TypeVar("S", bound=SessionScreen)

_LOG = "log"
"""Name for the screen of runs that shows only the log."""


class Navigation:
    """Holds a screen for each entry of the table, created on first use and alive from then on.

    The matrix is below all others: at most one other screen is above it, with that screen's dialogs.
    """

    def __init__(
        self, app: App[Any], make: Callable[[type[SessionScreen]], SessionScreen], shown: Callable[[], None]
    ) -> None:
        """`make` creates a screen of its class; `shown` is called when another one is in front."""
        self._shown = shown
        self._app = app
        self._make = make
        self._entries = {entry.where.value: entry for entry in SCREENS}
        self._made: dict[str, SessionScreen] = {}
        self._levels = BackStack()

    def named(self, name: str) -> SessionScreen:
        """The screen of that name. Raises LookupError if there is none."""
        if name not in self._made:
            screen = self._made[name] = self._make(self._entries[name].load())
            # Installed screens stay alive while another one is in front.
            self._app.install_screen(screen, name)
        return self._made[name]

    def screen(self, kind: type[S]) -> S:
        """The screen of that class. Raises LookupError if there is none."""
        screen = self.named(kind.PLACES[0].value)
        assert isinstance(screen, kind)
        return screen

    @property
    def matrix(self) -> SessionScreen:
        """The screen below all others."""
        return self.named("matrix")

    def in_front(self) -> SessionScreen | None:
        """The screen in front, below its dialogs."""
        return next((one for one in reversed(self._app.screen_stack) if isinstance(one, SessionScreen)), None)

    @property
    def shown(self) -> str:
        """The screen in front and its dialogs, in words for a report."""
        return " below ".join(type(one).__name__ for one in self._app.screen_stack)

    def show(self, screen: SessionScreen) -> None:
        """Put a screen in front; the dialogs of the previous one are closed."""
        app = self._app
        while not isinstance(app.screen, SessionScreen):
            app.pop_screen()
        if app.screen is screen:
            return
        app.call_after_refresh(self._shown)
        if screen is self.matrix:
            app.pop_screen()
        elif app.screen is self.matrix:
            app.push_screen(screen)
        else:
            app.switch_screen(screen)

    # In and out

    @property
    def base(self) -> str:
        """The restriction of the current level on its screen: escape removes only what a person added to it."""
        return self._levels.base

    def _place(self, screen: SessionScreen | None = None) -> Place:
        """The present place: of the screen in front, or of one that is not in front."""
        screen = screen or self.in_front() or self.matrix
        return Place(screen.PLACES[0].value, screen.spot())

    def _go(self, place: Place) -> None:
        screen = self.named(place.screen)
        self.show(screen)
        if place.at is not None:
            screen.restore(place.at)

    def enter(self, name: str, base: str = "") -> None:
        """Go one level in, to the screen of that name. The current screen may itself go to another view."""
        screen = self.named(name)
        self._levels = self._levels.enter(self._place(), self._place(screen), base)
        self.show(screen)

    def jump(self) -> None:
        """Prepare for another view of the screen in front, on the same level."""
        self._levels = self._levels.jump(self._place())

    def back(self) -> None:
        """Go one level out, to the previous screen, view and spot; from the outermost level to the matrix."""
        found = self._levels.back(self._place())
        if found is None:
            self.switch("matrix")
            return
        level, self._levels = found
        if level.changed.screen != level.begun.screen and level.changed.at is not None:
            self.named(level.changed.screen).restore(level.changed.at)
        self._go(level.begun)

    @property
    def has_last(self) -> bool:
        """Whether there is a previous view."""
        return self._levels.last is not None

    def last(self) -> None:
        """Show the previous view; called again, return to this one."""
        found = self._levels.swap(self._place())
        if found is not None:
            place, self._levels = found
            self._go(place)

    # Across

    def switch(self, name: str) -> None:
        """Show the screen of that name, unless a dialog is open; `log` is the screen of runs with only the log."""
        if not isinstance(self._app.screen, SessionScreen):
            return
        # The classes come from the `__init__` of `tui.screens`, which imports each on first use.
        runs = self.screen(screens.RunsScreen) if name in ("runs", _LOG) else None
        screen = runs or self.named(name)
        if screen is not self.in_front() or self._levels.inner:
            self._levels = self._levels.start(self._place())
        self.show(screen)
        if runs is not None:
            runs.show_log() if name == _LOG else runs.show_table()

    # In, to something

    def stop_following(self) -> None:
        """Stop following logs."""
        self.screen(screens.RunsScreen).stop_following()

    def show_run(self, run_id: str) -> None:
        """Show the log of a run."""
        screen = self.screen(screens.RunsScreen)
        self.enter("runs", run_id)
        self._app.call_later(screen.show_run, run_id, zoomed=True)

    def show_test(self, id: str) -> None:
        """Show a test in the matrix; a filter that hides it is cleared."""
        screen = self.screen(MatrixScreen)
        self.enter("matrix", screen.query_with(id))
        self._app.call_later(screen.go_to, id)

    def show_tests(self, query: Query) -> None:
        """Show the tests that a query selects in the matrix."""
        screen = self.screen(MatrixScreen)
        self.enter("matrix", str(query))
        self._app.call_later(screen.go_to_tests, query)

    def filter_tests(self) -> None:
        """Type a query in the matrix."""
        screen = self.screen(MatrixScreen)
        self.enter("matrix")
        # At once: the keys that follow are for the query.
        screen.action_filter()

    def show_findings(self, kind: str) -> None:
        """Show the findings of a kind; empty: of every kind."""
        screen = self.screen(screens.DoctorScreen)
        self.enter("doctor", kind)
        self._app.call_later(screen.show_kind, kind)

    def show_job_log(self, state: JobState, test: str = "") -> None:
        """Show the log of a job of CI, at the line that says why it failed, or at a test."""
        screen = self.screen(screens.JobLogScreen)
        self.enter(screen.tab, str(state.job.id))
        self._app.call_later(screen.show_job, state, test)

    def show_triage_of(self, ids: Collection[str]) -> bool:
        """Show the group of Triage that one of these tests is in; False: there is none."""
        screen = self.screen(screens.TriageScreen)
        found = screen.place_of(ids)
        if found:
            self.enter("triage", found)
            self._app.call_later(screen.go_to, found)
        return bool(found)

    def compare_run(self, run: str) -> None:
        """Show how the results of a run of the evidence differ from those of the previous run."""
        screen = self.screen(screens.CompareScreen)
        self.enter("compare", run)
        self._app.call_later(screen.compare_run, run)

    def compare_cases(self, ids: Sequence[str]) -> None:
        """Show op cases on two backends side by side."""
        screen = self.screen(screens.CompareScreen)
        self.show(screen)
        self._app.call_later(screen.compare_cases, ids)

    def show_diff(self, range: str, *, uplift: bool = False) -> None:
        """Show what differs in a range of commits, or of commits of the models."""
        screen = self.screen(screens.DiffScreen)
        # First: on its own it would compare what is not committed, and that would have to end before this begins.
        screen.compare(range, uplift=uplift)
        self.switch("diff")

    def plan_session(self, hours: float | None) -> None:
        """Plan and show a session of `hours`, or until the leases end."""
        screen = self.screen(screens.PlanScreen)
        self.switch("plan")
        self._app.call_later(screen.plan, hours)

    def show_profiles(self, batch: str = "") -> None:
        """Show the runs of a batch by profile; empty: the newest batch with several."""
        screen = self.screen(screens.ProfilesScreen)
        self.enter("profiles", batch)
        self._app.call_later(screen.show_batch, batch)

    def show_programs(self, run_id: str) -> None:
        """Show the programs that a run dumped."""
        screen = self.screen(screens.ProgramsScreen)
        self.enter("programs", run_id)
        self._app.call_later(screen.show_run, run_id)

    def show_dumps(self, directories: Sequence[Path], of: OfJob) -> None:
        """Show the programs that a job of CI has left in directories."""
        screen = self.screen(screens.ProgramsScreen)
        self.enter("programs", str(of.job))
        self._app.call_later(screen.show_dumps, directories, of)

    def start_workflows(self, ids: Sequence[str]) -> None:
        """Start a workflow on each of these failing training tests, and show them."""
        screen = self.screen(screens.WorkflowsScreen)
        self.enter("workflows")
        self._app.call_later(screen.begin, ids)
