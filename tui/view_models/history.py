# SPDX-License-Identifier: Apache-2.0
"""The steps in the history of an entry as rows."""

from collections.abc import Sequence

from core.base.text import one_line
from core.history import Step, day_of, what
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn

_SHORT = 9


_COLUMNS = (
    TableColumn("date", 10),
    TableColumn("commit", _SHORT),
    TableColumn("what", 14),
    TableColumn("author", 16, yields=1),
    TableColumn("subject", 20, share=2),
)


def step_rows(steps: Sequence[Step]) -> Rows[Step]:
    """Steps, newest first."""
    return Rows(steps, _COLUMNS, _cells, key=lambda step: step.commit.id if step.commit else "")


def _cells(step: Step) -> Row:
    words = [Cell(" ".join(what(step)))]
    if step.commit is None:
        return [Cell("")], [Cell("")], words, [Cell("")], [Cell("not committed", "dim")]
    commit = step.commit
    author, subject = Cell(one_line(commit.author), "dim"), Cell(one_line(commit.subject))
    return [Cell(day_of(commit))], [Cell(commit.id[:_SHORT], "dim")], words, [author], [subject]
