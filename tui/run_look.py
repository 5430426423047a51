# SPDX-License-Identifier: Apache-2.0
"""How runs look: the word and the style of one, and how far all of them have come. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.runs.estimate import Progress
from core.runs.outcome import Outcome
from core.runs.record import RunRecord, RunState
from tui.presentation import seconds_text

_BAR_CELLS = 10


@dataclass(frozen=True, slots=True)
class OutcomeLook:
    """How the state of a run is written."""

    word: str
    style: str


_OUTCOMES = {
    Outcome.PASS: OutcomeLook("pass", "pass"),
    Outcome.FAIL: OutcomeLook("FAIL", "fail"),
    Outcome.XFAIL: OutcomeLook("xfail", "dim"),
    Outcome.SKIP: OutcomeLook("skip", "dim"),
    Outcome.HANG: OutcomeLook("HANG", "fail"),
    Outcome.CRASH: OutcomeLook("CRASH", "fail"),
    Outcome.TIMEOUT: OutcomeLook("TIMEOUT", "fail"),
    Outcome.ERROR: OutcomeLook("ERROR", "fail"),
    Outcome.CANCELLED: OutcomeLook("cancelled", "dim"),
    Outcome.LOST: OutcomeLook("lost", "dim"),
}


def run_look(record: RunRecord) -> OutcomeLook:
    """The word for a run: its outcome once there is one, else its state."""
    if record.outcome is not None:
        return _OUTCOMES[record.outcome]
    if record.state is RunState.RUNNING:
        return OutcomeLook("running", "running")
    return OutcomeLook("held" if record.held else "queued", "dim")


def progress_text(progress: Progress, records: Iterable[RunRecord]) -> str:
    """`█████░░░░░ 3 of 6 done, about 1m20 left · 2 running, 1 waiting`; `records` are all runs."""
    done = progress.total - progress.left
    full = done * _BAR_CELLS // max(1, progress.total)
    eta = f", about {seconds_text(progress.seconds)} left" if progress.seconds else ""
    states = [record.state for record in records if record.active]
    running = states.count(RunState.RUNNING)
    now = f"{running:,} running, {len(states) - running:,} waiting"
    return f"{'█' * full}{'░' * (_BAR_CELLS - full)} {done:,} of {progress.total:,} done{eta} · {now}"
