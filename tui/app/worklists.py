# SPDX-License-Identifier: Apache-2.0
"""The list of Triage: worked out in the background when there is something new, before anybody opens it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.timer import Timer

from core.evidence import proposals
from tui import view_models
from tui.app.key_order import Pause
from tui.protocol import Background, Notify, Signals
from tui.session import Session

if TYPE_CHECKING:
    from core.base.errors import TTMatrixError
    from core.evidence.proposals import Progress, Worklist, WorklistReader
    from tui.view_models import TriageItems

_QUIET_SECONDS = 1.0
"""So long nothing may be new before the list is worked out that nobody waits for: reports come one after the other."""
_WORK_SECONDS, _REST_SECONDS = 0.004, 0.001
"""After so much work a thread rests, so that keys and frames of others come between."""
_SAID_SECONDS = 0.1
"""Seconds between messages of progress."""
_NEVER = -1


class Worklists:
    """The worklist of Triage, worked out again with new results and other machines to leave out.

    `Signals.worklist_changed` says when there is another one, or that more of it is worked out.
    """

    def __init__(
        self,
        app: App[Any],
        session: Session,
        signals: Signals,
        notify: Notify,
        background: Background,
        pause: Callable[[], Pause],
    ) -> None:
        """`pause` makes keys wait for the first list, for a moment."""
        self._app = app
        self._session = session
        self._signals = signals
        self._notify = notify
        self._background = background
        self._pause = pause
        self.known: TriageItems | None = None
        """None: nothing is known yet."""
        self.progress: Progress | None = None
        """The progress of a newer one; None: there is none, or it has not begun."""
        self.left_out: frozenset[str] = frozenset()
        """Machines whose results are not counted."""
        self._asked = 0
        """A count of news: work for an earlier number is dropped."""
        self._worked = _NEVER
        """The number that is being worked out, or was last."""
        self._wanted = False
        """Whether somebody waits for it."""
        self._timer: Timer | None = None
        self._one_at_a_time = threading.Lock()
        self._stopped = threading.Event()

    def start(self) -> None:
        """Work it out whenever there is something new."""
        for signal in (self._signals.evidence_changed, self._signals.matrix_changed):
            signal.subscribe(self._app, lambda _: self._renew())

    def stop(self) -> None:
        """Leave what is being worked out."""
        self._stopped.set()

    def want(self) -> None:
        """Work it out at once, unless what is known is of the last results."""
        self._wanted = True
        if self._worked != self._asked:
            self._work()

    def release(self) -> None:
        """Nobody looks at it any more: what is new is worked out once nothing more comes."""
        self._wanted = False

    def leave_out(self, hosts: frozenset[str]) -> None:
        """Judge without these machines."""
        self.left_out = hosts
        self._asked += 1
        self.want()

    def read(self) -> Worklist:
        """Work out the present worklist. Not for the app's own thread."""
        with self._one_at_a_time:
            return proposals.worked_out(self._session.look().worklist_steps(self._reader))

    def _renew(self) -> None:
        self._asked += 1
        if self._wanted:
            self._work()
            return
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(_QUIET_SECONDS, self._work)

    def _work(self) -> None:
        if self._worked == self._asked:
            return
        self._worked = number = self._asked
        # Keys are meant for its rows, but nobody waits long.
        pause = self._pause() if self._wanted and self.known is None else None
        end = pause.end if pause else lambda: None

        def take(found: TriageItems | None) -> None:
            end()
            if number == self._asked:
                self.known, self.progress = found or self.known, None
                # What nobody waited for is worked out once somebody does.
                self._worked = number if found else _NEVER
                self._signals.worklist_changed.publish(None)
                if found is None and self._wanted:
                    self._work()

        def fail(error: TTMatrixError) -> None:
            end()
            if number == self._asked:
                # Asked again, it is said again.
                self._worked, self.progress = _NEVER, None
                if self._wanted:
                    self._notify.error(error)

        work = partial(self._made, number, self.left_out, wanted=self._wanted)
        self._background.run("worklist", work, take, fail=fail)

    def _made(self, number: int, left_out: frozenset[str], *, wanted: bool) -> TriageItems | None:
        """The list for the last results, in a thread; None if there are newer ones, or if nobody waits for none."""
        with self._one_at_a_time:
            evidence = self._session.look()
            if not (wanted or evidence.results.cells):
                return None
            said = rested = time.monotonic()
            steps = evidence.without(left_out).worklist_steps(self._reader)
            while number == self._asked and not self._stopped.is_set():
                try:
                    progress = next(steps)
                except StopIteration as end:
                    return view_models.TriageItems(end.value)
                now = time.monotonic()
                if now - said > _SAID_SECONDS:
                    said = now
                    self._background.call(partial(self._say, number, progress))
                if now - rested > _WORK_SECONDS:
                    self._stopped.wait(_REST_SECONDS)
                    rested = time.monotonic()
            return None

    def _say(self, number: int, progress: Progress) -> None:
        if number == self._asked:
            self.progress = progress
            self._signals.worklist_changed.publish(None)

    @cached_property
    def _reader(self) -> WorklistReader:
        return proposals.WorklistReader()
