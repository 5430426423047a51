# SPDX-License-Identifier: Apache-2.0
"""The programs of a run as rows, and the ops of one as a text."""

from collections.abc import Collection, Sequence

from rich.text import Text

from core.base.text import counted, one_line
from core.runs.ir import Counts, Program
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn

_COLUMNS = (
    TableColumn("stage", 10),
    TableColumn("program", 24, elide=True),
    TableColumn("size", 12, right=True),
)


def program_rows(programs: Sequence[Program], marks: Collection[str] = ()) -> Rows[Program]:
    """Programs, in the order of the stages; `marks` are names."""
    return Rows(programs, _COLUMNS, _cells, key=lambda one: one.name, marked=lambda one: one.name in marks)


def _cells(one: Program) -> Row:
    return [Cell(one.stage, "running")], [Cell(one_line(one.name))], [Cell(f"{one.size:,}", "dim")]


def ops_text(program: Program, counts: Counts) -> Text:
    """The counts of ops by name in a program, and problems found in it."""
    text = Text(f"{counted(counts.total, 'op')} of {counted(len(counts.by_name), 'name')} in {program.stage}\n")
    text.stylize("bold")
    if counts.broken:
        text.append(f"{one_line(counts.broken)}\n", "bold red")
    text.append("\n")
    for name, count in counts.by_name.items():
        text.append(f"{count:>8,}  {one_line(name)}\n", "")
    return text
