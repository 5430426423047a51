# SPDX-License-Identifier: Apache-2.0
"""End processes by an interrupt, then a termination, then a kill, with time to react after each."""

import signal
from collections.abc import Sequence

from core.proc import ProcessIdentity

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


class Escalation:
    """One escalation of signals. Every process gets each signal once, even one that appears meanwhile."""

    def __init__(self, graces: Sequence[float]) -> None:
        """`graces` are the seconds that processes have to end after each of `SIGNALS`."""
        self._steps = list(zip(SIGNALS, graces, strict=True))
        self._step = -1
        self._deadline = 0.0
        self._signalled: frozenset[ProcessIdentity] = frozenset()
        self.exhausted = False
        """Whether the last grace period is over and a process is still alive."""

    def due(self, now: float, living: frozenset[ProcessIdentity]) -> tuple[signal.Signals, frozenset[ProcessIdentity]]:
        """Which processes to signal at `now`, in seconds of a monotonic clock; perhaps none."""
        if self._step < 0 or now >= self._deadline:
            self._next_step(now)
        fresh = living - self._signalled
        self._signalled |= fresh
        return self._steps[self._step][0], fresh

    def _next_step(self, now: float) -> None:
        if self._step + 1 == len(self._steps):
            self.exhausted = True
            return
        self._step += 1
        self._deadline = now + self._steps[self._step][1]
        self._signalled = frozenset()
