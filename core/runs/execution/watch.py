# SPDX-License-Identifier: Apache-2.0
"""Watch one started run: notice its end, and stop it if it takes too long, hangs or is cancelled."""

import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.base.processes import ProcessIdentity, descendants, is_alive, marked, send_signal
from core.base.work import Labour, is_work
from core.payload.ttmatrix_payload.plugins.spool import SPOOL, Spool
from core.runs.escalation import Escalation
from core.runs.execution.follow import PULSE
from core.runs.execution.packages import is_at_work
from core.runs.execution.sessions import read_guard
from core.runs.execution.supervisor import Exit, read_exit
from core.runs.outcome import Outcome
from core.runs.spec import RUN_VARIABLE, RunSpec
from core.runs.store import LOG

_SECONDS_BETWEEN = 10.0


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity of a run at one moment."""

    at: float
    """Seconds of a monotonic clock."""
    log_size: int
    processor: float
    """Seconds of processor time that its processes have worked for."""


class Vitals:
    """The activity of one run compared with a `limit` in seconds; 0: it may be silent for ever."""

    def __init__(self, limit: float, first: Activity) -> None:
        self._limit = limit
        self._last = first
        self.alive = False
        """Whether it has written or worked since the first look."""

    @property
    def interval(self) -> float:
        """Seconds after which to look again."""
        return min(_SECONDS_BETWEEN, max(0.1, self._limit / 10)) if self._limit else _SECONDS_BETWEEN

    def restart(self, sign: Activity) -> None:
        """Compare with `sign` from now on."""
        self._last = sign

    def hangs(self, sign: Activity) -> bool:
        """Whether nothing has happened before `sign` for as long as the limit."""
        return 0 < self._limit <= self.idle(sign)

    def idle(self, sign: Activity) -> float:
        """For how many seconds before `sign` nothing has happened."""
        waited = sign.at - self._last.at
        worked = abs(sign.processor - self._last.processor)
        if sign.log_size != self._last.log_size or is_work(worked, waited):
            self._last, self.alive = sign, True
            return 0.0
        return waited


_LEFTOVER_GRACE = 2.0
"""Processes that a run left behind have nothing more to write."""


class Watch:
    """One run. All times are in seconds of a monotonic clock."""

    def __init__(
        self,
        spec: RunSpec,
        directory: Path,
        supervisor: ProcessIdentity,
        begun: float,
        now: float,
    ) -> None:
        self.spec = spec
        self.directory = directory
        self.supervisor = supervisor
        self.begun = begun
        self.over = False
        """Whether there is nothing left to wait for."""
        self.stopped: Outcome | None = None
        """Why it was stopped; None: it ended by itself, or has not ended."""
        self.idle: float | None = None
        """Seconds without output and work at its time limit; None: unknown."""
        self._escalation: Escalation | None = None
        self._guard: ProcessIdentity | None = None
        self._labour = Labour()
        self._vitals = Vitals(spec.hang_timeout, self._sign(now))
        self._from_its_start = begun == now
        self._look_again = now + self._vitals.interval

    @property
    def stuck(self) -> bool:
        """Whether some process of it survives every signal."""
        return self._escalation is not None and self._escalation.exhausted

    @property
    def ending(self) -> bool:
        """Whether it is being stopped."""
        return self._escalation is not None

    def exit(self) -> Exit | None:
        """How its process ended; None while it runs."""
        return read_exit(self.directory)

    def stop(self, why: Outcome) -> None:
        """Stop it, unless it is being stopped already."""
        if self._escalation is None:
            self.stopped = why
            self._escalation = Escalation(self.spec.graces)

    def look(self, now: float) -> None:
        """Check for changes up to `now`, and react to them."""
        if not is_alive(self.supervisor):
            self._sweep()
            self.over = True
            return
        if is_at_work(self.directory):
            # No process of the run is left, and what works now ends by itself.
            return
        if self._escalation is None:
            self._judge(now)
        if self._escalation is not None:
            signum, fresh = self._escalation.due(now, self._processes())
            for process in fresh:
                send_signal(process, signum)
            self.over = self._escalation.exhausted

    def _judge(self, now: float) -> None:
        if self.exit() is not None:
            # Its supervisor waits for a process that it left behind, which would use the next run's memory.
            self._escalation = Escalation([min(grace, _LEFTOVER_GRACE) for grace in self.spec.graces])
        elif self.spec.timeout and now - self.begun > self.spec.timeout:
            idle = self._vitals.idle(self._sign(now))
            # The time before this scheduler watched the run is unknown.
            self.idle = idle if self._vitals.alive or self._from_its_start else None
            self.stop(Outcome.TIMEOUT)
        elif now >= self._look_again:
            self._look_again = now + self._vitals.interval
            sign = self._sign(now)
            if self._is_starting():
                self._vitals.restart(sign)
            elif self._vitals.hangs(sign):
                self.stop(Outcome.HANG)

    def _sign(self, now: float) -> Activity:
        try:
            size = (self.directory / LOG).stat().st_size
        except OSError:
            size = 0
        with suppress(OSError):
            # A run on another machine sends a pulse when it works without output.
            size += (self.directory / PULSE).stat().st_size
        return Activity(now, size, self._labour.seconds(self._processes()))

    def _processes(self) -> frozenset[ProcessIdentity]:
        """All processes of the run: also those that a session has forked for it, below their guard."""
        own = descendants(self.supervisor)
        if self._guard is None and (guard := read_guard(self.directory)):
            self._guard = guard.process
        return own | descendants(self._guard) if self._guard else own

    def _is_starting(self) -> bool:
        """Whether pytest still imports and collects, which may be silent for long: only the time limit counts."""
        return not Spool(self.directory / SPOOL).begun

    def _sweep(self) -> None:
        """Find the processes of a run by their environment, the only trace if the supervisor was killed.

        Also if its end is known: it may have left processes behind.
        """
        for process in marked(RUN_VARIABLE, self.spec.run_id):
            send_signal(process, signal.SIGKILL)
