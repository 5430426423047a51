# SPDX-License-Identifier: Apache-2.0
"""Runs as rows of a table."""

from collections.abc import Sequence

from core.runs.record import RunRecord
from core.text import one_line
from tui.presentation import Cell, run_look, seconds_text
from tui.widgets.row_table import TableColumn


class RunRows:
    """A RowSource over run records."""

    columns: Sequence[TableColumn] = (
        TableColumn("run", 22),
        TableColumn("kind", 4, from_width=110),
        TableColumn("outcome", 9),
        TableColumn("time", 6),
        TableColumn("test id", 30, share=2, elide=True),
        TableColumn("why", 20, share=3, from_width=110),
    )

    def __init__(self, records: Sequence[RunRecord]) -> None:
        self.records = records

    def __len__(self) -> int:
        return len(self.records)

    def key(self, position: int) -> str:
        return self.records[position].spec.run_id

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        record = self.records[position]
        look = run_look(record)
        return (
            [Cell(record.spec.run_id)],
            [Cell(record.spec.kind)],
            [Cell("stopping" if record.cancelling else look.word, look.style)],
            [Cell(seconds_text(record.seconds), "dim")],
            [Cell(one_line(record.spec.test_id))],
            [Cell(record.summary, "dim")],
        )
