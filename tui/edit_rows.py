# SPDX-License-Identifier: Apache-2.0
"""Loader edits as rows below the pending changes, and as the diff that a person reads of them."""

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum

from core.edits.conflicts import Conflict
from core.edits.pending import Change
from core.edits.review_groups import ChangeGroup
from core.text import one_line, printable
from core.triage.loader_edits import LoaderEdit
from tui.presentation import Cell, counted, diff_style
from tui.review_rows import ReviewRows
from tui.widgets.lines_view import Line

_HEADING = "loader edits"
_MODELS = "third_party/tt_forge_models/"
"""What the paths of all loaders begin with."""


class ReviewWithEdits(ReviewRows):
    """The rows of the review; behind the changes, which know nothing of them, the loader edits under a heading."""

    def __init__(
        self,
        groups: Sequence[ChangeGroup],
        by: StrEnum,
        opened: Collection[str],
        conflicts: Callable[[Change], Sequence[Conflict]],
        edits: Sequence[LoaderEdit],
    ) -> None:
        """`edits` are the newest first."""
        super().__init__(groups, by, opened, conflicts)
        self._edits = edits
        self._places |= {self.key(position): position for position in range(len(self.lines), len(self))}

    def __len__(self) -> int:
        return len(self.lines) + (1 + len(self._edits) if self._edits else 0)

    def edits_at(self, position: int) -> Sequence[LoaderEdit]:
        """The edit at a position, or all of them at their heading; none where there is a change."""
        at = position - len(self.lines)
        return () if at < 0 else self._edits[at - 1 : at] if at else self._edits

    def key(self, position: int) -> str:
        at = position - len(self.lines)
        if at < 0:
            return super().key(position)
        return f"{_HEADING} {self._edits[at - 1].edited.kept.name}" if at else _HEADING

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        at = position - len(self.lines)
        if at < 0:
            return super().cells(position)
        if not at:
            name = Cell(counted(len(self._edits), "loader edit"), "running")
            return [Cell("▾", "running")], [name], [Cell("in the submodule, never committed", "dim")]
        edit = self._edits[at - 1]
        standing = Cell("! clash", "fail") if edit.overtaken else Cell("applied", "pass")
        return [standing], [Cell(one_line(edit.path.removeprefix(_MODELS)))], [Cell(one_line(edit.edited.edit.summary))]


def edit_text(edit: LoaderEdit) -> str:
    """All that a person might look for an edit by, in lower case."""
    return f"loader edit {edit.path} {edit.edited.edit.summary}".lower()


def edit_lines(edits: Sequence[LoaderEdit]) -> list[Line]:
    """The diffs of `edits`, each as git shows it."""
    lines = (line for edit in edits for line in printable(edit.diff).split("\n")[:-1])
    return [(Cell(line, diff_style(line)),) for line in lines]
