# SPDX-License-Identifier: Apache-2.0
"""Which runs fit into the time of some slots: pure, most valuable first, none beyond the end of its slot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.hosts import Host


@dataclass(frozen=True, slots=True)
class Candidate:
    """Runs of one cell that would be worth having."""

    id: str
    arch: str
    seconds: float
    """Of one run."""
    known: bool
    """Whether `seconds` comes from earlier runs or CI; else it is a guess."""
    value: int
    """Greater goes first."""
    why: tuple[str, ...]
    """What makes it worth running, the strongest first."""
    runs: int = 1
    """How many it takes."""

    @property
    def total(self) -> float:
        """Seconds of all its runs."""
        return self.seconds * self.runs


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one run at a time, on a machine, for some time."""

    host: str
    labels: frozenset[str]
    """The archs of its machine; empty: any."""
    seconds: float

    def takes(self, arch: str) -> bool:
        """Whether cells of `arch` run there."""
        return not self.labels or arch in self.labels


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate and where it was placed."""

    candidate: Candidate
    host: str
    slot: int
    """Index of the slot in the given sequence."""
    begin: float
    """Seconds from now."""

    @property
    def end(self) -> float:
        """Seconds from now."""
        return self.begin + self.candidate.total


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A candidate that does not fit."""

    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """Placed and left-over candidates, each in order of value."""

    placed: tuple[Placed, ...]
    left_over: tuple[LeftOver, ...]
    slots: tuple[Slot, ...]

    @property
    def machine_seconds(self) -> float:
        """The time of all runs added up."""
        return sum(one.candidate.total for one in self.placed)

    @property
    def free_seconds(self) -> float:
        """The time of the slots that is left."""
        return sum(one.seconds for one in self.slots) - self.machine_seconds

    @property
    def seconds(self) -> float:
        """Until the last run ends."""
        return max((one.end for one in self.placed), default=0.0)


def slots_of(hosts: Iterable[Host], archs: frozenset[str], most: float, now: datetime) -> list[Slot]:
    """The slots of hosts that have one of `archs`, each for `most` seconds or what is left of its lease.

    The labels that are archs count. A host without such labels, and one whose lease has ended, has no slot.
    """
    found = []
    for host in hosts:
        labels, left = archs.intersection(host.labels), host.time_left(now)
        seconds = most if left is None else min(most, left)
        if labels and seconds > 0:
            found += [Slot(host.name, labels, seconds)] * host.slots
    return found


def fill(candidates: Iterable[Candidate], slots: Sequence[Slot]) -> SessionPlan:
    """Take candidates by value, short ones first among equals, and give each to the slot that is free first.

    A candidate that no longer fits is left over; smaller ones after it may still fit.
    """
    taken = [0.0] * len(slots)
    placed: list[Placed] = []
    left_over: list[LeftOver] = []
    for one in sorted(candidates, key=lambda one: (-one.value, one.total, one.id, one.arch)):
        fitting = [at for at, slot in enumerate(slots) if slot.takes(one.arch)]
        at = min(
            (at for at in fitting if taken[at] + one.total <= slots[at].seconds),
            key=lambda at: (taken[at], at),
            default=None,
        )
        if at is None:
            room = max((slots[at].seconds - taken[at] for at in fitting), default=None)
            left_over.append(LeftOver(one, _why_not(one, room)))
        else:
            placed.append(Placed(one, slots[at].host, at, taken[at]))
            taken[at] += one.total
    return SessionPlan(tuple(placed), tuple(left_over), tuple(slots))


def _why_not(one: Candidate, room: float | None) -> str:
    if room is None:
        return f"no machine has {one.arch}"
    return f"takes {one.total / 60:,.0f} min, and {room / 60:,.0f} min are left"
