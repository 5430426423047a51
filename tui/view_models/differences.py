# SPDX-License-Identifier: Apache-2.0
"""The differences between two runs as rows, and the commits between them as lines."""

from collections.abc import Sequence

from core.evidence import Observation
from core.evidence.analysis import Between, Difference, DifferenceKind
from core.model import BringupStatus
from core.text import counted, one_line
from tui.view_models.style import Cell, TableColumn

KIND_STYLES = {
    DifferenceKind.NEW: "fail",
    DifferenceKind.REASON: "xfail",
    DifferenceKind.FIXED: "pass",
    DifferenceKind.NOT_RUN: "skip",
    DifferenceKind.PERSISTING: "dim",
}
_SHORT = 10
"""Characters of a commit."""


class DifferenceRows:
    """A RowSource over differences."""

    columns: Sequence[TableColumn] = (
        TableColumn("what", 14),
        TableColumn("arch", 12, from_width=70),
        TableColumn("test", 22, share=2, elide=True),
        TableColumn("why", 18, share=2, from_width=70),
    )

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = differences

    def __len__(self) -> int:
        return len(self.differences)

    def key(self, position: int) -> str:
        one = self.differences[position]
        return f"{one.arch} {one.id}"

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        one = self.differences[position]
        row = one.before if one.kind in (DifferenceKind.FIXED, DifferenceKind.NOT_RUN) else one.after
        return (
            [Cell(one.kind, KIND_STYLES[one.kind])],
            [Cell(one_line(one.arch))],
            [Cell(one_line(one.id))],
            [Cell(one_line(row.reason or row.ending) if row else "", "dim")],
        )


def sides(one: Difference) -> list[tuple[str, str]]:
    """Both results of a cell, as texts with their styles."""
    name = (f"{one.id} on {one.arch}", "heading")
    return [name, ("before", "hunk"), *_side(one.before), ("after", "hunk"), *_side(one.after)]


def _side(row: Observation | None) -> list[tuple[str, str]]:
    if row is None:
        return [("  no result", "dim")]
    pcc = f", pcc {row.pcc:.4f}" if row.pcc is not None else ""
    stage = "" if row.stage in (BringupStatus.UNKNOWN, BringupStatus.PASSED) else f", {row.stage}"
    result = [(f"  {row.ending}{pcc} on {row.host or 'unknown host'}{stage}", "dim")]
    return [*result, (f"  {row.reason}", "")] if row.reason else result


def commit_words(name: str, one: Between) -> list[tuple[str, str]]:
    """What came between, a commit a line."""
    if one.unknown:
        return [(f"{name}: {one.unknown}", "dim")]
    head = f"{name}: {counted(len(one.commits), 'commit')}, {one.before[:_SHORT]} to {one.after[:_SHORT]}"
    lines = (f"  {commit.id[:_SHORT]} {commit.day} {commit.subject}" for commit in one.commits)
    return [(head, "heading"), *((line, "") for line in lines)]
