# SPDX-License-Identifier: Apache-2.0
"""The programs of a run as rows, and the ops of one as a text."""

from collections.abc import Collection, Sequence

from rich.text import Text

from core.runs.ir import Counts, Program
from core.text import counted, one_line
from tui.view_models.style import Cell, TableColumn


class ProgramRows:
    """A RowSource over programs, in the order of the stages."""

    columns: Sequence[TableColumn] = (
        TableColumn("stage", 10),
        TableColumn("program", 24, share=1, elide=True),
        TableColumn("size", 12, right=True),
    )

    def __init__(self, programs: Sequence[Program], marks: Collection[str] = ()) -> None:
        self.programs = programs
        self._marks = marks

    def __len__(self) -> int:
        return len(self.programs)

    def key(self, position: int) -> str:
        return self.programs[position].name

    def marked(self, position: int) -> bool:
        return self.programs[position].name in self._marks

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        one = self.programs[position]
        return [Cell(one.stage, "running")], [Cell(one_line(one.name))], [Cell(f"{one.size:,}", "dim")]


def ops_text(program: Program, counts: Counts) -> Text:
    """How many ops of each name a program has, and problems found in it."""
    text = Text(f"{counted(counts.total, 'op')} of {counted(len(counts.by_name), 'name')} in {program.stage}\n")
    text.stylize("bold")
    if counts.broken:
        text.append(f"{one_line(counts.broken)}\n", "bold red")
    text.append("\n")
    for name, count in counts.by_name.items():
        text.append(f"{count:>8,}  {one_line(name)}\n", "")
    return text
