# SPDX-License-Identifier: Apache-2.0
"""Tell a run that hangs from one that takes its time: it writes nothing and the processor does nothing for it."""

from dataclasses import dataclass

_IDLE_SHARE = 0.1
"""Loops and threads that poll something use a little of a processor without getting anywhere."""
_RESOLUTION = 0.02
"""Processor time is counted in ticks of a hundredth of a second."""
_SECONDS_BETWEEN = 10.0


@dataclass(frozen=True, slots=True)
class Sign:
    """What a run showed at one moment."""

    at: float
    """Seconds of a clock that never goes back."""
    log_size: int
    processor: float
    """Seconds of processor time used by its processes."""


class Vitals:
    """The signs of one run, against a `limit` in seconds; 0: it may be silent for ever."""

    def __init__(self, limit: float, first: Sign) -> None:
        self._limit = limit
        self._last = first
        self.alive = False
        """It has written or worked since the first sign."""

    @property
    def interval(self) -> float:
        """Seconds after which it is worth looking again."""
        return min(_SECONDS_BETWEEN, max(0.1, self._limit / 10)) if self._limit else _SECONDS_BETWEEN

    def hangs(self, sign: Sign) -> bool:
        """Whether nothing has happened up to `sign` for as long as the limit."""
        return 0 < self._limit <= self.idle(sign)

    def idle(self, sign: Sign) -> float:
        """For how many seconds up to `sign` nothing has happened."""
        waited = sign.at - self._last.at
        worked = abs(sign.processor - self._last.processor) > max(_RESOLUTION, _IDLE_SHARE * waited)
        if sign.log_size != self._last.log_size or worked:
            self._last, self.alive = sign, True
            return 0.0
        return waited
