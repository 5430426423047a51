# SPDX-License-Identifier: Apache-2.0
"""How long runs take, from results and CI durations, and how good earlier estimates were."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence import RAN, Observation
from core.runs import HARMLESS, Outcome
from core.runs.store import RunRecord

_NEWEST = 5
_GUESS = 600.0
"""Seconds of a run if no durations at all are known."""
_TELLING = HARMLESS | {Outcome.FAIL}
_NEAR = 1.25
"""An estimate is near if the run took at most this many times as long, and at least its inverse."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How ended runs compare with their estimates."""

    runs: int
    ratio: float | None
    """The median of actual time divided by estimate: above 1, runs take longer. None: no runs."""
    near: float | None
    """The share of runs within `_NEAR` of their estimate."""


def accuracy(records: Iterable[RunRecord], kind: str) -> Accuracy:
    """The accuracy for finished runs of a kind that had an estimate."""
    ratios = [
        record.seconds / record.spec.estimate
        for record in records
        if record.spec.kind == kind and record.outcome in _TELLING and record.seconds and record.spec.estimate
    ]
    if not ratios:
        return Accuracy(0, None, None)
    near = sum(1 / _NEAR <= one <= _NEAR for one in ratios) / len(ratios)
    return Accuracy(len(ratios), statistics.median(ratios), near)


class Estimates:
    """Estimated seconds of runs of cells."""

    def __init__(self, seen: Mapping[str, Mapping[str, Sequence[Observation]]], durations: Mapping[str, float]) -> None:
        """`seen` are results by test id and arch, oldest first; `durations` are seconds by node id."""
        self._seen = seen
        self._durations = durations
        known = [one for id in seen for arch in seen[id] if (one := self._by_results(id, arch)) is not None]
        self.guess = statistics.median(known) if known else statistics.median(durations.values() or [_GUESS])
        """For cells without any duration: the median of all known ones."""

    def of(self, id: str, arch: str, node_id: str) -> float | None:
        """The median of the newest results on the arch, else the CI duration; None: nothing is known."""
        by_results = self._by_results(id, arch)
        return by_results if by_results is not None else self._durations.get(node_id)

    def _by_results(self, id: str, arch: str) -> float | None:
        rows = self._seen.get(id, {}).get(arch, ())
        newest = [row.seconds for row in rows if row.ending in RAN and row.seconds > 0][-_NEWEST:]
        return statistics.median(newest) if newest else None
