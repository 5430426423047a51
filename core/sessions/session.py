# SPDX-License-Identifier: Apache-2.0
"""Plan a session: the most valuable runs of tests for the available slots."""

import time
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from core.base.checked_numbers import finite
from core.base.errors import UsageError
from core.evidence.verdicts import Verdicts
from core.hosts import Host, lease_here
from core.runs import TreeReader, changed_since
from core.runs.planning import own_arch
from core.runs.store import RunRecord
from core.sessions.candidates import RankingInput, candidates
from core.sessions.estimates import Estimates
from core.sessions.placing import SessionPlan, Slot, fill, slots_of
from core.sources.ci import read_durations

RECENT_DAYS = 7.0
MOST_HOURS = 24 * 366.0


def hours_if_any(text: str) -> float | None:
    """A number of hours; None: none is typed. Raises UsageError for any other text."""
    return hours_of(text) if text.strip() else None


def hours_of(text: str) -> float:
    """The hours in a duration that a person typed. Raises UsageError for anything else."""
    try:
        hours = finite(float(text))
    except ValueError:
        hours = None
    if hours is None or not 0 < hours <= MOST_HOURS:
        raise UsageError("Type how many hours there are, such as 2", hint="Marked tests, or else visible ones.")
    return hours


class HoursUnknown(UsageError):
    """The duration is missing: no hours are given and no lease is known."""


class ArchUnknown(UsageError):
    """The arch is missing: none is given and no host names one."""


def plan_session(
    verdicts: Verdicts,
    ids: Iterable[str],
    slots: Sequence[Slot],
    arch: str,
    records: Sequence[RunRecord],
    reader: TreeReader,
    recent_days: float = RECENT_DAYS,
) -> SessionPlan:
    """Which runs of tests fit into `slots`, on `arch` or, where it is empty, on the archs that the slots have.

    `records` are the runs of the checkout, newest first. Asks git: not for the UI thread.
    """
    durations, _ = read_durations(reader.checkout)
    estimates = Estimates(verdicts.seen, durations)
    known = RankingInput(verdicts, estimates, changed_since(records, reader), time.time(), recent_days)
    archs = {arch} if arch else frozenset[str]().union(*(one.labels for one in slots))
    return fill(candidates(ids, archs, known), slots)


def session_slots(
    hosts: Sequence[Host], archs: Collection[str], arch: str, hours: float | None, now: datetime
) -> list[Slot]:
    """The slots of hosts for `hours`, or without it until their leases end; only labels in `archs` count.

    If no host has such a label there is one slot of `arch`, on this machine. Raises HoursUnknown
    or ArchUnknown if that is not known.
    """
    if hours is None and not any(one.expires for one in hosts):
        raise HoursUnknown(
            "The length of the session is not known",
            "No host of the hosts file says when its lease ends.",
            "Give --hours.",
        )
    most = float("inf") if hours is None else hours * 3600
    ending = [one for one in hosts if one.expires or hours is not None]
    if any(set(archs).intersection(one.labels) for one in ending):
        return slots_of(ending, frozenset({arch} if arch else archs), most, now)
    # Nothing in the hosts file is an arch: the boards of this machine say what it is.
    arch = arch or own_arch(sorted(archs))
    if not arch:
        hint = "Give --arch, or say it once: ttmatrix hosts add here --local --label ARCH"
        said = "No host of the hosts file has an arch among its labels, and this machine has no boards with one."
        raise ArchUnknown("Which arch?", said, hint)
    lease = lease_here(hosts)
    seconds = min(most, lease.left(now)) if lease else most
    return [Slot("", frozenset({arch}), seconds)] if 0 < seconds < float("inf") else []
