# SPDX-License-Identifier: Apache-2.0
"""How long the machine is still there: a word for the title, a warning before the end, and what fits into it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.hosts import time_text
from core.text import counted, one_line

if TYPE_CHECKING:
    from core.hosts import Lease
    from core.sessions import SessionPlan

_FEW = 5
_WARN_AT = (5 * 60, 30 * 60)
"""Seconds before the end."""


class LeaseWords(NamedTuple):
    """What is said of a lease."""

    title: str
    warning: str
    """Changes when there is something new to warn of; empty: there is time."""


def lease_words(lease: Lease, now: datetime) -> LeaseWords:
    """`3 h 5 min left`; warned is 30 and 5 minutes before the end, and at the end."""
    left = lease.left(now)
    if not left:
        return LeaseWords("lease over", f"The lease of {lease.host} has ended. No run starts here any more.")
    bound = next((bound for bound in _WARN_AT if left <= bound), None)
    if bound is None:
        return LeaseWords(f"{time_text(left)} left", "")
    warning = f"The lease of {lease.host} ends in less than {time_text(bound)}. Runs that take longer do not start."
    return LeaseWords(f"! {time_text(left)} left", warning)


def session_lines(plan: SessionPlan) -> list[str]:
    """What fits, what does not, and the first few cells with why they are worth a run."""
    guessed = sum(not one.candidate.known for one in plan.placed)
    lines = [
        f"{counted(len(plan.placed), 'cell')} in {plan.machine_seconds / 60:,.0f} machine minutes, "
        f"{plan.free_seconds / 60:,.0f} min free; {counted(len(plan.left_over), 'cell')} left over"
    ]
    if guessed:
        lines.append(f"the time of {counted(guessed, 'cell')} is a guess")
    for one in plan.placed[:_FEW]:
        lines.append(f"{one.candidate.arch} {one_line(one.candidate.id)}: {'; '.join(one.candidate.why)}")
    return lines
