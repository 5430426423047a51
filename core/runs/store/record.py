# SPDX-License-Identifier: Apache-2.0
"""The state of a run: a pure fold over its spec and its events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.processes import ProcessIdentity
from core.runs.outcome import Outcome, signal_name
from core.runs.sanitize import plain_line
from core.runs.spec import RunSpec
from core.runs.store.events import Event, Finished, Queued, Returned, Started, TreeState
from core.runs.store.result import RunResult

_SUMMARY_CHARACTERS = 400
_FEW_PIDS = 5
_A_WHILE = 60.0
"""Seconds for which a working run may be silent and idle, while it loads weights or waits for its device."""


class RunState(StrEnum):
    """The phases in the life of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    LOST = "lost"
    """All its processes are gone, and its end was not recorded."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run in its present state."""

    spec: RunSpec
    root: Path
    """The directory that contains those of all runs."""
    state: RunState
    outcome: Outcome | None
    """None until the run is finished or lost."""
    started: float | None
    """Seconds since the epoch."""
    seconds: float | None
    """Duration of the child; None until the run is finished."""
    exit_code: int | None
    signal: int | None
    result: Mapping[str, object] | None
    summary: str
    """One plain line: why it ended so, or what it waits for."""
    cancelling: bool
    """Whether its end was requested and it has not ended yet."""
    held: bool
    """Whether it is on hold."""
    turn: int | None
    """How many runs are before it in the queue; None: it does not wait."""
    host: str | None
    """The machine of its queue."""
    supervisor: ProcessIdentity | None
    """The process that lives as long as any process of the run; None before its start and after its end."""
    stage: str
    """The bring-up stage in which it ended; empty if unknown."""
    tree: TreeState | None = None
    """The state of the checkout at its start; None: it has not started, or that was not recorded."""
    edited: bool = False
    """Whether its loader, or a module that it imports, changed during the run."""
    idle: float | None = None
    """If it exceeded its time limit: its last seconds without output and work; None: unknown."""
    place: str = ""
    """The host in the hosts file on which it was started; empty: the machine of its queue."""
    peak_memory: int | None = None
    """Bytes: the largest resident memory of one of its processes; None: unknown."""

    @property
    def active(self) -> bool:
        """Whether there is something to wait for."""
        return self.state in (RunState.QUEUED, RunState.RUNNING)

    @property
    def at_work(self) -> bool:
        """Whether it is known to have written or worked just before its time limit."""
        return _at_work(self.idle, self.seconds or 0.0)

    @property
    def reason(self) -> str:
        """Why it failed: the most telling line of report and log; empty if neither says more than how it ended."""
        if self.outcome is Outcome.HANG:
            return f"Test hangs: {self.spec.hang_timeout:g} s without output or work"
        return self.said.reason

    @property
    def said(self) -> RunResult:
        """The fields of its result."""
        return RunResult(self.result or {})

    @property
    def directory(self) -> Path:
        """The directory with all files of the run."""
        # Computed on request: for thousands of runs it takes longer than reading them from the index.
        return self.root / self.spec.run_id

    @property
    def log(self) -> Path:
        """The output of the child, both streams."""
        return self.directory / "output.log"

    @property
    def arrivals(self) -> Path:
        """The arrival times of its lines (see `core.runs.log.growth`)."""
        return self.directory / "arrivals.txt"


@dataclass(frozen=True, slots=True)
class Presence:
    """Facts about a run that has not ended, besides its events."""

    watched: bool
    """Whether some process will report its end."""
    held: bool = False
    cancelling: bool = False
    turn: int | None = None
    survivors: tuple[int, ...] = ()
    """Pids of processes that run without a supervisor."""
    leases: tuple[str, ...] = ()
    """The hosts that it could use, if all their leases leave too little time for it."""


GONE = Presence(watched=False)


