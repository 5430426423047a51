# SPDX-License-Identifier: Apache-2.0
"""Has a process of its own ask GitHub for new runs of CI while the app is open, as often as the settings say."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from textual.app import App

from core import evidence
from core.base.errors import EXIT_FINDINGS, TTMatrixError
from core.evidence import github
from tui.protocol import Notify
from tui.session import Session

if TYPE_CHECKING:
    from core.evidence.github import FetchProcess

_MINUTE = 60.0
_TICK_SECONDS = 5.0


class Fetching:
    """What comes is in the store, where the app notices it as it notices what other processes bring."""

    def __init__(self, app: App[Any], session: Session, notify: Notify) -> None:
        self._app = app
        self._session = session
        self._notify = notify
        self.process: FetchProcess | None = None
        """The round that is going on."""
        self._failed = ""
        """What was said about the last failure: the same is not said again."""
        self._tried = 0.0
        """When it was last tried."""

    def start(self) -> None:
        """See now, and repeatedly from then on, whether it is time to ask."""
        self.look()
        self._app.set_interval(_TICK_SECONDS, self.look)

    def stop(self) -> None:
        """End the round that is going on."""
        if self.process is not None:
            self.process.end()

    def look(self) -> None:
        """Begin a round if it is time; say how the last one has ended."""
        if self.process is not None:
            code = self.process.wait()
            if code is None:
                return
            process, self.process = self.process, None
            # That some reports could not be read is said by the nightly; a signal is one of ours.
            self._say("" if code < 0 or code in (0, EXIT_FINDINGS) else process.words or f"exit code {code}")
        if self._is_time():
            self._begin()

    def _is_time(self) -> bool:
        minutes, session = self._session.settings.fetch_minutes, self._session
        if minutes <= 0 or session.read_only:
            return False
        store = evidence.store_file(session.paths.evidence, session.checkout.root)
        # Another app, or `ttmatrix watch`, may have asked.
        return time.time() >= max(github.last_asked(store), self._tried) + minutes * _MINUTE

    def _begin(self) -> None:
        self._tried = time.time()
        try:
            output = self._session.paths.cache / "fetching.log"
            self.process = github.FetchProcess(self._session.checkout.root, output)
        except (OSError, TTMatrixError) as error:
            self._say(str(error))

    def _say(self, why: str) -> None:
        """Say once why nothing could be fetched."""
        if why and why != self._failed:
            self._notify.warn(TTMatrixError("Runs of CI could not be fetched", why))
        self._failed = why
