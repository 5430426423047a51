# SPDX-License-Identifier: Apache-2.0
"""What became of a run: one pure fold over its spec and its events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.proc import ProcessIdentity
from core.runs.events import CancelRequested, Event, Finished, Queued, Started
from core.runs.outcome import Outcome, signal_name
from core.runs.plain import plain_line
from core.runs.spec import RunSpec

_SUMMARY_CHARACTERS = 400


class RunState(StrEnum):
    """Where a run is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    LOST = "lost"
    """Whoever watched it was killed: nobody will report its end."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as far as it has come."""

    spec: RunSpec
    directory: Path
    state: RunState
    outcome: Outcome | None
    """None until the run is finished or lost."""
    started: float | None
    """Seconds since the epoch."""
    seconds: float | None
    """How long the child ran; None until the run is finished."""
    exit_code: int | None
    signal: int | None
    result: Mapping[str, object] | None
    summary: str
    """One plain line: why it ended as it did, or what it waits for."""
    cancelling: bool
    """It was asked to end and has not ended yet."""
    host: str | None
    """The machine that `supervisor` and `child` are processes of."""
    supervisor: ProcessIdentity | None
    child: ProcessIdentity | None

    @property
    def active(self) -> bool:
        """Whether there is something to wait for."""
        return self.state in (RunState.QUEUED, RunState.RUNNING)

    @property
    def log(self) -> Path:
        """What the child printed, both streams."""
        return self.directory / "output.log"


def in_charge(events: Iterable[Event]) -> Queued | None:
    """Who reports the next event of the run, if it lives: the last that took charge of it."""
    return next((event for event in reversed([*events]) if isinstance(event, Queued)), None)


def fold(spec: RunSpec, directory: Path, events: Sequence[Event], *, watched: bool) -> RunRecord:
    """The record of a run; `watched` tells whether the process that is `in_charge` is alive."""
    charge = in_charge(events)
    started = next((event for event in events if isinstance(event, Started)), None)
    # Should two processes report an end, the first one saw it happen.
    finished = next((event for event in events if isinstance(event, Finished)), None)
    state = _state(started, finished, watched)
    asked = any(isinstance(event, CancelRequested) for event in events)
    outcome = finished.outcome if finished else Outcome.LOST if state is RunState.LOST else None
    return RunRecord(
        spec=spec,
        directory=directory,
        state=state,
        outcome=outcome,
        started=started.at if started else None,
        seconds=finished.seconds if finished else None,
        exit_code=finished.exit_code if finished else None,
        signal=finished.signal if finished else None,
        result=finished.result if finished else None,
        summary=plain_line(_summary(spec, state, finished, asked), _SUMMARY_CHARACTERS),
        cancelling=asked and finished is None,
        host=charge.host if charge else None,
        supervisor=charge.owner if charge else None,
        child=started.child if started else None,
    )


def _state(started: Started | None, finished: Finished | None, watched: bool) -> RunState:
    if finished:
        return RunState.FINISHED
    if not watched:
        return RunState.LOST
    return RunState.RUNNING if started else RunState.QUEUED


def _summary(spec: RunSpec, state: RunState, finished: Finished | None, asked: bool) -> str:
    if finished:
        return _why(spec, finished)
    if state is RunState.LOST:
        return "its supervisor was killed; see supervisor.log"
    if asked:
        return "stopping"
    return f"waiting for a {spec.slots} slot" if state is RunState.QUEUED else "running"


def _why(spec: RunSpec, finished: Finished) -> str:
    told = _told(finished.result)
    match finished.outcome:
        case Outcome.PASS | Outcome.FAIL:
            return told
        case Outcome.CRASH if finished.signal is not None:
            return f"ended by {signal_name(finished.signal)}"
        case Outcome.TIMEOUT:
            return _and(f"stopped after {finished.seconds:.0f} s; the limit is {spec.timeout:g} s", finished.detail)
        case Outcome.CANCELLED:
            return _and("cancelled", finished.detail)
        case Outcome.LOST:
            return "its supervisor was killed and left nothing running"
    return finished.detail or told or f"ended with exit code {finished.exit_code} and no result"


def _and(what: str, detail: str) -> str:
    return f"{what}; {detail}" if detail else what


def _told(result: Mapping[str, object] | None) -> str:
    """The child's own words: what kept it from running, else how each phase went."""
    if result is None:
        return ""
    problem = result.get("problem")
    if isinstance(problem, Mapping):
        return _first_line(problem.get("message"))
    phases = result.get("phases")
    told = [_phase(phase) for phase in phases if isinstance(phase, Mapping)] if isinstance(phases, list) else []
    return "; ".join(told)


def _phase(phase: Mapping[str, object]) -> str:
    dtype = phase.get("dtype")
    if phase.get("ok") is True:
        return f"{dtype} ok"
    return f"{dtype} {phase.get('step')}: {phase.get('error_type')}: {_first_line(phase.get('error'))}"


def _first_line(value: object) -> str:
    return str(value or "").strip().partition("\n")[0]