def fold(spec: RunSpec, root: Path, events: Sequence[Event], presence: Presence = GONE) -> RunRecord:
    """The record of a run of the store at `root`."""
    queued = next((event for event in events if isinstance(event, Queued)), None)
    # Of thousands of waiting runs, nothing else is known.
    later = events if len(events) > 1 or not queued else ()
    started = next((event for event in later if isinstance(event, Started)), None)
    # If two processes report an end, the first one saw it happen.
    finished = next((event for event in later if isinstance(event, Finished)), None)
    state = _state(started, finished, presence)
    outcome = finished.outcome if finished else Outcome.LOST if state is RunState.LOST else None
    active = state in (RunState.QUEUED, RunState.RUNNING)
    return RunRecord(
        spec=spec,
        root=root,
        state=state,
        outcome=outcome,
        started=started.at if started else None,
        seconds=finished.seconds if finished else None,
        exit_code=finished.exit_code if finished else None,
        signal=finished.signal if finished else None,
        result=finished.result if finished else None,
        summary=plain_line(_summary(spec, state, finished, presence) + _again(state, later), _SUMMARY_CHARACTERS),
        cancelling=active and presence.cancelling,
        held=state is RunState.QUEUED and presence.held,
        turn=presence.turn if state is RunState.QUEUED else None,
        host=queued.host if queued else None,
        supervisor=started.supervisor if started and active else None,
        stage=finished.stage if finished else "",
        tree=started.tree if started else None,
        edited=finished is not None and finished.edited,
        idle=finished.idle if finished else None,
        place=started.place if started else "",
        peak_memory=finished.peak_memory if finished else None,
    )


def _again(state: RunState, events: Sequence[Event]) -> str:
    """Why a waiting run waits again."""
    last = next((event for event in reversed(events) if isinstance(event, Returned)), None)
    return f"; {last.place}: {last.why}" if last and state is RunState.QUEUED else ""


def _state(started: Started | None, finished: Finished | None, presence: Presence) -> RunState:
    if finished:
        return RunState.FINISHED
    if not presence.watched:
        return RunState.LOST
    return RunState.RUNNING if started else RunState.QUEUED


def _summary(spec: RunSpec, state: RunState, finished: Finished | None, presence: Presence) -> str:
    if finished:
        return _why(spec, finished)
    if state is RunState.LOST:
        return _lost(spec, presence.survivors)
    if presence.cancelling:
        return "stopping"
    if state is RunState.RUNNING:
        return "running"
    if presence.held:
        return "on hold"
    if presence.leases:
        return f"waiting: it would not end before the lease of {' or '.join(presence.leases)} does"
    return f"waiting for a host with {spec.needs}" if spec.needs else f"waiting for a {spec.slots} slot"


def _lost(spec: RunSpec, survivors: Sequence[int]) -> str:
    if not survivors:
        return "its processes are gone, and its end was not recorded"
    pids = ", ".join(map(str, survivors[:_FEW_PIDS])) + (", …" if len(survivors) > _FEW_PIDS else "")
    said = f"process {pids} is still running" if len(survivors) == 1 else f"processes {pids} are still running"
    return f"its supervisor is gone, but {said}: ttmatrix cancel {spec.run_id}"


def _why(spec: RunSpec, finished: Finished) -> str:
    return _and(_outcome_text(spec, finished), finished.packages)


def _outcome_text(spec: RunSpec, finished: Finished) -> str:
    said = RunResult(finished.result or {})
    reason = said.reason
    text = reason or said.summary
    match finished.outcome:
        case Outcome.PASS | Outcome.FAIL | Outcome.XFAIL | Outcome.SKIP:
            return text
        case Outcome.CRASH if finished.signal is not None:
            stage = f"in {finished.stage}" if finished.stage else ""
            ended = " ".join(filter(None, (f"ended by {signal_name(finished.signal)}", stage)))
            return _and(": ".join(filter(None, (ended, reason))), finished.detail)
        case Outcome.TIMEOUT:
            limit = f"stopped after {finished.seconds:.0f} s{_until(finished)}; the limit is {spec.timeout:g} s"
            return _and(limit, finished.detail)
        case Outcome.HANG:
            silent = f"stopped after {finished.seconds:.0f} s, the last {spec.hang_timeout:g} s without output or work"
            return _and(silent, finished.detail)
        case Outcome.CANCELLED:
            return _and("cancelled", finished.detail)
        case Outcome.LOST:
            return finished.detail or "its processes are gone, and its end was not recorded"
    code = "" if finished.exit_code is None else f" with exit code {finished.exit_code}"
    return finished.detail or text or f"ended{code} and left no result"


def _until(finished: Finished) -> str:
    if finished.idle is None:
        return ""
    still = _at_work(finished.idle, finished.seconds)
    return ", still working" if still else f", the last {finished.idle:.0f} s without output or work"


def _at_work(idle: float | None, seconds: float) -> bool:
    return idle is not None and idle < min(_A_WHILE, seconds / 2)


def _and(what: str, detail: str) -> str:
    return f"{what}; {detail}" if detail else what
