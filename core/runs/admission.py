# SPDX-License-Identifier: Apache-2.0
"""Which of the runs that wait may start beside those that go on: a pure choice, in the order of the queue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.runs.claims import EVERYTHING
from core.runs.spec import RunSpec

_GROWING_SECONDS = 30.0
"""For so long after its start, a run is taken to have most of its memory still to ask for."""


@dataclass(frozen=True, slots=True)
class Going:
    """A run that has started."""

    spec: RunSpec
    seconds: float
    """How long ago."""


def next_run(waiting: Iterable[RunSpec], going: Sequence[Going], free_memory: int) -> RunSpec | None:
    """The first of `waiting` that may start now; `free_memory` is in bytes.

    Runs of different slots do not hold each other up; within one, nobody overtakes whoever lacks memory.
    """
    promised = sum(one.spec.memory for one in going if one.seconds < _GROWING_SECONDS)
    short: set[str] = set()
    full: set[tuple[str, int]] = set()
    for spec in waiting:
        # Of thousands that wait, nearly all are told by one look at those before them.
        if spec.slots in short or (spec.slots, spec.slot_count) in full:
            continue
        if not _has_slot(spec, going):
            full.add((spec.slots, spec.slot_count))
            continue
        if not _has_devices(spec, going):
            continue
        # One run at a time may try its luck: somebody has to be first.
        if any(one.spec.slots == spec.slots for one in going) and free_memory - promised < spec.memory:
            short.add(spec.slots)
            continue
        return spec
    return None


def _has_slot(spec: RunSpec, going: Sequence[Going]) -> bool:
    return not spec.slot_count or sum(one.spec.slots == spec.slots for one in going) < spec.slot_count


def _has_devices(spec: RunSpec, going: Sequence[Going]) -> bool:
    taken = {device for one in going for device in one.spec.devices}
    if not spec.devices or not taken:
        return True
    return EVERYTHING not in taken.union(spec.devices) and taken.isdisjoint(spec.devices)
