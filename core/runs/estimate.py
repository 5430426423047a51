# SPDX-License-Identifier: Apache-2.0
"""How long runs will take: from our own earlier runs of the test, else from CI's `.test_durations`."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.model import node_id
from core.runs.outcome import HARMLESS, Outcome
from core.runs.record import RunRecord
from core.runs.spec import RunSpec

_TELLING = HARMLESS | {Outcome.FAIL}
_NEWEST = 5


def with_estimates(
    specs: Sequence[RunSpec], records: Iterable[RunRecord], durations: Mapping[str, float]
) -> list[RunSpec]:
    """`specs` with what is known of their time; `records` are newest first, `durations` are seconds by node id.

    CI measures device runs only.
    """
    history: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if record.outcome in _TELLING and record.seconds:
            history.setdefault((record.spec.test_id, record.spec.kind), []).append(record.seconds)
    return [replace(spec, estimate=_estimate(spec, history, durations)) for spec in specs]


def remaining(records: Iterable[RunRecord], now: float) -> float | None:
    """Seconds until the last of these runs will have ended, with as many at a time as their slots allow.

    `now` is in seconds since the epoch. None where nothing is known of one that has not ended.
    """
    left: dict[str, list[float]] = {}
    widths: dict[str, int] = {}
    for record in records:
        if record.active:
            if record.spec.estimate is None:
                return None
            gone = now - record.started if record.started is not None else 0.0
            left.setdefault(record.spec.slots, []).append(max(0.0, record.spec.estimate - gone))
            widths[record.spec.slots] = max(1, record.spec.slot_count)
    return max((max(max(seconds), sum(seconds) / widths[slot]) for slot, seconds in left.items()), default=0.0)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far batches have come."""

    total: int
    left: int
    """Runs that have not ended."""
    seconds: float | None
    """Until they will have; None where nothing is known of one of them."""


def progress(records: Sequence[RunRecord], now: float) -> Progress:
    """Of all batches that have a run left; `now` is in seconds since the epoch."""
    going = {record.spec.batch for record in records if record.active}
    members = [record for record in records if record.spec.batch in going]
    left = sum(record.active for record in members)
    return Progress(len(members), left, remaining(members, now))


def _estimate(
    spec: RunSpec, history: Mapping[tuple[str, str], Sequence[float]], durations: Mapping[str, float]
) -> float | None:
    own = history.get((spec.test_id, spec.kind), ())[:_NEWEST]
    if own:
        return statistics.median(own)
    return durations.get(node_id(spec.function, spec.test_id)) if spec.devices else None
