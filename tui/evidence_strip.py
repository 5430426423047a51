# SPDX-License-Identifier: Apache-2.0
"""The evidence strip of a cell in pieces with their styles."""

from collections.abc import Iterator, Sequence

from core.evidence.observation import Ending, Observation
from core.evidence.strip import MARKS, strip_of
from tui.presentation import Cell

_STYLES = {Ending.PASSED: "pass", Ending.NOT_RUN: "dim", Ending.BROKEN: "dim"}


def strip_cells(arch: str, rows: Sequence[Observation]) -> list[Cell]:
    """`p150 PPPxPPP+PP 8/9 pcc .991-.994`: what stands behind the plus was run here."""
    strip = strip_of(arch, rows)
    own = [Cell("+", "dim"), *_marks(strip.here)] if strip.here else []
    pcc = [Cell(f" pcc {strip.pcc}")] if strip.pcc else []
    return [Cell(f"{arch} ", "heading"), *_marks(strip.ci), *own, Cell(f" {strip.count}", "dim"), *pcc]


def _marks(rows: Sequence[Observation]) -> Iterator[Cell]:
    for row in rows:
        yield mark_cell(row)


def mark_cell(row: Observation) -> Cell:
    """The letter of one result, in the style of how it ended."""
    return Cell(MARKS[row.ending], _STYLES.get(row.ending, "error"))
