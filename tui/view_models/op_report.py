# SPDX-License-Identifier: Apache-2.0
"""Numbers about op cases, by backend, as rows: rates, coverage, what dedupe saves, stability, time, last nights."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.base.text import one_line, significant
from core.evidence.analysis import BackendNumbers, Night
from core.evidence.progress import day_text
from tui.view_models.style import Cell, TableColumn

_NIGHTS = 5


class OpReport(NamedTuple):
    """The results of the op cases of a checkout, summed up."""

    numbers: Sequence[BackendNumbers] = ()
    nights: Mapping[str, Sequence[Night]] = {}
    """By backend, oldest first."""

    @property
    def days(self) -> list[int]:
        """The last days with results on any backend."""
        return sorted({one.day for found in self.nights.values() for one in found})[-_NIGHTS:]


NO_OP_RESULTS = OpReport()


def op_columns(report: OpReport) -> list[TableColumn]:
    """One for each number, then one for each of the last nights: the oldest ones give way first."""
    days = report.days
    return [
        TableColumn("backend", 10),
        TableColumn("cases", 6, right=True, yields=2),
        TableColumn("passed", 6, right=True),
        TableColumn("failed", 6, right=True),
        TableColumn("rate", 5, right=True),
        TableColumn("coverage", 12, right=True, yields=1),
        TableColumn("saved", 6, right=True, yields=3),
        TableColumn("steady", 6, right=True, yields=3),
        TableColumn("s/case", 7, right=True, yields=2),
        *(TableColumn(day_text(day)[5:], 9, right=True, yields=10 + len(days) - at) for at, day in enumerate(days)),
    ]


def op_cells(report: OpReport, one: BackendNumbers) -> list[list[Cell]]:
    """The cells of one backend."""
    total, found = one.total, {night.day: night for night in report.nights.get(one.backend, ())}
    failed = total.failed + total.errors
    seconds = total.seconds_per_case
    return [
        [Cell(one_line(one.backend), "running")],
        [Cell(f"{total.cases:,}")],
        [Cell(f"{total.passed:,}", "pass" if total.passed else "dim")],
        [Cell(f"{failed:,}", "fail" if failed else "dim")],
        [Cell(_percent(total.pass_rate))],
        [Cell(f"{one.enabled} of {one.ops} ops", "dim")],
        [Cell(_percent(total.saved), "dim")],
        [Cell(_percent(one.steadiness.rate), "dim")],
        [Cell("" if seconds is None else significant(seconds, 2), "dim")],
        *([_night(found.get(day))] for day in report.days),
    ]


def _night(one: Night | None) -> Cell:
    if one is None or not one.ran:
        return Cell("·", "dim")
    return Cell(f"{one.passed:,}/{one.ran:,}", "pass" if one.passed == one.ran else "fail")


def _percent(share: float | None) -> str:
    """Never rounded up to 100."""
    return "·" if share is None else f"{int(share * 100)}%"
