# SPDX-License-Identifier: Apache-2.0
"""Pending changes as rows, with or without headings for their groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from core.base.text import counted, one_line, printable
from core.edits.pending import SEVERAL, Change, ChangeGroup, Conflict, Decision, GroupBy
from tui.view_models.changes import Describe, brief_operations, describe_operations
from tui.view_models.headings import HEADING, Part, share_cells
from tui.view_models.rows import below_heading
from tui.view_models.style import Cell, Line, TableColumn, diff_style

if TYPE_CHECKING:
    from core.workflows import LoaderEdit

DECISIONS = {
    Decision.UNDECIDED: Cell("? open"),
    Decision.ACCEPTED: Cell("✓ accept", "pass"),
    Decision.REJECTED: Cell("✗ reject", "dim"),
}
_CONFLICT = Cell("! clash", "fail")
_DECISION_WORDS = {Decision.UNDECIDED: "open"}


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """The heading of a group, or a change in a group."""

    group: ChangeGroup
    change: Change | None
    """None for a heading."""


class ChangeLook(Protocol):
    """Determines how the rows of one list of changes look."""

    @property
    def columns(self) -> Sequence[TableColumn]: ...

    def headed(self, group: ChangeGroup) -> bool:
        """Whether the changes of a group have a heading, which hides them while it is folded."""

    def name(self, group: ChangeGroup) -> str:
        """The common property of a group, in words; empty if changes are not grouped."""

    def key(self, change: Change) -> str:
        """The key of the row of a change."""

    def id(self, change: Change) -> str:
        """The test of the change; empty if there are several."""

    def asks(self, change: Change) -> bool:
        """Whether the change needs a decision as long as it is undecided."""

    def heading(self, group: ChangeGroup, *, opened: bool) -> Sequence[Sequence[Cell]]:
        """The cells of the heading of a group; the last ones share the rest of the row."""

    def change(self, change: Change) -> Sequence[Sequence[Cell]]:
        """The cells of a change."""


class EditRow(NamedTuple):
    """A row below the changes, about loader edits."""

    key: str
    cells: Sequence[Sequence[Cell]]
    edits: Sequence[LoaderEdit]


class ReviewRows:
    """A RowSource over groups of changes, followed by rows that need no decision."""

    def __init__(
        self,
        groups: Sequence[ChangeGroup],
        look: ChangeLook,
        opened: Collection[str] = (),
        below: Sequence[EditRow] = (),
        left_out: Collection[str] = (),
    ) -> None:
        """`opened` are the keys of unfolded groups, `left_out` those of changes that decisions on groups leave out."""
        self.groups = groups
        self.look = look
        self.opened = opened
        self.columns = look.columns
        self.lines = [
            line
            for group in groups
            for line in (
                *([ReviewLine(group, None)] if look.headed(group) else ()),
                *(ReviewLine(group, one) for one in group.changes if group.key in opened or not look.headed(group)),
            )
        ]
        headings: dict[int, int] = {}
        for at, line in enumerate(self.lines):
            headings.setdefault(id(line.group), at)
        self._headings = [headings[id(line.group)] if look.headed(line.group) else None for line in self.lines]
        self._below = below
        self.left_out = left_out
        self._places = {self.key(at): at for at in range(len(self))}

    def __len__(self) -> int:
        return len(self.lines) + len(self._below)

    def line(self, position: int) -> ReviewLine | None:
        """The line at a position; None if there is neither a change nor a heading of changes."""
        return self.lines[position] if 0 <= position < len(self.lines) else None

    def heading_of(self, position: int) -> int | None:
        if position >= len(self.lines):
            return len(self.lines)
        return self._headings[position]

    def edits_at(self, position: int) -> Sequence[LoaderEdit]:
        """The loader edits at a position; none for a change."""
        at = position - len(self.lines)
        return self._below[at].edits if 0 <= at < len(self._below) else ()

    def ids(self) -> Iterable[str]:
        return [id for line in self.lines if line.change and (id := self.look.id(line.change))]

    def key(self, position: int) -> str:
        line = self.line(position)
        if line is None:
            return self._below[position - len(self.lines)].key
        return heading_key(line.group) if line.change is None else self.look.key(line.change)

    def position_of(self, key: str) -> int | None:
        return self._places.get(key)

    def marked(self, position: int) -> bool:
        return False

    def next_undecided(self, position: int, step: int) -> int | None:
        """The nearest other line from `position` in the direction of `step` that needs a decision.

        The search wraps around; a heading counts if its undecided changes are folded.
        """
        count = len(self.lines)
        around = ((position + step * away) % count for away in range(1, count + 1))
        return next((at for at in around if at != position and self._is_open(self.lines[at])), None)

    def _is_open(self, line: ReviewLine) -> bool:
        if line.change is not None:
            undecided: Sequence[Change] = (line.change,) if line.change.decision is Decision.UNDECIDED else ()
        else:
            undecided = () if line.group.key in self.opened else line.group.undecided
        return any(self.look.asks(one) and self.look.key(one) not in self.left_out for one in undecided)

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        line = self.line(position)
        if line is None:
            return self._below[position - len(self.lines)].cells
        if line.change is not None:
            cells = self.look.change(line.change)
            return cells if self._headings[position] is None else below_heading(cells)
        return self.look.heading(line.group, opened=line.group.key in self.opened)


class PendingLook:
    """The ChangeLook of the review."""

    def __init__(
        self, by: GroupBy = GroupBy.NOTHING, conflicts: Callable[[Change], Sequence[Conflict]] = lambda _: ()
    ) -> None:
        """`by` is the property by which changes are grouped; without it there are no headings."""
        self._by = by
        self._conflicts = conflicts
        self.columns: Sequence[TableColumn] = (
            TableColumn("decision", 10),
            TableColumn(f"test, by {by}" if by else "test", 30, share=2, elide=True, ids=True),
            TableColumn("change", 30, share=3),
        )

    def headed(self, group: ChangeGroup) -> bool:
        """A single change with a cause says it itself."""
        return bool(self._by) and (self._by is not GroupBy.CAUSE or len(group.changes) > 1)

    def name(self, group: ChangeGroup, describe: Describe = describe_operations) -> str:
        match self._by:
            case GroupBy.CHANGE:
                return describe(group.changes[0].ops)
            case GroupBy.LOADER:
                return "several loaders" if group.key == SEVERAL else one_line(group.key) or "no loader"
            case GroupBy.REASON:
                return one_line(group.key) or "no reason"
            case GroupBy.CAUSE:
                return one_line(group.key) or "no cause known"
            case _:
                return ""

    def key(self, change: Change) -> str:
        return str(change.id)

    def id(self, change: Change) -> str:
        return change.ops[0].id if len({op.id for op in change.ops}) == 1 else ""

    def asks(self, change: Change) -> bool:
        return True

    def heading(self, group: ChangeGroup, *, opened: bool) -> Sequence[Sequence[Cell]]:
        arrow = Cell("▾" if opened else "▸", "running")
        counts = [*share_cells(decision_parts(group.changes)), Cell(count_words(group), "dim")]
        name = [Cell(self.name(group, brief_operations), "running")]
        return ([arrow], name, counts) if self._by is GroupBy.LOADER else ([arrow], counts, name)

    def change(self, change: Change) -> Sequence[Sequence[Cell]]:
        rejected = change.decision is Decision.REJECTED
        style = "dim" if rejected else ""
        decision = _CONFLICT if not rejected and self._conflicts(change) else DECISIONS[change.decision]
        return [decision], [Cell(change_name(change), style)], [Cell(brief_operations(change.ops), style)]


def heading_key(group: ChangeGroup) -> str:
    """The key of a group's heading."""
    return HEADING + group.key


