# SPDX-License-Identifier: Apache-2.0
"""What every full screen has: the session, the app by its own type, and signals that end with the screen."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import Screen
from textual.signal import Signal

from tui.commands import Where
from tui.session import Session

if TYPE_CHECKING:
    from tui.app import TTMatrixApp


class SessionScreen(Screen[None]):
    """A screen over the shared session."""

    PLACES: ClassVar[tuple[Where, ...]] = ()
    """Where a person is while this screen is in front: decides which commands help lists."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    @property
    def app_(self) -> "TTMatrixApp":
        return cast("TTMatrixApp", self.app)

    def follow(self, signal: Signal[None], react: Callable[[], None]) -> None:
        """Call `react` whenever `signal` is published, as long as the screen lives."""
        signal.subscribe(self, lambda _: react())

    def go_back(self) -> None:
        """What escape does: one level back. Never leaves the app."""
        self.app_.action_switch("matrix")
