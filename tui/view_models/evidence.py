# SPDX-License-Identifier: Apache-2.0
"""The evidence of a test as lines: for each arch its strip, the verdict and every result."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from math import isfinite
from typing import NamedTuple

from rich.cells import cell_len

from core.base.text import bars, one_line, pcc_text
from core.edits import grade_line
from core.evidence import MARKS, CellSummary, Ending, Observation, Origin, longest_strip, summary_of
from core.evidence.analysis import SinceLine
from core.evidence.proposals import InboxItem
from core.evidence.verdicts import Direction, Judgement
from tui.view_models.courses import MEASURED
from tui.view_models.fitting import CellLine, paragraph, wrapped
from tui.view_models.style import Cell

_STYLES = {Ending.PASSED: "pass", Ending.NOT_RUN: "dim", Ending.BROKEN: "dim"}


class StripRoom(NamedTuple):
    """Cells for strips that are below each other: for archs by their place in a line, and for marks of CI."""

    archs: tuple[int, ...] = ()
    marks: int = 0

    def before(self, arch: str, marks: int, place: int = 0) -> int:
        """The cells in front of so many marks of CI: the arch, and what is free."""
        name = max(cell_len(arch), *self.archs[place : place + 1], 0)
        return name + max(0, self.marks - marks) + 1


ALONE = StripRoom()
"""Of a strip that has none above or below it."""


def strip_room(tests: Iterable[Mapping[str, Sequence[Observation]]]) -> StripRoom:
    """Room for the strips of these results by arch: the newest marks of CI are in one column."""
    known = [*tests]
    names = zip_longest(*(map(cell_len, cells) for cells in known), fillvalue=0)
    return StripRoom(tuple(map(max, names)), longest_strip(known))


def strip_cells(arch: str, rows: Sequence[Observation], room: StripRoom = ALONE) -> list[Cell]:
    """`p150 PPPxPPP+PP 8/9 pcc .991-.994`: results after the plus are of runs here."""
    strip = summary_of(arch, rows)
    pcc = [Cell(f" pcc {strip.pcc}")] if strip.pcc else []
    return [*_strip(strip, room), *pcc]


def strips_cells(cells: Mapping[str, Sequence[Observation]], room: StripRoom) -> list[Cell]:
    """`n150 PPx 2/3  p150 PP 2/2  pcc n150 .998`: the strips of a test in one line, as lists have them."""
    if len(cells) == 1:
        return strip_cells(*next(iter(cells.items())), room)
    strips = [summary_of(arch, rows) for arch, rows in cells.items()]
    found = [cell for place, strip in enumerate(strips) for cell in (*_strip(strip, room, place), Cell("  "))]
    measured = [Cell(f" {strip.arch} {strip.pcc}") for strip in strips if strip.pcc]
    return [*found, Cell("pcc"), *measured] if measured else found[:-1]


def _strip(strip: CellSummary, room: StripRoom, place: int = 0) -> list[Cell]:
    """A strip without its PCC."""
    own = [Cell("+", "dim"), *_marks(strip.here)] if strip.here else []
    free = " " * (room.before(strip.arch, len(strip.ci), place) - cell_len(strip.arch))
    return [Cell(f"{strip.arch}{free}", "heading"), *_marks(strip.ci), *own, Cell(f" {strip.count}", "dim")]


def course_cells(arch: str, rows: Sequence[Observation], room: StripRoom = ALONE) -> list[list[Cell]]:
    """PCC and seconds of the same results, with a bar below each letter of `strip_cells`; one line each.

    Bars show differences: the lowest number has the shortest bar. No line if fewer than two numbers are known.
    """
    strip = summary_of(arch, rows)
    lines = []
    for name, (number, text) in MEASURED.items():
        found = [[number(row) for row in part] for part in (strip.ci, strip.here)]
        known = [one for part in found for one in part if one is not None and isfinite(one)]
        if len(known) > 1:
            low, high = min(known), max(known)
            # A gap between results of CI and of runs here; both use one scale.
            every = bars([one for part in found for one in part])
            ci = len(found[0])
            strips = " ".join(filter(None, (every[:ci], every[ci:])))
            ends = text(low) if text(low) == text(high) else f"{text(low)} to {text(high)}"
            lines.append([Cell(f"{name:<{room.before(arch, ci)}}", "dim"), Cell(strips), Cell(f" {ends}", "dim")])
    return lines


def _marks(rows: Sequence[Observation]) -> Iterator[Cell]:
    for row in rows:
        yield mark_cell(row)


def mark_cell(row: Observation) -> Cell:
    """The letter of one result, in the style of its outcome."""
    return Cell(MARKS[row.ending], _STYLES.get(row.ending, "error"))


_DIRECTIONS = {Direction.FORWARD: ", so it gets further now", Direction.BACK: ", so it ends earlier now"}
_MOST_ROWS = 12
_INDENT = 2


def strip_lines(
    judgements: Iterable[Judgement], width: int, series: Mapping[str, Sequence[Observation]] = {}
) -> list[CellLine]:
    """The strip of each arch with the verdict and its reason, in lines of at most `width` cells.

    `series` has all results by arch; without them, a strip has those that decided.
    """
    shown = [(one, {one.arch: series.get(one.arch) or one.rows}) for one in judgements]
    room = strip_room(cells for _, cells in shown)
    return [line for one, cells in shown for line in _judgement(one, width, strips_cells(cells, room))]


def since_words(said: Iterable[SinceLine], width: int) -> list[CellLine]:
    """Since when each cell has its current outcome, under a heading; nothing if no result tells."""
    lines = [line for one in said for line in paragraph(one.text, "dim" if one.aside else "", width, _INDENT * 2)]
    return [(Cell("since when", "heading"),), *lines] if lines else []


def result_lines(judgements: Iterable[Judgement], width: int, suspects: Collection[str] = ()) -> list[CellLine]:
    """Every result that the verdict is based on, newest first; `suspects` are machines that fail alone."""
    lines: list[CellLine] = []
    for one in judgements:
        lines.append((Cell(f"results on {one.arch}", "heading"),))
        for row in list(reversed(one.rows))[:_MOST_ROWS]:
            lines += _row(row, width, suspects)
        if len(one.rows) > _MOST_ROWS:
            lines.append((Cell(f"  and {len(one.rows) - _MOST_ROWS:,} older results", "dim"),))
    return lines


def grade_lines(item: InboxItem, width: int) -> list[CellLine]:
    """The grade of what is proposed for a test, and what it rests on."""
    proposal = item.proposal
    line = grade_line(proposal.grade, proposal.grade_why) if proposal else ""
    return paragraph(line, "", width, _INDENT) if line else []


def _judgement(one: Judgement, width: int, strip: Sequence[Cell]) -> Iterator[CellLine]:
    words = f" {one.why}{_DIRECTIONS.get(one.direction, '')}"
    cells = [*strip, Cell(f" {one.verdict}:", "word")]
    cells += [Cell(word, "dim") for word in re.findall(r"\s*\S+", one_line(words))]
    yield from wrapped(cells, width, _INDENT)


def _row(row: Observation, width: int, suspects: Collection[str]) -> Iterator[CellLine]:
    """One result: time, run, machine, outcome."""
    when = f"{datetime.fromtimestamp(row.when, UTC):%m-%d %H:%M}" if row.when else "no date"
    here = "here " if row.origin is Origin.HERE else ""
    pcc = "" if row.pcc is None else f" pcc {pcc_text(row.pcc)}{' (close enough)' if row.shortcut else ''}"
    alone = " only this machine fails" if row.host in suspects else ""
    words = f"{when} {here}{row.run} on {row.host or 'unknown host'}{alone}{pcc}"
    attempts = f", attempt {row.attempts}" if row.attempts > 1 else ""
    if row.ending is Ending.FLAKY:
        attempts = ", failed first and passed when it was repeated"
    style = "error" if alone else "dim"
    head = (Cell(f"  {mark_cell(row).text} ", mark_cell(row).style),)
    first, *rest = paragraph(f"{words}{attempts}", style, max(1, width - 4), _INDENT)
    yield (*head, *first)
    for line in rest:
        yield (Cell("    "), *line)
    if row.reason and row.ending is not Ending.PASSED:
        yield from paragraph(f"      {one_line(row.reason)}", "", width, 6)