def change_name(change: Change) -> str:
    """The test of a change, or the number of tests."""
    ids = list(dict.fromkeys(op.id for op in change.ops))
    return one_line(ids[0]) if len(ids) == 1 else f"{len(ids):,} tests"


def count_words(group: ChangeGroup) -> str:
    """`3 changes: 1 open, 2 accepted`."""
    return f"{counted(len(group.changes), 'change')}: {decision_words(group.changes)}"


def decision_words(changes: Sequence[Change]) -> str:
    """`1 open, 2 accepted`; empty without changes."""
    by_decision = Counter(change.decision for change in changes)
    return ", ".join(f"{by_decision[one]:,} {_DECISION_WORDS.get(one, one)}" for one in Decision if by_decision[one])


def decision_parts(changes: Sequence[Change]) -> Sequence[Part]:
    """Those that are decided, and those that are open."""
    by_decision = Counter(change.decision for change in changes)
    accepted, rejected = by_decision[Decision.ACCEPTED], by_decision[Decision.REJECTED]
    return Part(accepted, "pass"), Part(rejected, "dim", "▒"), Part(len(changes) - accepted - rejected, "dim", "░")


def search_text(change: Change) -> str:
    """The searchable text of a change, in lower case."""
    ids = " ".join(dict.fromkeys(op.id for op in change.ops))
    return f"{change.decision} {ids} {describe_operations(change.ops)} {change.note}".lower()


_EDIT_HEADING = "loader edits"
_MODELS = "third_party/tt_forge_models/"
"""Common beginning of the paths of all loaders."""


def edit_rows(edits: Sequence[LoaderEdit]) -> list[EditRow]:
    """Loader edits, newest first, under a common heading; empty without edits."""
    if not edits:
        return []
    name = Cell(counted(len(edits), "loader edit"), "running")
    heading = [Cell("▾", "running")], [name], [Cell("in the submodule, never committed", "dim")]
    return [EditRow(_EDIT_HEADING, heading, edits), *(_edit_row(edit) for edit in edits)]


def _edit_row(edit: LoaderEdit) -> EditRow:
    state = Cell("! clash", "fail") if edit.overtaken else Cell("applied", "pass")
    place, what = one_line(edit.path.removeprefix(_MODELS)), one_line(edit.edited.edit.summary)
    return EditRow(f"{_EDIT_HEADING} {edit.edited.original.name}", ([state], [Cell(place)], [Cell(what)]), (edit,))


def edit_text(edit: LoaderEdit) -> str:
    """The searchable text of an edit, in lower case."""
    return f"loader edit {edit.path} {edit.edited.edit.summary}".lower()


def edit_lines(edits: Sequence[LoaderEdit]) -> list[Line]:
    """The diffs of `edits`, each as git shows it."""
    lines = (line for edit in edits for line in printable(edit.diff).split("\n")[:-1])
    return [(Cell(line, diff_style(line)),) for line in lines]
