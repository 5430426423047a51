# SPDX-License-Identifier: Apache-2.0
"""What the screens over evidence share: they look anew when there is more of it, as soon as somebody sees them."""

from tui.evidence_service import Knowledge
from tui.protocol import Host
from tui.screens.base import SessionScreen
from tui.session import Session


class EvidenceScreen(SessionScreen):
    """A screen that shows what runs and reports have shown."""

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__(session, host)
        self.knowledge = Knowledge(session)
        self._late = False
        """There may be more to know than what is shown."""

    def look(self) -> None:
        """Look at all evidence anew, in the background."""
        raise NotImplementedError

    def follow_evidence(self) -> None:
        """Look now, and again whenever there is more."""
        self.follow(self.host.matrix_changed, self.ask)
        self.follow(self.host.evidence_changed, self.ask)
        self.ask()

    def ask(self) -> None:
        """Look at once where somebody sees it, else when somebody does."""
        self._late = not self.is_current
        if not self._late:
            self.look()

    def on_screen_resume(self) -> None:
        if self._late:
            self.ask()
