# SPDX-License-Identifier: Apache-2.0
"""Watch one run from its queue to its end, whatever becomes of the terminal it was asked for in.

Started as `python -m core.runs.supervisor RUN_DIR`; what it reports is in the events of that directory.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from filelock import BaseFileLock

from core.errors import TTMatrixError
from core.proc import STOP_GRACES, Child, own_identity, spawn_detached, stop_tree, this_host
from core.runs.environment import child_environment
from core.runs.events import CancelRequested, Event, Finished, Queued, Started, append_event, read_events
from core.runs.outcome import Outcome, judge, read_result
from core.runs.slots import take_slot
from core.runs.spec import RunSpec
from core.runs.store import RunStore, events_file, read_spec

_POLL = 0.2
_NEVER = threading.Event()


class Supervisor:
    """One run, from the queue to its end."""

    def __init__(self, directory: Path, slots: Path, graces: Sequence[float] = STOP_GRACES) -> None:
        self.directory = directory
        self.slots = slots
        self.graces = graces
        self.spec: RunSpec = read_spec(directory)
        self._journal = events_file(directory)
        self._journal_size = -1
        self._asked = False

    def ask_to_stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """End the run as soon as possible. Fit to be a signal handler: it only sets a flag."""
        self._asked = True

    def supervise(self) -> None:
        """Wait for a slot, run the child, report. Returns when nothing of the run is left."""
        self._report(Queued(time.time(), own_identity(), this_host()))
        try:
            slot = self._wait_for_slot()
        except TTMatrixError as error:
            self._report(_not_started(error))
            return
        if slot is None:
            self._report(Finished(time.time(), Outcome.CANCELLED))
            return
        try:
            # Reported before the slot is free, so that runs of one slot never overlap in the records.
            self._report(self._run())
        finally:
            slot.release()

    def _wait_for_slot(self) -> BaseFileLock | None:
        while not self._stop_requested():
            slot = take_slot(self.slots, self.spec.slots, self.spec.slot_count)
            if slot is not None:
                return slot
            _NEVER.wait(_POLL)
        return None

    def _run(self) -> Finished:
        log = self.directory / "output.log"
        environment = child_environment(os.environ, self.spec.env)
        begin = time.monotonic()
        try:
            child = spawn_detached(self.spec.argv, cwd=self.spec.cwd, env=environment, output=log)
        except TTMatrixError as error:
            return _not_started(error)
        try:
            self._report(Started(time.time(), child.identity, self.spec.argv))
            stopped = self._watch(child, begin)
            seconds = time.monotonic() - begin
        finally:
            # Also after a natural end: what the child left running would take the next run's memory.
            gone = stop_tree(child.identity, self.graces)
            code = child.wait(_POLL)
        result = read_result(log, self.spec.nonce)
        return Finished(
            time.time(),
            stopped or (Outcome.CRASH if code is None else judge(code, result)),
            seconds,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            result=result,
            detail="" if gone else f"Processes of group {child.identity.pid} cannot be stopped.",
        )

    def _watch(self, child: Child, begin: float) -> Outcome | None:
        """Why the child has to be stopped, or None once it has ended by itself."""
        limit = self.spec.timeout
        while child.wait(_POLL) is None:
            if self._stop_requested():
                return Outcome.CANCELLED
            if limit and time.monotonic() - begin > limit:
                return Outcome.TIMEOUT
        return None

    def _stop_requested(self) -> bool:
        size = self._journal.stat().st_size
        if size != self._journal_size and not self._asked:
            self._journal_size = size
            self._asked = any(isinstance(event, CancelRequested) for event in read_events(self._journal))
        return self._asked

    def _report(self, event: Event) -> None:
        append_event(self._journal, event)


def _not_started(error: TTMatrixError) -> Finished:
    return Finished(time.time(), Outcome.ERROR, detail=f"{error.title}: {error.detail}")


def main(arguments: Sequence[str]) -> int:
    """Supervise the run in the directory that `arguments` name."""
    directory = Path(arguments[0])
    supervisor = Supervisor(directory, RunStore(directory.parent).slots)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, supervisor.ask_to_stop)
    signal.signal(signal.SIGTERM, supervisor.ask_to_stop)
    supervisor.supervise()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
