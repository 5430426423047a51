# SPDX-License-Identifier: Apache-2.0
"""A grid as rows of a table, and what a cell of it says."""

from collections.abc import Sequence

from core.matrix.view import DECLARED, Grid, Tally
from core.text import one_line
from tui.view_models.style import RESULT_LOOKS, WORD_LOOKS, Cell, TableColumn, tally_text, work_word

_NAMES, _CELL, _MODEL = 28, 5, 14


class GridRows:
    """A RowSource over a Grid: one glyph for how much of a cell is declared or passes, and letters."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.columns: Sequence[TableColumn] = (
            TableColumn(grid.layout.down, _NAMES, share=1, elide=True),
            *(TableColumn(work_word(head), _width(grid, head), elide=True) for head in grid.heads),
        )

    def __len__(self) -> int:
        return len(self.grid)

    def key(self, position: int) -> str:
        return self.grid.label(position) if position else ""

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        grid = self.grid
        label = one_line(grid.label(position)) or "none"
        return (
            [Cell(label, "" if position else "running")],
            *(cell_look(grid.at(position, column)) for column in range(len(grid.heads))),
        )

    def cell_text(self, position: int, column: int) -> str:
        """A cell in words."""
        counts = self.grid.at(position, column)
        return f"{self.title(position, column)}   {tally_text(counts)}" if counts else self.title(position, column)

    def title(self, position: int, column: int) -> str:
        """What the row and the column of a cell mean."""
        if not self.grid.heads:
            return ""
        return f"{one_line(self.grid.label(position)) or 'none'} · {one_line(self.grid.heads[column])}"


def _width(grid: Grid, head: str) -> int:
    """Names of models are long, and their beginnings alike."""
    return max(_CELL, min(len(head), _MODEL)) if grid.layout.across in ("model", "backend") else _CELL


def cell_look(counts: Tally) -> list[Cell]:
    """`●` all declared, `◐` some, `·` none; then a letter for each status that is. Nothing where no test is.

    Of results `●` is that all passed, `◐` some, `○` none.
    """
    if not counts:
        return [Cell("")]
    if found := [RESULT_LOOKS[word] for word in RESULT_LOOKS if counts.get(word)]:
        passed = sum(look.style == "pass" for look in found)
        glyph = "●" if passed == len(found) else "◐" if passed else "○"
        return [
            Cell(glyph, found[0].style if len(found) == 1 else ""),
            *(Cell(look.letter, look.style) for look in found),
        ]
    declared = [word for word in DECLARED if counts.get(word)]
    if not declared:
        return [Cell("·", "dim")]
    whole = sum(counts.values()) == sum(counts[word] for word in declared)
    return [
        Cell("●" if whole else "◐", WORD_LOOKS[declared[0]].style if len(declared) == 1 else ""),
        *(Cell(WORD_LOOKS[word].letter, WORD_LOOKS[word].style) for word in declared),
    ]
