# SPDX-License-Identifier: Apache-2.0
"""Pending changes as rows, alone or under the headings of their groups."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.edits.pending import SEVERAL, Change, ChangeGroup, Conflict, Decision, GroupBy
from core.text import counted, one_line, printable
from core.workflows import LoaderEdit
from tui.view_models.changes import describe_operations
from tui.view_models.style import Cell, Line, TableColumn, diff_style

DECISIONS = {
    Decision.UNDECIDED: Cell("? open"),
    Decision.ACCEPTED: Cell("✓ accept", "pass"),
    Decision.REJECTED: Cell("✗ reject", "dim"),
}
_CONFLICT = Cell("! clash", "fail")
_DECISION_WORDS = {Decision.UNDECIDED: "open"}
_HEADING = "\0"
"""Begins the keys of headings, as it begins no number."""


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """The heading of a group, or a change in it."""

    group: ChangeGroup
    change: Change | None
    """None: the heading."""


class ReviewRows:
    """A RowSource over groups of pending changes; grouped by nothing they have no headings."""

    def __init__(
        self,
        groups: Sequence[ChangeGroup],
        by: StrEnum = GroupBy.NOTHING,
        opened: Collection[str] = (),
        conflicts: Callable[[Change], Sequence[Conflict]] = lambda _: (),
    ) -> None:
        """`opened` are the keys of the groups that are unfolded."""
        self.groups = groups
        self.opened = opened
        self._by = by
        self._conflicts = conflicts
        self.columns: Sequence[TableColumn] = (
            TableColumn("decision", 8),
            TableColumn(f"test, by {by}" if by else "test", 30, share=2, elide=True),
            TableColumn("change", 30, share=3),
        )
        self.lines = [
            line
            for group in groups
            for line in (
                *([ReviewLine(group, None)] if self.headed(group) else ()),
                *(ReviewLine(group, one) for one in group.changes if group.key in opened or not self.headed(group)),
            )
        ]
        self._places = {self.key(at): at for at in range(len(self.lines))}

    def headed(self, group: ChangeGroup) -> bool:
        """Whether the changes of `group` are under a heading, which hides them while it is folded."""
        return bool(self._by)

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, position: int) -> ReviewLine | None:
        """The line at a position; None past the last one."""
        return self.lines[position] if 0 <= position < len(self.lines) else None

    def key(self, position: int) -> str:
        line = self.lines[position]
        return heading_key(line.group) if line.change is None else self.change_key(line.change)

    def change_key(self, change: Change) -> str:
        """The key of the row of a change."""
        return str(change.id)

    def position_of(self, key: str) -> int | None:
        return self._places.get(key)

    def marked(self, position: int) -> bool:
        return False

    def next_undecided(self, position: int, step: int) -> int | None:
        """The nearest other line from `position` on in the direction of `step` that has something to decide.

        The search goes round; a heading counts where what is below it is folded.
        """
        count = len(self.lines)
        around = ((position + step * away) % count for away in range(1, count + 1))
        return next((at for at in around if at != position and self._is_open(self.lines[at])), None)

    def _is_open(self, line: ReviewLine) -> bool:
        if line.change is not None:
            return line.change.decision is Decision.UNDECIDED
        return line.group.key not in self.opened and bool(line.group.undecided)

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        line = self.lines[position]
        return self._heading(line.group) if line.change is None else self._change(line.change)

    def _heading(self, group: ChangeGroup) -> Sequence[Sequence[Cell]]:
        arrow = Cell("▾" if group.key in self.opened else "▸", "running")
        counts, name = Cell(count_words(group), "dim"), Cell(self.name(group), "running")
        return ([arrow], [name], [counts]) if self._by is GroupBy.LOADER else ([arrow], [counts], [name])

    def name(self, group: ChangeGroup) -> str:
        """What the changes of a group have in common, in words; empty where they are not grouped."""
        match self._by:
            case GroupBy.CHANGE:
                return describe_operations(group.changes[0].ops)
            case GroupBy.LOADER:
                return "several loaders" if group.key == SEVERAL else one_line(group.key) or "no loader"
            case GroupBy.REASON:
                return one_line(group.key) or "no reason"
            case _:
                return ""

    def _change(self, change: Change) -> Sequence[Sequence[Cell]]:
        rejected = change.decision is Decision.REJECTED
        style = "dim" if rejected else ""
        decision = _CONFLICT if not rejected and self._conflicts(change) else DECISIONS[change.decision]
        return [decision], [Cell(change_name(change), style)], [Cell(describe_operations(change.ops), style)]


def heading_key(group: ChangeGroup) -> str:
    """The key of a group's heading."""
    return _HEADING + group.key


def change_name(change: Change) -> str:
    """The test a change is about, or how many."""
    ids = list(dict.fromkeys(op.id for op in change.ops))
    return one_line(ids[0]) if len(ids) == 1 else f"{len(ids):,} tests"


def count_words(group: ChangeGroup) -> str:
    """`3 changes: 1 open, 2 accepted`."""
    return f"{counted(len(group.changes), 'change')}: {decision_words(group.changes)}"


def decision_words(changes: Sequence[Change]) -> str:
    """`1 open, 2 accepted`; empty without changes."""
    by_decision = Counter(change.decision for change in changes)
    return ", ".join(f"{by_decision[one]:,} {_DECISION_WORDS.get(one, one)}" for one in Decision if by_decision[one])


def search_text(change: Change) -> str:
    """All that a person might look for a change by, in lower case."""
    ids = " ".join(dict.fromkeys(op.id for op in change.ops))
    return f"{change.decision} {ids} {describe_operations(change.ops)} {change.note}".lower()


_EDIT_HEADING = "loader edits"
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
        return f"{_EDIT_HEADING} {self._edits[at - 1].edited.original.name}" if at else _EDIT_HEADING

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
