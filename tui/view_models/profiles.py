# SPDX-License-Identifier: Apache-2.0
"""Tests under several profiles as rows, and the details of one of them as lines."""

from collections.abc import Sequence
from typing import NamedTuple

from core.base.text import counted, one_line, significant
from core.evidence.analysis import Change, Metric, ProfileTable, Shift, better
from core.runs.planning import shown_name
from tui.view_models.rows import Row, Rows
from tui.view_models.runs import run_look
from tui.view_models.style import Cell, TableColumn

_TITLES = {
    Metric.PCC: ("PCC", "PCC"),
    Metric.ATOL: ("atol", "atol"),
    Metric.COMPILE: ("compile s", "comp s"),
    Metric.RUN: ("run s", "run s"),
    Metric.SAMPLES: ("samples/s", "smpl/s"),
    Metric.PEAK: ("peak MB", "peak MB"),
}
"""Headings of the numbers, and abbreviations."""
_SIGNS = {Shift.MORE: "▲", Shift.LESS: "▼", Shift.NOISE: "=", Shift.UNKNOWN: "?"}
_DIGITS = 6
"""Width of a number in cells."""
SORTS: Sequence[Metric | None] = (None, *Metric)
"""Sort orders of rows; None: the requested order."""


class _Layout(NamedTuple):
    """The columns that fit into a row: each number with its change, or only with more or less."""

    columns: Sequence[TableColumn]
    wide: bool

    @property
    def width(self) -> int:
        """Width in cells, including one before each column and one for the mark."""
        return 1 + sum(column.width + 1 for column in self.columns)


def _layout(test: int, profile: int, outcome: int, change: int, *, wide: bool) -> _Layout:
    numbers = (
        TableColumn((long if wide else short).rjust(_DIGITS), _DIGITS + change) for long, short in _TITLES.values()
    )
    first = (
        TableColumn("test", test, share=2, elide=True, ids=True),
        TableColumn("profile", profile, elide=True),
        TableColumn("outcome" if wide else "result", outcome),
    )
    return _Layout((*first, *numbers), wide)


_WIDE = _layout(14, 10, 7, len(" +9.9%?"), wide=True)
_NARROW = _layout(12, 9, 6, len("▲"), wide=False)


Tried = tuple[str, str]
"""A test and a profile."""


def profile_rows(
    table: ProfileTable, sort: Metric | None = None, *, reverse: bool = False, width: int = _WIDE.width
) -> Rows[Tried]:
    """Tests and profiles: the median of each number, and its change against the first profile.

    `width` is that of the table, in cells.
    """
    layout = _WIDE if width >= _WIDE.width else _NARROW

    def cells(pair: Tried) -> Row:
        id, profile = pair
        cell = table.rows[id][profile]
        style = run_look(cell.by_outcome[0]).style if cell.runs else "dim"
        return (
            [Cell(one_line(id))],
            [Cell(one_line(shown_name(profile)), "" if profile == table.profiles[0] else "running")],
            [Cell(cell.outcome or "-", style)],
            *(_number(table, pair, metric, wide=layout.wide) for metric in Metric),
        )

    pairs = _in_order(table, sort, reverse=reverse)
    first = table.profiles[0]
    # Each test once.
    return Rows(pairs, layout.columns, cells, key=" ".join, id=lambda pair: pair[0] if pair[1] == first else "")


def _in_order(table: ProfileTable, sort: Metric | None, *, reverse: bool) -> list[Tried]:
    pairs = [(id, profile) for id, row in table.rows.items() for profile in row]
    if sort is None:
        return pairs[::-1] if reverse else pairs
    known = [pair for pair in pairs if _median(table, pair, sort) is not None]
    known.sort(key=lambda pair: _median(table, pair, sort) or 0.0, reverse=reverse)
    return [*known, *(pair for pair in pairs if _median(table, pair, sort) is None)]


def _median(table: ProfileTable, pair: Tried, metric: Metric) -> float | None:
    id, profile = pair
    return table.rows[id][profile].numbers[metric].median


def _number(table: ProfileTable, pair: Tried, metric: Metric, *, wide: bool) -> list[Cell]:
    median = _median(table, pair, metric)
    if median is None:
        return [Cell("")]
    number = Cell(short_number(median).rjust(_DIGITS))
    change = table.change(*pair, metric)
    if change is None:
        return [number, Cell("")]
    text = f" {_short_change(change)}" if wide else _SIGNS[change.shift]
    return [number, Cell(text, _style(change, metric))]


def short_number(number: float) -> str:
    """A number in at most six characters, with as many of its first four digits as fit."""
    if 1000 <= abs(number) < 10**_DIGITS - 1:
        return f"{number:.0f}"
    texts = (significant(number, digits).replace("e-0", "e-").replace("e+0", "e") for digits in (4, 3, 2, 1))
    return next((text for text in texts if len(text) <= _DIGITS), f"{number:.0e}")


def _short_change(change: Change) -> str:
    if change.shift is Shift.NOISE:
        return str(change)
    part = f"{change.part:+.0%}" if abs(change.part) >= 0.0995 else f"{change.part:+.1%}"
    return f"{part}?" if change.shift is Shift.UNKNOWN else part


def _style(change: Change, metric: Metric) -> str:
    if change.shift not in (Shift.MORE, Shift.LESS):
        return "dim"
    return "pass" if (change.shift is Shift.MORE) == (better(metric) > 0) else "fail"


def profile_words(table: ProfileTable, id: str, profile: str) -> list[tuple[str, str]]:
    """A test under one profile, as texts with their styles: each run, and each number of each run."""
    cell = table.rows[id][profile]
    lines = [(f"{id} under {shown_name(profile)}: {counted(len(cell.runs), 'run')}", "heading")]
    for run in cell.runs:
        lines.append((f"  {run.spec.run_id}  {run.outcome or run.state}  {run.summary}", "dim"))
    for metric in Metric:
        if text := _number_words(table, id, profile, metric):
            lines.append((f"  {metric:14} {text}", ""))
    return lines


def _number_words(table: ProfileTable, id: str, profile: str, metric: Metric) -> str:
    """`0.122, the median of 3 runs (0.12, 0.122, 0.124): 39.6% less than the 0.202 of default`; empty: no number."""
    numbers = table.rows[id][profile].numbers[metric]
    if numbers.median is None:
        return ""
    text = significant(numbers.median, 5)
    if len(numbers.values) > 1:
        values = ", ".join(significant(one, 5) for one in numbers.values)
        text += f", the median of {counted(len(numbers.values), 'run')} ({values})"
    change, base = table.change(id, profile, metric), table.rows[id][table.profiles[0]].numbers[metric].median
    if change is None or base is None:
        return text
    first = f"the {significant(base, 5)} of {shown_name(table.profiles[0])}"
    if not change.part:
        return f"{text}: the same as {first}"
    if change.shift is Shift.NOISE:
        return f"{text}: within the noise of {first}"
    said = f"{text}: {abs(change.part):.1%} {'more' if change.part > 0 else 'less'} than {first}"
    return f"{said}; with fewer than three runs of each, that may be noise" if change.shift is Shift.UNKNOWN else said
