# SPDX-License-Identifier: Apache-2.0
"""Findings of the doctor as rows of a table."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.model import Finding
from core.text import one_line
from tui.view_models.fitting import short_file
from tui.view_models.grouped import RowGroup
from tui.view_models.style import Cell, TableColumn


class FindingRows:
    """A RowSource over findings."""

    columns: Sequence[TableColumn] = (
        TableColumn("what is wrong", 36, share=3),
        TableColumn("fix", 4),
        TableColumn("test", 30, share=2, elide=True, ids=True, from_width=76),
        TableColumn("where", 30, share=1, elide=True, from_width=140),
    )

    def __init__(self, findings: Sequence[Finding], fixed: frozenset[str]) -> None:
        """`fixed` are the keys of findings whose fix is among the pending changes."""
        self.findings = findings
        self._fixed = fixed

    def __len__(self) -> int:
        return len(self.findings)

    def ids(self) -> Iterable[str]:
        return [one.id for one in self.findings if one.id]

    def key(self, position: int) -> str:
        one = self.findings[position]
        return f"{one.kind} {one.file}:{one.line}:{one.column} {one.message}"

    def marked(self, position: int) -> bool:
        return self.key(position) in self._fixed

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        one = self.findings[position]
        # The line below has the whole path.
        file = short_file(one.file).rpartition("/")[2]
        fix = "done" if self.marked(position) else "yes" if one.fix else ""
        return (
            [Cell(one_line(one.message))],
            [Cell(fix, "pass" if one.fix else "")],
            [Cell(one_line(one.id), "dim")],
            [Cell(f"{file}:{one.line}" if one.line else file, "dim")],
        )


def finding_groups(findings: Sequence[Finding], helps: Mapping[str, str]) -> list[RowGroup]:
    """The findings by kind, in their order; `helps` says what each kind is."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(findings):
        by_kind[one.kind].append(row)
    return [
        RowGroup(kind, (Cell(kind, "running"), Cell(f"  {helps.get(kind, '')}", "dim")), rows)
        for kind, rows in by_kind.items()
    ]
