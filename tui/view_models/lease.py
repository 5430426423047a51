# SPDX-License-Identifier: Apache-2.0
"""The time left on machines: words for the title, and warnings before the end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.hosts import Lease, time_text

if TYPE_CHECKING:
    from core.hosts import Host
    from core.runs.cluster import ClusterStatus

_WARN_AT = (5 * 60, 30 * 60)
"""Seconds before the end at which a warning is given."""


class LeaseWords(NamedTuple):
    """The texts about a lease."""

    title: str
    warning: str
    """Changes whenever a new warning is due; empty: enough time is left."""


def lease_words(lease: Lease, now: datetime, *, here: bool = True) -> LeaseWords:
    """`3 h 5 min left`; warnings come 30 and 5 minutes before the end, and at the end. `here`: it is this machine."""
    left, name = lease.left(now), "" if here else f"{lease.host}: "
    if not left:
        where = "here" if here else "there"
        return LeaseWords(f"{name}lease over", f"The lease of {lease.host} has ended. No run starts {where} any more.")
    bound = next((bound for bound in _WARN_AT if left <= bound), None)
    if bound is None:
        return LeaseWords(f"{name}{time_text(left)} left", "")
    warning = f"The lease of {lease.host} ends in less than {time_text(bound)}. Runs that take longer do not start."
    return LeaseWords(f"! {name}{time_text(left)} left", warning)


def leases_words(hosts: Sequence[Host], status: ClusterStatus | None, now: datetime) -> tuple[str, tuple[str, ...]]:
    """The title for the lease that ends first, of this machine and of hosts that are up, and the warnings of all."""
    up = {one.name for one in status.hosts} if status else set()
    leases = [(Lease(one.name, one.expires), one.here) for one in hosts if one.expires and (one.here or one.name in up)]
    # The next lease to end matters more than one that has ended.
    leases.sort(key=lambda pair: (not pair[0].left(now), pair[0].ends))
    words = [lease_words(lease, now, here=here) for lease, here in leases]
    return words[0].title if words else "", tuple(one.warning for one in words if one.warning)
