# SPDX-License-Identifier: Apache-2.0
"""What is said once the app has closed: what goes on without it, and what waits for the next start. Pure."""

from collections.abc import Iterable

from core.runs.record import RunRecord, RunState
from tui.presentation import counted


def exit_words(pending: int, records: Iterable[RunRecord]) -> str:
    """Lines for the terminal; empty where there is nothing to know."""
    states = [record.state for record in records if record.active]
    lines = [f"{counted(pending, 'pending change')} kept for the next start."] if pending else []
    if states:
        running = states.count(RunState.RUNNING)
        waiting = f", {len(states) - running:,} waiting" if len(states) > running else ""
        lines.append(f"Runs go on: {running:,} running{waiting}. See them: ttmatrix runs --active")
    return "\n".join(lines)
