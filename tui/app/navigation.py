# SPDX-License-Identifier: Apache-2.0
"""The screens of the app and the ways between them."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from textual.screen import Screen

from core.matrix.query import Query
from tui.app.key_order import KeyOrder
from tui.protocol import Host
from tui.screens import SessionScreen
from tui.screens.matrix import MatrixScreen
from tui.session import Session

if TYPE_CHECKING:
    from tui.screens import (
        ClustersScreen,
        CompareScreen,
        DoctorScreen,
        OverviewScreen,
        RunsScreen,
        TriageScreen,
        WorkflowsScreen,
    )
    from tui.screens.review import ReviewScreen

S = TypeVar("S", bound=SessionScreen)


class Navigation(KeyOrder):
    """Has a screen for each name that commands switch to.

    All but the first are imported and made when somebody wants them, and live on from then. The matrix is below all
    others: at most one more is above it, and what that asks.
    """

    session: Session

    @cached_property
    def matrix_screen(self) -> MatrixScreen:
        return self._installed(MatrixScreen)

    @cached_property
    def runs_screen(self) -> "RunsScreen":
        from tui.screens import RunsScreen

        return self._installed(RunsScreen)

    @cached_property
    def review_screen(self) -> "ReviewScreen":
        from tui.screens.review import ReviewScreen

        return self._installed(ReviewScreen)

    @cached_property
    def triage_screen(self) -> "TriageScreen":
        from tui.screens import TriageScreen

        return self._installed(TriageScreen)

    @cached_property
    def workflows_screen(self) -> "WorkflowsScreen":
        from tui.screens import WorkflowsScreen

        return self._installed(WorkflowsScreen)

    @cached_property
    def clusters_screen(self) -> "ClustersScreen":
        from tui.screens import ClustersScreen

        return self._installed(ClustersScreen)

    @cached_property
    def compare_screen(self) -> "CompareScreen":
        from tui.screens import CompareScreen

        return self._installed(CompareScreen)

    @cached_property
    def doctor_screen(self) -> "DoctorScreen":
        from tui.screens import DoctorScreen

        return self._installed(DoctorScreen)

    @cached_property
    def overview_screen(self) -> "OverviewScreen":
        from tui.screens import OverviewScreen

        return self._installed(OverviewScreen)

    def _installed(self, kind: Callable[[Session, Host], S]) -> S:
        screen = kind(self.session, cast(Host, self))
        # Installed, it lives on while another one is in front.
        self.install_screen(screen, type(screen).__name__)
        return screen

    def get_default_screen(self) -> Screen[None]:
        """The matrix itself: another screen below it would have to be made for the first frame."""
        return self.matrix_screen

    def show(self, screen: SessionScreen) -> None:
        """Put a screen in front; what was asked there is asked no more."""
        while not isinstance(self.screen, SessionScreen):
            self.pop_screen()
        if self.screen is screen:
            return
        if screen is self.matrix_screen:
            self.pop_screen()
        elif self.screen is self.matrix_screen:
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def action_switch(self, name: str) -> None:
        """Show another screen; `log` is the runs screen with nothing but the log."""
        if isinstance(self.screen, SessionScreen):
            self.show(getattr(self, f"{'runs' if name == 'log' else name}_screen"))
            if name == "log":
                self.runs_screen.show_log()
            elif name == "runs":
                self.runs_screen.show_table()

    def show_run(self, run_id: str) -> None:
        """Go to the log of a run."""
        self.show(self.runs_screen)
        self.call_later(self.runs_screen.show_run, run_id, zoomed=True)

    def show_test(self, id: str) -> None:
        """Go to a test in the matrix; a filter that hides it is cleared."""
        self.show(self.matrix_screen)
        self.call_later(self.matrix_screen.go_to, id)

    def show_tests(self, query: Query) -> None:
        """Go to the tests that a query selects."""
        self.show(self.matrix_screen)
        self.call_later(self.matrix_screen.go_to_tests, query)

    def show_findings(self, kind: str) -> None:
        """Go to what doctor finds of a kind."""
        self.show(self.doctor_screen)
        self.call_later(self.doctor_screen.show_kind, kind)
