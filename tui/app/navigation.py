# SPDX-License-Identifier: Apache-2.0
"""The screens of the app and the ways between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import App

from tui import screens
from tui.screens import SCREENS, SessionScreen
from tui.screens.matrix import MatrixScreen

if TYPE_CHECKING:
    from core.matrix.query import Query

S = TypeVar("S", bound=SessionScreen)

_LOG = "log"
"""The screen of runs with nothing but the log."""


class Navigation:
    """Has a screen for each entry of the table, made when somebody wants it and alive from then on.

    The matrix is below all others: at most one more is above it, with the dialogs of that one.
    """

    def __init__(self, app: App[Any], make: Callable[[type[SessionScreen]], SessionScreen]) -> None:
        """`make` makes a screen of its class."""
        self._app = app
        self._make = make
        self._entries = {entry.where.value: entry for entry in SCREENS}
        self._made: dict[str, SessionScreen] = {}

    def named(self, name: str) -> SessionScreen:
        """The screen of that name. Raises LookupError where there is none."""
        if name not in self._made:
            screen = self._made[name] = self._make(self._entries[name].load())
            # Installed, it lives on while another one is in front.
            self._app.install_screen(screen, name)
        return self._made[name]

    def screen(self, kind: type[S]) -> S:
        """The screen of that class. Raises LookupError where there is none."""
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

    def show(self, screen: SessionScreen) -> None:
        """Put a screen in front; the dialogs of the one before are closed."""
        app = self._app
        while not isinstance(app.screen, SessionScreen):
            app.pop_screen()
        if app.screen is screen:
            return
        if screen is self.matrix:
            app.pop_screen()
        elif app.screen is self.matrix:
            app.push_screen(screen)
        else:
            app.switch_screen(screen)

    def switch(self, name: str) -> None:
        """Show the screen of that name, unless a dialog is open; `log` is the screen of runs with only the log."""
        if not isinstance(self._app.screen, SessionScreen):
            return
        if name in ("runs", _LOG):
            self._show_runs(log=name == _LOG)
        else:
            self.show(self.named(name))

    # The classes come from the face of `tui.screens`, which imports each with its first use.

    def _show_runs(self, *, log: bool) -> None:
        screen = self.screen(screens.RunsScreen)
        self.show(screen)
        if log:
            screen.show_log()
        else:
            screen.show_table()

    def stop_following(self) -> None:
        """Stop following logs."""
        self.screen(screens.RunsScreen).stop_following()

    def show_run(self, run_id: str) -> None:
        """Show the log of a run."""
        screen = self.screen(screens.RunsScreen)
        self.show(screen)
        self._app.call_later(screen.show_run, run_id, zoomed=True)

    def show_test(self, id: str) -> None:
        """Show a test in the matrix; a filter that hides it is cleared."""
        screen = self.screen(MatrixScreen)
        self.show(screen)
        self._app.call_later(screen.go_to, id)

    def show_tests(self, query: Query) -> None:
        """Show the tests that a query selects in the matrix."""
        screen = self.screen(MatrixScreen)
        self.show(screen)
        self._app.call_later(screen.go_to_tests, query)

    def show_findings(self, kind: str) -> None:
        """Show the findings of a kind; empty: of every kind."""
        screen = self.screen(screens.DoctorScreen)
        self.show(screen)
        self._app.call_later(screen.show_kind, kind)

    def start_workflows(self, ids: Sequence[str]) -> None:
        """Start a workflow on each of these failing training tests, and show them."""
        screen = self.screen(screens.WorkflowsScreen)
        self.show(screen)
        self._app.call_later(screen.begin, ids)
