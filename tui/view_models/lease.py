# SPDX-License-Identifier: Apache-2.0
"""How long the machine is still there: a word for the title, and a warning before the end."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.hosts import time_text

if TYPE_CHECKING:
    from core.hosts import Lease

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
