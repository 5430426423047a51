# SPDX-License-Identifier: Apache-2.0
"""Plan a session: the most valuable runs of tests for the available slots."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.base.checked_numbers import finite
from core.base.errors import UsageError
from core.base.text import counted
from core.domain.model import node_id
from core.evidence import RAN
from core.evidence.proposals import lacking_results
from core.evidence.verdicts import Judgement, Verdicts
from core.hosts import Host, lease_here
from core.runs import TreeReader, changed_since
from core.runs.planning import own_arch
from core.runs.store import RunRecord
from core.sessions.estimates import Estimates
from core.sessions.placing import Candidate, SessionPlan, Slot, fill, slots_of
from core.sources.ci import read_durations

_CHANGED, _LACKS, _NEVER, _OLD = 8, 4, 2, 1
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What is known of cells."""

    verdicts: Verdicts
    estimates: Estimates
    changed: Collection[str]
    """The tests whose code has changed since their newest run."""
    now: float
    """Seconds since the epoch."""
    recent_days: float = 7.0
    """A result counts as recent for this many days."""


def candidates(ids: Iterable[str], archs: Collection[str], known: RankingInput) -> Iterator[Candidate]:
    """The cells of tests on `archs` that are worth a run. Cells with recent results and a verdict are left out."""
    for judgements in known.verdicts.of_each(ids):
        for one in judgements:
            if one.arch in archs and (found := _candidate(one, known)):
                yield found


def _candidate(one: Judgement, known: RankingInput) -> Candidate | None:
    rows = known.verdicts.seen.get(one.id, {}).get(one.arch, ())
    ran = [row for row in rows if row.ending in RAN]
    lacks = lacking_results(one, known.verdicts.policy.minimum_runs)
    reasons = list(_reasons(one, [row.when for row in ran], lacks, known))
    if not reasons:
        return None
    matrix = known.verdicts.matrix
    seconds = known.estimates.of(one.id, one.arch, node_id(matrix.function(matrix.rows[one.id]), one.id))
    value, why = sum(weight for weight, _ in reasons), tuple(text for _, text in reasons)
    length = known.estimates.guess if seconds is None else seconds
    return Candidate(one.id, one.arch, length, seconds is not None, value, why, max(1, lacks))


def _reasons(one: Judgement, when: Sequence[float], lacks: int, known: RankingInput) -> Iterator[tuple[int, str]]:
    if one.id in known.changed:
        yield _CHANGED, "its code has changed since its newest run"
    if lacks and when:
        yield _LACKS, f"{counted(lacks, 'result')} short of a verdict"
    if not when:
        yield _NEVER, "no result"
    elif (days := (known.now - max(when)) / _DAY) > known.recent_days:
        yield _OLD, f"newest result {days:,.0f} days old"


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
