# SPDX-License-Identifier: Apache-2.0
"""The steps in the history of an entry as rows."""

from collections.abc import Sequence

from core.base.text import one_line
from core.history import Step, what
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn
from tui.view_models.times import ago_text

_SHORT = 9


_COLUMNS = (
    TableColumn("when", 9, right=True),
    TableColumn("commit", _SHORT),
    TableColumn("what", 14),
    TableColumn("author", 16, yields=1),
    TableColumn("subject", 20, share=2),
)


def step_rows(steps: Sequence[Step], now: float) -> Rows[Step]:
    """Steps, newest first, with their age at the time `now`."""
    return Rows(steps, _COLUMNS, lambda step: _cells(step, now), key=lambda step: step.commit.id if step.commit else "")


def _cells(step: Step, now: float) -> Row:
    words = [Cell(" ".join(what(step)))]
    if step.commit is None:
        return [Cell("")], [Cell("")], words, [Cell("")], [Cell("not committed", "dim")]
    commit = step.commit
    author, subject = Cell(one_line(commit.author), "dim"), Cell(one_line(commit.subject))
    return [Cell(ago_text(commit.time, now), "dim")], [Cell(commit.id[:_SHORT], "dim")], words, [author], [subject]
