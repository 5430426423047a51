# SPDX-License-Identifier: Apache-2.0
"""Decide which run starts next, and where: slots, devices, memory, labels and leases. Pure; nothing is started here."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from core.hosts import Lease
from core.runs.leases import EVERYTHING
from core.runs.spec import RunSpec
from core.runs.store import Ticket

_GROWING_SECONDS = 30.0
"""For so many seconds after its start, a run is assumed to need most of its memory still."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one run at a time on a host; on this machine, for as many as their own slots and devices allow."""

    host: str = ""
    """Empty: this machine."""
    number: int = 0
    labels: frozenset[str] = frozenset()
    lease: Lease | None = None
    """How long the machine is available; None: for good."""
    taken: bool = False
    memory: int = 0
    """Bytes that the host has, for all its slots; 0: unknown, as for this machine, where free memory counts."""

    def takes(self, spec: RunSpec) -> bool:
        """Whether the run may be executed there at all: without `needs` it stays on this machine."""
        return spec.needs in self.labels if spec.needs else not self.host

    def fits(self, spec: RunSpec, now: datetime) -> bool:
        """Whether the run will have ended before the lease does."""
        return self.lease is None or self.lease.fits(spec.estimate, now)


HERE = Slot()
"""This machine, without labels and without a lease."""


@dataclass(frozen=True, slots=True)
class Going:
    """A run in progress."""

    spec: RunSpec
    seconds: float
    """Seconds since its start."""
    host: str = ""
    """The host; empty: this machine."""


class Chosen(NamedTuple):
    """The run to start, and its slot."""

    spec: RunSpec
    slot: Slot


