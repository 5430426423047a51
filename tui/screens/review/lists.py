# SPDX-License-Identifier: Apache-2.0
"""A list of changes in groups, filtered, and what a person decides about them: what review and triage share."""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from textual.binding import BindingType

from core.edits.pending import Change, ChangeGroup, Decision, GroupBy, Take, group_changes
from tui.commands import Where, bindings
from tui.protocol import Host
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.session import Session
from tui.view_models import ReviewLine, ReviewRows, counted, heading_key, search_text
from tui.widgets import FilterBar, QueryInput, RowTable


class ChangeTable(RowTable):
    """The table of changes, with the keys of a table and of groups."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.TREE)

    def __init__(self) -> None:
        super().__init__(ReviewRows(()), id="changes")

    @property
    def rows(self) -> ReviewRows:
        assert isinstance(self.source, ReviewRows)
        return self.source

    @property
    def line(self) -> ReviewLine | None:
        """The line under the cursor."""
        return self.rows.line(self.cursor)

    def action_fold(self, opened: bool) -> None:
        """Unfold the group under the cursor, or fold the one the cursor is in."""
        if self.line is not None:
            self._fold((self.line.group,), opened=opened)

    def action_fold_all(self, opened: bool) -> None:
        self._fold(self.rows.groups, opened=opened)

    def _fold(self, groups: Sequence[ChangeGroup], *, opened: bool) -> None:
        line, keys = self.line, {group.key for group in groups}
        if line is None or not isinstance(self.screen, ChangeList):
            return
        folded = line.change is not None and not opened and line.group.key in keys
        self.screen.fold(keys, opened=opened, keep=heading_key(line.group) if folded else self.cursor_key)


class ChangeList(SessionScreen):
    """What is listed, in which groups, and the decisions on it."""

    ORDER: ClassVar[Sequence[StrEnum]]
    """What the changes can be grouped by, in the order of the key; the empty one has no headings."""
    NAME: ClassVar[str] = "change"
    """What one of them is called."""

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__(session, host)
        self.table = ChangeTable()
        self.by = self.ORDER[0]
        self._opened: frozenset[str] = frozenset()
        self._words = ""
        self._texts: dict[tuple[int, str], tuple[Change, str]] = {}

    @property
    def changes(self) -> Sequence[Change]:
        """All there are."""
        raise NotImplementedError

    def rows_of(self, changes: Sequence[Change], opened: frozenset[str]) -> ReviewRows:
        """Rows of what is listed, the groups with the keys `opened` unfolded."""
        raise NotImplementedError

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision."""
        raise NotImplementedError

    def caution(self, changes: Sequence[Change]) -> str:
        """What a person must know before accepting several at once; empty: nothing."""
        return ""

    def say_where(self) -> None:
        """Say what is listed."""
        raise NotImplementedError

    # What is listed

    @property
    def listed(self) -> Sequence[Change]:
        """The changes that the filter leaves."""
        words = self._words.lower().split()
        changes = self.changes
        return [one for one in changes if all(word in self._text(one) for word in words)] if words else changes

    def _text(self, change: Change) -> str:
        key = change.id, change.ops[0].id if change.ops else ""
        known = self._texts.get(key)
        if known is None or known[0] is not change:
            known = self._texts[key] = change, self.search_text(change)
        return known[1]

    def search_text(self, change: Change) -> str:
        """All that a person might look for a change by, in lower case."""
        return search_text(change)

    def show_rows(self, keep: str | None = None) -> None:
        """Show the changes as they are now, with the cursor on the row of key `keep`, else on what it was on."""
        rows = self.rows_of(self.listed, self._opened)
        self.table.show(rows, keep=keep or self.table.cursor_key)
        self.say_where()

    def loader_of(self, id: str) -> str:
        matrix = self.session.matrix
        row = matrix.rows.get(id)
        # An entry outside of the universe has no loader; what stands before the variant looks like one.
        return matrix.columns["loader"][row] if row is not None else id.rpartition("-")[0].partition("-")[0]

    def fold(self, keys: set[str], *, opened: bool, keep: str | None) -> None:
        """Show or hide the changes of groups."""
        self._opened = self._opened | keys if opened else self._opened - keys
        self.show_rows(keep)

    def action_group(self) -> None:
        """Group by the next thing that changes can have in common."""
        line, rows = self.table.line, self.table.rows
        self.by = self.ORDER[(self.ORDER.index(self.by) + 1) % len(self.ORDER)]
        self._opened = frozenset()
        self.show_rows(rows.change_key(line.change) if line and line.change else None)

    # The filter

    @property
    def filtering(self) -> bool:
        return bool(self._words)

    def filter_by(self, text: str) -> None:
        self._words = text
        self.show_rows()
        self.query_one(FilterBar).note(f"{len(self.listed):,} of {counted(len(self.changes), self.NAME)}")

    def action_filter(self) -> None:
        bar = self.query_one(FilterBar)
        bar.display = True
        # At once: what is typed right after the key belongs to the filter, and must never run as commands.
        self.set_focus(bar.input)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the filter itself a slash is a slash."""
        return not isinstance(self.focused, QueryInput) if action == "filter" else True

    def leave_filter(self) -> None:
        """Go back to the rows; a filter that leaves nothing out is not shown."""
        self.set_focus(self.table)
        self.query_one(FilterBar).display = self.filtering

    def clear_filter(self) -> None:
        """Show all changes again."""
        bar = self.query_one(FilterBar)
        bar.input.value = ""
        bar.display = False

    # Decisions

    @property
    def current(self) -> Change | None:
        """The change under the cursor."""
        return self.table.line.change if self.table.line else None

    def action_next_undecided(self, step: int) -> None:
        found = self.table.rows.next_undecided(self.table.cursor, step)
        if found is not None:
            self.table.cursor = found
        elif not any(change.decision is Decision.UNDECIDED for change in self.listed):
            self.host.say("Nothing is undecided.")

    def _decide(self, decision: Decision, verb: str) -> None:
        """Decide the change under the cursor and go on; of a group, all of it, after asking."""
        if self.current is None:
            if self.table.line is not None:
                self._decide_rest(decision, verb)
            return
        self.decide(decision, [self.current])
        found = self.table.rows.next_undecided(self.table.cursor, 1)
        self.table.cursor = self.table.cursor if found is None else found

    def action_accept(self) -> None:
        self._decide(Decision.ACCEPTED, "Accept")

    def action_reject(self) -> None:
        self._decide(Decision.REJECTED, "Reject")

    def action_skip(self) -> None:
        self.action_next_undecided(1)

    def action_accept_rest(self) -> None:
        self._decide_rest(Decision.ACCEPTED, "Accept")

    def action_reject_rest(self) -> None:
        self._decide_rest(Decision.REJECTED, "Reject")

    def _decide_rest(self, decision: Decision, verb: str) -> None:
        """Decide what is undecided in the group under the cursor, of what the filter leaves."""
        line = self.table.line
        undecided = line.group.undecided if line else ()
        rest = [change for change in undecided if change.ops]
        where = " in this group" if self.by else ""
        if line is None or not rest:
            lacking = f"Nothing to {verb.lower()}: nothing is proposed for {counted(len(undecided), self.NAME)}{where}."
            self.host.say(lacking if undecided else f"Nothing is undecided{where}.")
            return
        operations = counted(sum(len(change.ops) for change in rest), "operation")
        name = self.table.rows.name(line.group)
        caution = self.caution(rest) if decision is Decision.ACCEPTED else ""
        others = len(undecided) - len(rest)
        beside = f"Nothing is proposed for {counted(others, 'other ' + self.NAME)}{where}." if others else ""
        body = "\n".join(filter(None, (caution, name, f"{operations} in all.", beside)))
        question = Confirm(f"{verb} {counted(len(rest), self.NAME)}?", body, verb=verb.lower())
        self.app.push_screen(question, lambda yes: self.decide(decision, rest) if yes else None)

    def action_undo(self) -> None:
        self.host.undo()

    def action_redo(self) -> None:
        self.host.redo()


class ListActions(ChangeList):
    """The pending changes, and who of two wins where both changed something."""

    ORDER: ClassVar[Sequence[GroupBy]] = tuple(GroupBy)

    @property
    def changes(self) -> Sequence[Change]:
        return self.session.pending.changes

    def rows_of(self, changes: Sequence[Change], opened: frozenset[str]) -> ReviewRows:
        by = GroupBy(self.by)
        return ReviewRows(group_changes(changes, by, self.loader_of), by, opened, self.session.conflicts)

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self.host.decide(decision, [change.id for change in changes])

    def action_take(self, side: str) -> None:
        """Decide what was changed elsewhere too."""
        change = self.current
        found = self.session.conflicts(change) if change else ()
        if change is None or not found:
            self.host.say("This was not changed elsewhere.")
            return
        self.host.resolve(change.id, found, Take(side))
