# SPDX-License-Identifier: Apache-2.0
"""The rows of the matrix table, taken from the view when they become visible."""

from collections.abc import Mapping, Sequence

from core.matrix.view import View
from core.runs.record import RunRecord
from core.text import one_line
from tui.presentation import Cell, arch_letters, arch_title, bringup_word, run_look, status_look
from tui.widgets.row_table import TableColumn


class MatrixRows:
    """A RowSource over what a View shows now: a later filter does not change it. Marks are live."""

    def __init__(self, view: View, last_runs: Mapping[str, RunRecord], edited: frozenset[str]) -> None:
        """`last_runs` by id; `edited` are ids with pending changes."""
        self._view = view
        self._matrix, self._rows, self._arch = view.matrix, view.rows, view.arch
        self._last_runs = last_runs
        self._edited = edited
        self.columns: Sequence[TableColumn] = (
            TableColumn("test id", 34, share=3, elide=True),
            TableColumn(view.arch or "status", 6),
            TableColumn(arch_title(view.matrix), len(view.matrix.schema.archs)),
            TableColumn("bring-up", 10, from_width=90),
            TableColumn("cpu run", 9, from_width=72),
            TableColumn("reason", 20, share=2, from_width=120),
        )

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, position: int) -> str:
        return self._matrix.ids[self._rows[position]]

    def position_of(self, key: str) -> int | None:
        return self._view.position_of(key)

    def marked(self, position: int) -> bool:
        return self.key(position) in self._view.marks

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        matrix, row = self._matrix, self._rows[position]
        id = matrix.ids[row]
        status = status_look(matrix, row, self._arch)
        record = self._last_runs.get(id)
        outcome = run_look(record) if record else None
        edited = "✎" if id in self._edited else ""
        return (
            [Cell(one_line(id), "" if id in matrix.entries else "dim")],
            [Cell(f"{status.word}{edited}", status.style)],
            arch_letters(matrix, row),
            [Cell(bringup_word(matrix.columns["bringup"][row]))],
            [Cell(outcome.word, outcome.style) if outcome else Cell("")],
            [Cell(one_line(matrix.columns["reason"][row]), "dim")],
        )