class Line:
    """The waiting runs. Those with the same requirements form a lane, of which nearly always only the first matters."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[object, ...], list[tuple[tuple[int, float, str], str]]] = {}
        self._waiting: dict[str, tuple[Ticket, RunSpec]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, ticket: Ticket, spec: RunSpec) -> None:
        """Add a run, or move it to the place that its ticket now gives."""
        known = self._waiting.get(ticket.run_id)
        self._waiting[ticket.run_id] = ticket, spec
        if known is None or known[0].rank != ticket.rank:
            heapq.heappush(self._lanes.setdefault(_lane(spec), []), (ticket.rank, ticket.run_id))

    def remove(self, run_id: str) -> None:
        """Remove a run."""
        self._waiting.pop(run_id, None)

    def heads(self, fits: Callable[[RunSpec], bool]) -> list[RunSpec]:
        """The first run of each lane that `fits` and is not on hold, in the order of their turn."""
        found: list[tuple[tuple[int, float, str], RunSpec]] = []
        for key, lane in list(self._lanes.items()):
            passed: list[tuple[tuple[int, float, str], str]] = []
            while lane:
                rank, run_id = lane[0]
                ticket, spec = self._waiting.get(run_id, (None, None))
                if ticket is None or spec is None or ticket.rank != rank:
                    # It has been removed or moved.
                    heapq.heappop(lane)
                elif ticket.held or not fits(spec):
                    passed.append(heapq.heappop(lane))
                else:
                    found.append((rank, spec))
                    break
            for one in passed:
                heapq.heappush(lane, one)
            if not lane:
                del self._lanes[key]
        return [spec for _, spec in sorted(found, key=lambda one: one[0])]


def _lane(spec: RunSpec) -> tuple[object, ...]:
    return spec.needs, spec.slots, spec.slot_count, spec.devices, spec.claims, spec.memory


def next_of(
    line: Line,
    going: Sequence[Going],
    free_memory: int,
    slots: Sequence[Slot],
    now: datetime,
    avoided: Mapping[str, frozenset[str]],
) -> Chosen | None:
    """The next run of `line` to start. A run that would outlast every lease waits until one is extended.

    `avoided` has, by run, the hosts that failed it: they are used again only if no other host has the label.
    """

    if all(one.taken for one in slots):
        return None

    def fits(spec: RunSpec) -> bool:
        return any(one.takes(spec) and one.fits(spec, now) for one in slots)

    return next_start(line.heads(fits), going, free_memory, slots, lambda spec, slot: slot.fits(spec, now), avoided)


def next_start(
    waiting: Iterable[RunSpec],
    going: Sequence[Going],
    free_memory: int,
    slots: Sequence[Slot],
    may_go: Callable[[RunSpec, Slot], bool] = lambda *_: True,
    avoided: Mapping[str, frozenset[str]] | None = None,
) -> Chosen | None:
    """The first of `waiting` that can start now on this machine or a host; `free_memory` is in bytes.

    Runs of different slots do not block each other; within one, a job waiting for memory blocks later jobs (no
    overtaking). `may_go` says whether a lease leaves enough time for a run; for `avoided` see `next_of`.
    """
    room = _Here([one for one in going if not one.host], free_memory)
    there = Counter[str]()
    for one in going:
        there[one.host] += one.spec.memory
    # A host without runs accepts a run that seems too large: one has to be first, as on this machine.
    busy = {one.host for one in going}
    # Which environment its interpreter has is only known there, and it has one interpreter.
    changed = {one.host for one in going if one.host and one.spec.changes_packages}

    def has_room(spec: RunSpec, slot: Slot) -> bool:
        known = slot.memory and slot.host in busy
        fits = not known or there[slot.host] + spec.memory <= slot.memory
        return may_go(spec, slot) and fits and not (slot.host in changed and spec.changes_packages)

    for spec in waiting:
        if slot := _slot_for(spec, slots, room, has_room, (avoided or {}).get(spec.run_id, frozenset())):
            return Chosen(spec, slot)
    return None


def _slot_for(
    spec: RunSpec,
    slots: Sequence[Slot],
    room: "_Here",
    may_go: Callable[[RunSpec, Slot], bool],
    avoided: frozenset[str],
) -> Slot | None:
    if not spec.needs:
        here = next((one for one in slots if one.takes(spec)), None)
        return here if here and may_go(spec, here) and room.takes(spec) else None
    able = [one for one in slots if one.takes(spec) and may_go(spec, one)]
    able = [one for one in able if one.host not in avoided] or [one for one in able if one.host]
    free = [one for one in able if not one.taken and (one.host or room.takes(spec))]
    # Hosts with more labels are left to the runs that need them.
    return min(free, key=lambda one: (len(one.labels), one.host, one.number), default=None)


class _Here:
    """The free capacity of this machine."""

    def __init__(self, going: Sequence[Going], free_memory: int) -> None:
        self._going = going
        self._free = free_memory - sum(one.spec.memory for one in going if one.seconds < _GROWING_SECONDS)
        self._short: set[str] = set()
        self._full: set[tuple[str, int]] = set()

    def takes(self, spec: RunSpec) -> bool:
        """Whether a run may start here; called for the runs in the order of their turn."""
        # Of thousands of waiting runs, nearly all are decided by slots already found full or short of memory.
        if spec.slots in self._short or (spec.slots, spec.slot_count) in self._full:
            return False
        if not self._has_slot(spec):
            self._full.add((spec.slots, spec.slot_count))
            return False
        if not self._has_devices(spec):
            return False
        # With no other run in its slots, a run may start whatever memory is free: one has to be first.
        if any(one.spec.slots == spec.slots for one in self._going) and self._free < spec.memory:
            self._short.add(spec.slots)
            return False
        return True

    def _has_slot(self, spec: RunSpec) -> bool:
        return not spec.slot_count or sum(one.spec.slots == spec.slots for one in self._going) < spec.slot_count

    def _has_devices(self, spec: RunSpec) -> bool:
        if any(not {*one.spec.claims}.isdisjoint(spec.claims) for one in self._going):
            return False
        taken = {device for one in self._going for device in one.spec.devices}
        if not spec.devices or not taken:
            return True
        return EVERYTHING not in taken.union(spec.devices) and taken.isdisjoint(spec.devices)
