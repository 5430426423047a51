# SPDX-License-Identifier: Apache-2.0
"""End processes by an interrupt, then a termination, then a kill, with time to react after each.

What a process starts in reaction to the interrupt is its way of cleaning up, such as a pip that takes packages back.
"""

import math
import signal
from collections.abc import Sequence

from core.base.processes import ProcessIdentity

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
CLEANING_SECONDS = 60.0
"""How much longer than its grace the first step lasts at most, as long as a process that began after it goes on."""


_BETWEEN_SECONDS = 2.0
"""The longest time from the end of one such process to the beginning of the next."""


class Escalation:
    """One escalation of signals. Every process gets each signal once; one that appears meanwhile is not interrupted."""

    def __init__(self, graces: Sequence[float]) -> None:
        """`graces` are the seconds that processes have to end after each of `SIGNALS`."""
        self._steps = list(zip(SIGNALS, graces, strict=True))
        self._step = -1
        self._deadline = 0.0
        self._signalled: frozenset[ProcessIdentity] = frozenset()
        self._cleaned = -math.inf
        """When a process that began after the interrupt was last alive."""
        self.exhausted = False
        """Whether the last grace period is over and a process is still alive."""

    def due(self, now: float, living: frozenset[ProcessIdentity]) -> tuple[signal.Signals, frozenset[ProcessIdentity]]:
        """Which processes to signal at `now`, in seconds of a monotonic clock; perhaps none."""
        begins = self._step < 0
        if self._step == 0 and living - self._signalled:
            self._cleaned = now
        if begins or (now >= self._deadline and not self._cleans_up(now)):
            self._next_step(now)
        interrupts = self._steps[self._step][0] is SIGNALS[0]
        fresh = living - self._signalled if begins or not interrupts else frozenset[ProcessIdentity]()
        self._signalled |= fresh
        return self._steps[self._step][0], fresh

    def _cleans_up(self, now: float) -> bool:
        """Whether what was interrupted is still cleaning up, and may go on."""
        return self._step == 0 and now < self._deadline + CLEANING_SECONDS and now < self._cleaned + _BETWEEN_SECONDS

    def _next_step(self, now: float) -> None:
        if self._step + 1 == len(self._steps):
            self.exhausted = True
            return
        self._step += 1
        self._deadline = now + self._steps[self._step][1]
        self._signalled = frozenset()
