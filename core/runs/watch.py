# SPDX-License-Identifier: Apache-2.0
"""Watch one run that has started: notice its end, end it where it takes too long, hangs or is not wanted any more."""

import signal
from pathlib import Path

from core.proc import ProcessIdentity, descendants, is_alive, marked, processor_seconds, send_signal
from core.runs.ladder import Ladder
from core.runs.minder import Exit, read_exit
from core.runs.outcome import Outcome
from core.runs.spec import RUN_VARIABLE, RunSpec
from core.runs.store import LOG
from core.runs.vitals import Sign, Vitals

_LEFTOVER_GRACE = 2.0
"""What a run has left behind has nothing more to write down."""


class Watch:
    """One run. Every time given is in seconds of a clock that never goes back."""

    def __init__(
        self,
        spec: RunSpec,
        directory: Path,
        minder: ProcessIdentity,
        begun: float,
        now: float,
    ) -> None:
        self.spec = spec
        self.directory = directory
        self.minder = minder
        self.begun = begun
        self.over = False
        """There is nothing left to wait for."""
        self.stopped: Outcome | None = None
        """Why it had to be ended; None: it ended by itself, or has not ended."""
        self.idle: float | None = None
        """For how many seconds it had neither written nor worked when its time was up; None: nobody knows."""
        self._ladder: Ladder | None = None
        self._vitals = Vitals(spec.hang_timeout, self._sign(now))
        self._from_its_start = begun == now
        self._look_again = now + self._vitals.interval

    @property
    def stuck(self) -> bool:
        """Something of it survives every signal."""
        return self._ladder is not None and self._ladder.exhausted

    @property
    def ending(self) -> bool:
        """It is on the ladder."""
        return self._ladder is not None

    def exit(self) -> Exit | None:
        """How its process ended, once it has."""
        return read_exit(self.directory)

    def stop(self, why: Outcome) -> None:
        """End it; where it is ending already, that stands."""
        if self._ladder is None:
            self.stopped = why
            self._ladder = Ladder(self.spec.graces)

    def look(self, now: float) -> None:
        """Take in what has happened up to `now`, and do what that asks for."""
        if not is_alive(self.minder):
            self._sweep()
            self.over = True
            return
        if self._ladder is None:
            self._judge(now)
        if self._ladder is not None:
            signum, fresh = self._ladder.climb(now, descendants(self.minder))
            for process in fresh:
                send_signal(process, signum)
            self.over = self._ladder.exhausted

    def _judge(self, now: float) -> None:
        if self.exit() is not None:
            # Its minder waits for something that it left running: that would take the next run's memory.
            self._ladder = Ladder([min(grace, _LEFTOVER_GRACE) for grace in self.spec.graces])
        elif self.spec.timeout and now - self.begun > self.spec.timeout:
            idle = self._vitals.idle(self._sign(now))
            # Of the time before somebody else watched it nothing is known.
            self.idle = idle if self._vitals.alive or self._from_its_start else None
            self.stop(Outcome.TIMEOUT)
        elif now >= self._look_again:
            self._look_again = now + self._vitals.interval
            if self._vitals.hangs(self._sign(now)):
                self.stop(Outcome.HANG)

    def _sign(self, now: float) -> Sign:
        try:
            size = (self.directory / LOG).stat().st_size
        except OSError:
            size = 0
        return Sign(now, size, processor_seconds(descendants(self.minder)))

    def _sweep(self) -> None:
        """Where somebody killed the minder, the run's processes are known by nothing but their environment.

        Also where its end is known: it may have left something running.
        """
        for process in marked(RUN_VARIABLE, self.spec.run_id):
            send_signal(process, signal.SIGKILL)
