# SPDX-License-Identifier: Apache-2.0
"""Findings of the doctor as rows of a table."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from core.base.text import one_line
from core.domain.model import Finding
from tui.view_models.fitting import short_file
from tui.view_models.headings import Part
from tui.view_models.rows import Row, RowGroup, Rows
from tui.view_models.style import Cell, TableColumn

_COLUMNS = (
    TableColumn("what is wrong", 32, share=2),
    TableColumn("fix", 4),
    TableColumn("test", 28, yields=1, elide=True, ids=True),
    TableColumn("where", 20, yields=2, elide=True),
)


def finding_rows(findings: Sequence[Finding], fixed: Collection[str] = ()) -> Rows[Finding]:
    """Findings; `fixed` are the keys of those whose fix is among the pending changes."""

    def cells(one: Finding) -> Row:
        # The line below has the whole path.
        file = short_file(one.file).rpartition("/")[2]
        fix = "done" if _key(one) in fixed else "yes" if one.fix else ""
        return (
            [Cell(one_line(one.message))],
            [Cell(fix, "pass" if one.fix else "")],
            [Cell(one_line(one.id), "dim")],
            [Cell(f"{file}:{one.line}" if one.line else file, "dim")],
        )

    return Rows(findings, _COLUMNS, cells, key=_key, id=lambda one: one.id, marked=lambda one: _key(one) in fixed)


def _key(one: Finding) -> str:
    return f"{one.kind} {one.file}:{one.line}:{one.column} {one.message}"


def finding_groups(findings: Sequence[Finding], helps: Mapping[str, str]) -> list[RowGroup]:
    """The findings by kind, in their order; `helps` says what each kind is."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(findings):
        by_kind[one.kind].append(row)
    return [
        RowGroup(kind, (Cell(kind, "running"), Cell(f"  {helps.get(kind, '')}", "dim")), rows, _parts(findings, rows))
        for kind, rows in by_kind.items()
    ]


def _parts(findings: Sequence[Finding], rows: Sequence[int]) -> Sequence[Part]:
    """Those with a fix, and the others."""
    fixes = sum(bool(findings[row].fix) for row in rows)
    return Part(fixes, "pass"), Part(len(rows) - fixes, "dim", "░")
