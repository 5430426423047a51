# SPDX-License-Identifier: Apache-2.0
"""How long compilers were at work, by the stages of a test."""

from __future__ import annotations

import time

from .backend import COMPILATION, EXECUTION, Stage


class CompileClock:
    """Passes stages on, and adds up the time from each compilation to the execution after it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._since: float | None = None
        self.seconds: float | None = None
        """None: nothing has been compiled yet."""

    def stage(self, name: str) -> None:
        """A stage begins."""
        now = time.perf_counter()
        if name == COMPILATION:
            self._since = now
        elif name == EXECUTION and self._since is not None:
            self.seconds = (self.seconds or 0.0) + now - self._since
            self._since = None
        self._stage(name)
