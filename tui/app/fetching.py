# SPDX-License-Identifier: Apache-2.0
"""Has a process of its own ask GitHub for new runs of CI while the app is open, as often as the settings say."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from signal import SIGTERM
from typing import TYPE_CHECKING, Any

from textual.app import App

from core import evidence
from core.base.errors import EXIT_FINDINGS, TTMatrixError
from core.base.files import read_loosely
from core.base.processes import own_environment, send_signal, spawn_detached
from core.evidence import github
from tui.protocol import Notify
from tui.session import Session

if TYPE_CHECKING:
    from core.base.processes import Child

_MINUTE = 60.0
_TICK_SECONDS = 5.0
_MOST_WORDS = 500


class Fetching:
    """Parsing a night takes seconds of processor time: in a thread of the app it would delay keys.

    What comes is in the store, where the app notices it as it notices what other processes bring.
    """

    def __init__(self, app: App[Any], session: Session, notify: Notify) -> None:
        self._app = app
        self._session = session
        self._notify = notify
        self._child: Child | None = None
        self._failed = ""
        """What was said about the last failure: the same is not said again."""
        self._tried = 0.0
        """When it was last tried."""

    def start(self) -> None:
        """Look now, and repeatedly from then on, whether it is time to ask."""
        self._look()
        self._app.set_interval(_TICK_SECONDS, self._look)

    def stop(self) -> None:
        """End the process; what it has read is stored."""
        if self._child is not None:
            send_signal(self._child.identity, SIGTERM)

    @property
    def _output(self) -> Path:
        return self._session.paths.cache / "fetching.log"

    def _look(self) -> None:
        if self._child is not None:
            code = self._child.wait(0)
            if code is None:
                return
            self._child = None
            self._say(code)
        minutes, session = self._session.settings.fetch_minutes, self._session
        if minutes <= 0 or session.read_only:
            return
        store = evidence.store_file(session.paths.evidence, session.checkout.root)
        # Another app, or `ttmatrix watch`, may have asked.
        last = max(github.last_asked(store), self._tried)
        if time.time() >= last + minutes * _MINUTE:
            self._begin()

    def _begin(self) -> None:
        self._tried = time.time()
        argv = [
            sys.executable,
            "-P",
            "-m",
            "tui",
            "ingest",
            "--from-github",
            "--repo",
            str(self._session.checkout.root),
        ]
        try:
            self._output.parent.mkdir(parents=True, exist_ok=True)
            self._output.unlink(missing_ok=True)
            self._child = spawn_detached(argv, cwd=Path("/"), env=own_environment(os.environ), output=self._output)
        except (OSError, TTMatrixError) as error:
            self._tell(str(error))

    def _say(self, code: int) -> None:
        """Say once why nothing could be fetched; that some reports could not be read is said by the nightly."""
        if code in (0, EXIT_FINDINGS) or code < 0:
            self._failed = ""
            return
        try:
            words = read_loosely(self._output).strip().splitlines()
        except OSError:
            words = []
        self._tell(" ".join(words[-3:])[-_MOST_WORDS:] or f"exit code {code}")

    def _tell(self, why: str) -> None:
        if why != self._failed:
            self._failed = why
            self._notify.warn(TTMatrixError("Runs of CI could not be fetched", why))
