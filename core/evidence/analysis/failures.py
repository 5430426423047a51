# SPDX-License-Identifier: Apache-2.0
"""What fails now: the newest failure of each cell, with the first result of it."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from core.base.checked_numbers import MOST_AHEAD
from core.domain.model import Function
from core.evidence.observation import FAILURES, Ending, Observation
from core.evidence.results import Results

_DAY = 86_400.0
"""In seconds."""


class CellFailure(NamedTuple):
    """The newest failure of one cell."""

    row: Observation
    began: Observation
    """The first result of it."""
    lately: bool
    """Whether it is from the last day that has results of any cell."""

    def named(self, id: str) -> "CellFailure":
        """The same with another id of its test."""
        if id == self.row.test_id:
            return self
        return self._replace(row=replace(self.row, test_id=id), began=replace(self.began, test_id=id))


def last_failures(results: Results) -> Iterator[CellFailure]:
    """The failure of each cell whose newest result is one, and of each that failed on the last day with results.

    So a flaky test is there too that has passed since. What failed first and passed when it was repeated is a failure.
    """
    # A result from a wrong clock, which earlier versions have stored, is from no day.
    newest, possible = results.newest(), time.time() + MOST_AHEAD
    last = max((row.when for row in newest if row.when <= possible), default=0.0) - _DAY
    found = {row.cell: row for row in newest if row.ending in _FAILED and row.reason}
    for row in results.failed_after(last):
        if row.reason and not row.profile:
            found.setdefault(row.cell, row)
    return _with_began(results, found.values(), last)


_FAILED = FAILURES | {Ending.FLAKY}


def _with_began(results: Results, rows: Iterable[Observation], last: float) -> Iterator[CellFailure]:
    by_function: dict[Function, dict[str, list[Observation]]] = {}
    for row in rows:
        by_function.setdefault(Function(row.function), {}).setdefault(row.test_id, []).append(row)
    for function, tests in by_function.items():
        for id, series in results.series(tests, {function}):
            for row in tests[id]:
                yield CellFailure(row, series[row.arch].began(row), row.when > last)
