# SPDX-License-Identifier: Apache-2.0
"""How runs look: the word and the style of one, and how far all of them have come. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.matrix.table_columns import RUN_KINDS
from core.runs.ages import Age, newest_by_test
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


def run_look(record: RunRecord, age: Age | None = None) -> OutcomeLook:
    """The word for a run: its outcome once there is one, else its state; dim and with a mark where it has an `age`."""
    if record.outcome is not None:
        look = _OUTCOMES[record.outcome]
        return OutcomeLook(f"{look.word}{age.mark}", "dim") if age else look
    if record.state is RunState.RUNNING:
        return OutcomeLook("running", "running")
    return OutcomeLook("held" if record.held else "queued", "dim")


def last_runs(records: Sequence[RunRecord], ages: Mapping[str, Age]) -> dict[str, dict[str, OutcomeLook]]:
    """How the newest runs look, by column of runs, then by test id; `records` are newest first, `ages` by run id."""
    return {
        name: {
            id: run_look(record, ages.get(record.spec.run_id)) for id, record in newest_by_test(records, kind).items()
        }
        for name, kind in RUN_KINDS.items()
    }


def progress_text(progress: Progress, records: Iterable[RunRecord]) -> str:
    """`█████░░░░░ 3 of 6 done, about 1m20 left · 2 running, 1 waiting`; `records` are all runs."""
    done = progress.total - progress.left
    full = done * _BAR_CELLS // max(1, progress.total)
    eta = f", about {seconds_text(progress.seconds)} left" if progress.seconds else ""
    states = [record.state for record in records if record.active]
    running = states.count(RunState.RUNNING)
    now = f"{running:,} running, {len(states) - running:,} waiting"
    return f"{'█' * full}{'░' * (_BAR_CELLS - full)} {done:,} of {progress.total:,} done{eta} · {now}"
