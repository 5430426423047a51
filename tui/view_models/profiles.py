# SPDX-License-Identifier: Apache-2.0
"""Tests under several profiles as rows, and all about one of them as lines."""

from collections.abc import Sequence

from core.evidence.analysis import Metric, ProfileCell, ProfileTable, change_text
from core.runs.planning import shown_name
from core.text import counted, one_line
from tui.view_models.runs import run_look
from tui.view_models.style import Cell, TableColumn

_TITLES = {
    Metric.PCC: ("PCC", 12, 0),
    Metric.ATOL: ("atol", 18, 150),
    Metric.COMPILE: ("compile s", 17, 104),
    Metric.RUN: ("run s", 17, 0),
    Metric.SAMPLES: ("samples/s", 15, 130),
    Metric.PEAK: ("peak MB", 15, 88),
}
"""Title, width, and the width of the table from which on a number is shown."""
_MORE_IS_BETTER = frozenset({Metric.PCC, Metric.SAMPLES})
SORTS: Sequence[Metric | None] = (None, *Metric)
"""What rows can be sorted by; None: as they were asked for."""


class ProfileRows:
    """A RowSource over tests and profiles: the median of each number, and its change against the first profile."""

    columns: Sequence[TableColumn] = (
        TableColumn("test", 20, share=2, elide=True),
        TableColumn("profile", 12, share=1, elide=True),
        TableColumn("outcome", 9),
        *(TableColumn(title, width, from_width=least) for title, width, least in _TITLES.values()),
    )

    def __init__(self, table: ProfileTable, sort: Metric | None = None, *, reverse: bool = False) -> None:
        self.table = table
        self.pairs = [(id, profile) for id, row in table.rows.items() for profile in row]
        if sort is not None:
            known = [pair for pair in self.pairs if self._median(pair, sort) is not None]
            known.sort(key=lambda pair: self._median(pair, sort) or 0.0, reverse=reverse)
            self.pairs = [*known, *(pair for pair in self.pairs if self._median(pair, sort) is None)]
        elif reverse:
            self.pairs.reverse()

    def _median(self, pair: tuple[str, str], metric: Metric) -> float | None:
        id, profile = pair
        return self.table.rows[id][profile].numbers[metric].median

    def __len__(self) -> int:
        return len(self.pairs)

    def key(self, position: int) -> str:
        return " ".join(self.pairs[position])

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        id, profile = self.pairs[position]
        cell = self.table.rows[id][profile]
        style = run_look(cell.runs[-1]).style if cell.runs else "dim"
        numbers = (_number(self.table, id, profile, metric) for metric in Metric)
        return (
            [Cell(one_line(id))],
            [Cell(one_line(shown_name(profile)), "" if profile == self.table.profiles[0] else "running")],
            [Cell(cell.outcome or "-", style)],
            *numbers,
        )


def _number(table: ProfileTable, id: str, profile: str, metric: Metric) -> list[Cell]:
    median = table.rows[id][profile].numbers[metric].median
    if median is None:
        return [Cell("")]
    change = change_text(table, id, profile, metric)
    return [Cell(f"{median:.4g} "), Cell(change, _change_style(change, metric))]


def _change_style(change: str, metric: Metric) -> str:
    if not change.startswith(("+", "-")):
        return "dim"
    return "pass" if change.startswith("+") == (metric in _MORE_IS_BETTER) else "fail"


def profile_words(table: ProfileTable, id: str, profile: str) -> list[tuple[str, str]]:
    """A test under one profile, as texts with their styles: each run, and each number of each run."""
    cell = table.rows[id][profile]
    lines = [(f"{id} under {shown_name(profile)}: {counted(len(cell.runs), 'run')}", "heading")]
    for run in cell.runs:
        lines.append((f"  {run.spec.run_id}  {run.outcome or run.state}  {run.summary}", "dim"))
    for metric in Metric:
        lines += _values(table, cell, id, profile, metric)
    return lines


def _values(table: ProfileTable, cell: ProfileCell, id: str, profile: str, metric: Metric) -> list[tuple[str, str]]:
    numbers = cell.numbers[metric]
    if numbers.median is None:
        return []
    change = change_text(table, id, profile, metric)
    base = table.rows[id][table.profiles[0]].numbers[metric].median
    against = f"   against {base:.5g}: {change}" if change and base is not None else ""
    values = ", ".join(f"{one:.5g}" for one in numbers.values)
    return [(f"  {metric:14} {numbers.median:.5g}   of {values}{against}", "")]
