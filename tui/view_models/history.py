# SPDX-License-Identifier: Apache-2.0
"""The steps in the history of an entry as rows."""

from collections.abc import Sequence

from core.history import Step, day_of, what
from core.text import one_line
from tui.view_models.style import Cell, TableColumn

_SHORT = 9


class StepRows:
    """A RowSource over steps, newest first."""

    columns: Sequence[TableColumn] = (
        TableColumn("date", 10),
        TableColumn("commit", _SHORT),
        TableColumn("what", 14),
        TableColumn("author", 16, yields=1),
        TableColumn("subject", 20, share=1),
    )

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps

    def __len__(self) -> int:
        return len(self._steps)

    def key(self, position: int) -> str:
        return str(position)

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        step = self._steps[position]
        words = [Cell(" ".join(what(step)))]
        if step.commit is None:
            return [Cell("")], [Cell("")], words, [Cell("")], [Cell("not committed", "dim")]
        commit = step.commit
        texts = (Cell(one_line(commit.author), "dim"), Cell(one_line(commit.subject)))
        return [Cell(day_of(commit))], [Cell(commit.id[:_SHORT], "dim")], words, [texts[0]], [texts[1]]
