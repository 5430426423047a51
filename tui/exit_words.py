# SPDX-License-Identifier: Apache-2.0
"""What is said of runs at an end: of a batch, and of the app, which they go on without. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from core.runs.record import RunRecord, RunState
from tui.presentation import counted
from tui.run_look import run_look


def exit_words(pending: int, records: Iterable[RunRecord]) -> str:
    """Lines for the terminal; empty where there is nothing to know."""
    lines = [f"{counted(pending, 'pending change')} kept for the next start."] if pending else []
    if going := going_words(records):
        lines.append(f"Runs go on: {going}. See them: ttmatrix runs --active")
    return "\n".join(lines)


def going_words(records: Iterable[RunRecord]) -> str:
    """`2 running, 5 waiting`: a run that waits for a slot is not one that runs; empty where all are over."""
    states = [record.state for record in records if record.active]
    running = states.count(RunState.RUNNING)
    counts = ((running, "running"), (len(states) - running, "waiting"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def ended_words(records: Sequence[RunRecord]) -> str:
    """What came of runs that have all ended: `3 runs have ended: 2 pass, 1 CRASH`."""
    counts = Counter(run_look(record).word for record in records)
    told = ", ".join(f"{count:,} {word}" for word, count in counts.most_common())
    return f"{counted(len(records), 'run')} {'has' if len(records) == 1 else 'have'} ended: {told}"
