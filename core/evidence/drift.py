# SPDX-License-Identifier: Apache-2.0
"""How the PCC of a cell moves over all of its results, shown as a row of bars."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean

from core.base.checked_numbers import day_of
from core.base.text import bars, pcc_text
from core.evidence.observation import Observation

_LEAST, _BARS = 3, 30
"""Fewer values show no course; more bars do not fit beside the text."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The PCC of one cell over time."""

    arch: str
    numbers: tuple[float, ...]
    """Means of up to 30 equally long stretches of results, oldest first."""
    first: float
    """When the first of these results was made, in seconds since the epoch."""
    results: int

    @property
    def text(self) -> str:
        """`▇▇▆▅▃▁ .9934 to .9812 in 180 results since 2026-05-27`; the lowest bar is the lowest mean."""
        since = day_of(self.first) or "an unknown day"
        course = f"{_number(self.numbers[0])} to {_number(self.numbers[-1])}"
        return f"{bars(self.numbers)} {course} in {self.results:,} results since {since}"


def drifts_of(seen: Mapping[str, Sequence[Observation]]) -> Mapping[str, Drift]:
    """The drift on each arch that has one, from the results of one test by arch."""
    found = ((arch, drift_of(arch, rows)) for arch, rows in seen.items())
    return {arch: drift for arch, drift in found if drift is not None}


def drift_of(arch: str, rows: Iterable[Observation]) -> Drift | None:
    """The drift over the results of one cell, oldest first; None if fewer than three have a PCC.

    A PCC that only means "close enough" does not count, nor does NaN.
    """
    known = [(row.when, row.pcc) for row in rows if row.pcc is not None and isfinite(row.pcc) and not row.shortcut]
    if len(known) < _LEAST:
        return None
    count = min(_BARS, len(known))
    ends = [len(known) * at // count for at in range(count + 1)]
    means = (fmean(pcc for _, pcc in known[ends[at] : ends[at + 1]]) for at in range(count))
    return Drift(arch, tuple(means), known[0][0], len(known))


def _number(pcc: float) -> str:
    return pcc_text(pcc).replace("0.", ".", 1)
