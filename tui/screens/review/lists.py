# SPDX-License-Identifier: Apache-2.0
"""A list of changes in groups, filtered, and what a person decides about them: what review and triage share."""

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import Protocol, TypeVar

from textual.timer import Timer

from core.base.text import counted
from core.edits.pending import Change, ChangeGroup, Decision
from core.matrix import Matrix
from core.matrix.view import Targets
from tui.commands import Changes, Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import Confirm
from tui.screens.list_and_text import ListAndText, title_of_text
from tui.screens.review.threshold import ask_for_threshold
from tui.view_models import Line, PendingLook, ReviewLine, ReviewRows, diff_style, heading_key
from tui.widgets import LinesView, MatrixTable, RowTable, TextLines, WordFilter

T = TypeVar("T")

_DELAY = 0.06
"""Seconds the cursor must rest before what it is on is worked out."""


class PreviewPane:
    """Two widgets and a timer; `ask` is called once the cursor rests, and shows something sooner or later."""

    def __init__(self, ask: Callable[[], None]) -> None:
        # Attributes, not looked up: what is worked out may come while the screen is taken apart.
        self.headline = title_of_text()
        self.view = LinesView(diff_style, id="text")
        self._ask = ask
        self._asked = 0
        """A count of requests."""
        self._timer: Timer | None = None

    @property
    def width(self) -> int:
        """Cells of a line."""
        return self.view.line_width

    def ask(self) -> None:
        """Ask now; an answer to an earlier question that comes from now on is not shown."""
        self._asked += 1
        self._ask()

    def drop(self) -> None:
        """Something else is going to be shown: what was asked for is not, whether it was asked or about to be."""
        self._asked += 1
        if self._timer is not None:
            self._timer.stop()

    def if_last(self, show: Callable[[T], None]) -> Callable[[T], None]:
        """`show` for an answer that comes later: it does nothing once something else was asked."""
        asked = self._asked
        return lambda answer: show(answer) if asked == self._asked else None

    def ask_soon(self) -> None:
        """Ask once nothing has asked for it for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.view.set_timer(_DELAY, self.ask)

    def say(self, headline: str) -> None:
        """Show another headline over the same lines."""
        self.headline.say(headline)

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, from the first one."""
        self.view.show(TextLines(lines))


class ChangeSource(Protocol):
    """A source of changes to decide on, with the effect of decisions."""

    @property
    def orders(self) -> Sequence[StrEnum]:
        """The groupings, in the order of the key; the empty one has no headings."""

    @property
    def noun(self) -> str:
        """The noun for one of them."""

    @property
    def changes(self) -> Sequence[Change]:
        """All there are."""

    def rows(
        self,
        changes: Sequence[Change],
        by: StrEnum,
        opened: Collection[str],
        left_out: Collection[str],
        matches: Callable[[str], bool],
    ) -> ReviewRows:
        """Rows of `changes`, which are filtered already; the groups with the keys `opened` are unfolded.

        `left_out` are keys of rows that a decision on a group leaves out. `matches` tells whether the filter leaves a
        text, for what is listed beside the changes.
        """

    def search_text(self, change: Change) -> str:
        """All that a person might look for a change by, in lower case."""

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision."""

    def other_way(self, changes: Sequence[Change]) -> str:
        """Another way to accept several, in words; empty: there is none."""

    def accept_otherwise(self, changes: Sequence[Change]) -> None:
        """Accept several in that way."""

    def warning(self, changes: Sequence[Change]) -> str:
        """A warning before several are accepted at once; empty: there is none."""

    def named_first(self, change: Change) -> bool:
        """Whether a question about several names it before others."""


class ChangeTable(RowTable):
    """The table of changes, with the keys of a table and of groups."""

    BINDINGS = MatrixTable.BINDINGS

    def __init__(
        self, fold: Callable[[set[str], bool, str | None], None], leave_out: Callable[[], None] = lambda: None
    ) -> None:
        """`fold` unfolds the groups with these keys, or folds them, with the cursor on the row of a key.

        `leave_out` leaves the change under the cursor out of decisions on its group, or takes it in again.
        """
        super().__init__(ReviewRows((), PendingLook()), id="changes")
        self._fold_groups = fold
        self._leave_out = leave_out
        self.foldable = True
        """Whether the changes are in groups."""

    def places(self) -> tuple[Where, ...]:
        return (*super().places(), *((Where.TREE,) if self.foldable else ()))

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

    def action_leave_out(self) -> None:
        self._leave_out()

    def action_fold_all(self, opened: bool) -> None:
        self._fold(self.rows.groups, opened=opened)

    def _fold(self, groups: Sequence[ChangeGroup], *, opened: bool) -> None:
        line, keys = self.line, {group.key for group in groups}
        if line is not None:
            hidden = line.change is not None and not opened and line.group.key in keys
            self._fold_groups(keys, opened, heading_key(line.group) if hidden else self.cursor_key)


class ChangeList:
    """The table with its filter, its groups and the decisions on what is under the cursor.

    `shown` is called whenever the rows have changed; `say` tells a person why nothing happens.
    """

    def __init__(
        self,
        source: ChangeSource,
        say: Callable[[str], None],
        shown: Callable[[], None],
        *,
        placeholder: str,
        table: type[ChangeTable] = ChangeTable,
    ) -> None:
        self.source = source
        self.table = table(self._fold, self.toggle_left_out)
        self.filter = WordFilter(self.table, self.show, placeholder)
        self._chosen: StrEnum | None = None
        """The grouping that a person chose; None: the first order of the source."""
        self._say = say
        self._shown = shown
        self._opened: frozenset[str] = frozenset()
        self.left_out: frozenset[str] = frozenset()
        """Keys of the rows of changes that a decision on their group leaves out."""

    # What is listed

    @property
    def by(self) -> StrEnum:
        """The grouping of the changes."""
        return self.source.orders[0] if self._chosen is None else self._chosen

    @property
    def listed(self) -> Sequence[Change]:
        """The changes that the filter leaves."""
        changes = self.source.changes
        return (
            [one for one in changes if self.filter.matches(self.source.search_text(one))]
            if self.filter.active
            else changes
        )

    @property
    def current(self) -> Change | None:
        """The change under the cursor."""
        return self.table.line.change if self.table.line else None

    @property
    def selected(self) -> Sequence[Change]:
        """The change under the cursor or, on a heading, all of the group that is not left out."""
        line = self.table.line
        if line is None:
            return ()
        return self._meant(line.group.changes) if line.change is None else (line.change,)

    def _meant(self, changes: Sequence[Change]) -> Sequence[Change]:
        """`changes` without those that are left out."""
        key = self.table.rows.look.key
        return tuple(one for one in changes if key(one) not in self.left_out) if self.left_out else changes

    def toggle_left_out(self) -> None:
        """Leave the change under the cursor out of decisions on its group, or take it in again; go to the next row."""
        if self.current is not None and (key := self.table.cursor_key) is not None:
            self.left_out = self.left_out ^ {key}
            self.show()
            self.table.cursor += 1

    def show(self, keep: str | None = None) -> None:
        """Show the changes as they are now, with the cursor on the row of key `keep`, else where it was."""
        listed = self.listed
        rows = self.source.rows(listed, self.by, self._opened, self.left_out, self.filter.matches)
        self.table.foldable = bool(self.by)
        self.table.show(rows, keep=keep or self.table.cursor_key)
        whole = len(self.source.changes)
        self.filter.note(f"{len(listed):,} of {counted(whole, self.source.noun)}" if whole else "")
        self._shown()

    def go_to(self, wanted: Callable[[Change], bool]) -> None:
        """Put the cursor on the group with the first change that is wanted, or on that change if it has no heading."""
        rows = self.table.rows
        for group in rows.groups:
            found = next(filter(wanted, group.changes), None)
            if found is not None:
                heading = heading_key(group)
                self.table.go_to(rows.look.key(found) if rows.position_of(heading) is None else heading, 1)
                return

    def show_folded(self) -> None:
        """Show other changes, with all groups folded."""
        self._opened = frozenset()
        self.show()

    def _fold(self, keys: set[str], opened: bool, keep: str | None) -> None:
        self._opened = self._opened | keys if opened else self._opened - keys
        self.show(keep)

    def toggle(self, group: ChangeGroup) -> None:
        """Unfold a group, or fold it."""
        self._fold({group.key}, group.key not in self._opened, heading_key(group))

    def group(self) -> None:
        """Group by the next thing that changes can have in common."""
        change, rows, orders = self.current, self.table.rows, self.source.orders
        self._chosen = orders[(orders.index(self.by) + 1) % len(orders)]
        self._opened = frozenset()
        self.show(rows.look.key(change) if change else None)

    # Decisions

    def next_undecided(self, step: int) -> None:
        """Go to the nearest undecided change, forwards (1) or backwards (-1)."""
        found = self.table.rows.next_undecided(self.table.cursor, step)
        if found is not None:
            self.table.cursor = found

    def decide(self, decision: Decision) -> None:
        """Decide the change under the cursor and go to the next one; of a group, all of it, after asking."""
        if self.current is not None:
            if decision is Decision.ACCEPTED and self.source.other_way([self.current]):
                self.decide_rest(decision, [self.current])
            else:
                self._decide(decision, [self.current])
        elif self.table.line is not None:
            self.decide_rest(decision)

    def _decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self.source.decide(decision, changes)
        self.go_on()

    def go_on(self) -> None:
        """Go to the next change or group that is undecided."""
        found = self.table.rows.next_undecided(self.table.cursor, 1)
        self.table.cursor = self.table.cursor if found is None else found

    def decide_rest(self, decision: Decision, only: Sequence[Change] = ()) -> None:
        """Decide what is undecided in the group under the cursor, of what the filter leaves, after asking.

        With `only`, ask about these of it.
        """
        line, noun = self.table.line, self.source.noun
        undecided = self._meant(line.group.undecided) if line else ()
        undecided = only or undecided
        rest = [change for change in undecided if change.ops]
        verb = "Accept" if decision is Decision.ACCEPTED else "Reject"
        where = " in this group" if self.by else ""
        if line is None or not rest:
            lacking = f"Nothing to {verb.lower()}: nothing is proposed for {counted(len(undecided), noun)}{where}."
            self._say(lacking if undecided else f"Nothing is undecided{where}.")
            return
        operations = counted(sum(len(change.ops) for change in rest), "operation")
        name = self.table.rows.look.name(line.group)
        warning = self.source.warning(rest) if decision is Decision.ACCEPTED else ""
        others = len(undecided) - len(rest)
        beside = f"Nothing is proposed for {counted(others, 'other ' + noun)}{where}." if others else ""
        in_order = sorted(rest, key=lambda one: not self.source.named_first(one))
        names = Targets(tuple(dict.fromkeys(op.id for change in in_order for op in change.ops))).listing
        body = "\n".join(filter(None, (warning, name, names, f"{operations} in all.", beside)))
        other = self.source.other_way(rest) if decision is Decision.ACCEPTED else ""
        question = Confirm(f"{verb} {counted(len(rest), noun)}?", body, verb=verb.lower(), other=other)

        def answered(yes: bool | None) -> None:
            if question.other_chosen:
                self.source.accept_otherwise(rest)
            elif yes and not only and line.change is not None:
                # From a change in the group, a person goes on in it.
                self.source.decide(decision, rest)
            elif yes:
                self._decide(decision, rest)

        self.table.app.push_screen(question, answered)


def loader_of(matrix: Matrix, id: str) -> str:
    """The loader of a test, relative to the models; of an id that no loader has, the part that looks like one."""
    row = matrix.rows.get(id)
    if row is None and "::" in id:
        # An op case has none: its model says as much.
        return id.partition("::")[0]
    return matrix.columns["loader"][row] if row is not None else id.rpartition("-")[0].partition("-")[0]


class DecisionScreen(ListAndText[Change]):
    """A screen over a ChangeList, whose keys work wherever the focus is, and below it a preview.

    What a person decides with is here, for both screens of changes.
    """

    def __init__(self, context: Context, listing: ChangeList) -> None:
        self.listing = listing
        self.pane = PreviewPane(self.ask_preview)
        super().__init__(context, listing.table, self.pane.view, title=self.pane.headline, filter=listing.filter)

    @property
    def current(self) -> Change | None:
        return self.listing.current

    def places(self) -> tuple[Where, ...]:
        screen, *others = super().places()
        return (screen, Where.DECISIONS, *others)

    def test_of(self, change: Change) -> str:
        """The test to go to from a change; empty: it has none."""
        return next((op.id for op in change.ops), "")

    def take_threshold(self, change: Change, text: str) -> None:
        """Propose the change with another threshold, which has been checked."""

    def ask_preview(self) -> None:
        """Work out what to show below for what is under the cursor."""

    def show_text(self) -> None:
        self.pane.ask_soon()

    def resized(self) -> None:
        self.pane.ask()

    def lacks(self, need: Need) -> bool:
        pending = self.session.pending
        match need:
            case Need.TO_DECIDE:
                return self.listing.table.line is None
            case Need.UNDECIDED:
                table = self.listing.table
                return all(table.rows.next_undecided(table.cursor, step) is None for step in (1, -1))
            case Need.UNDO:
                return not pending.past
            case Need.REDO:
                return not pending.future
            case _:
                return super().lacks(need)

    # Actions

    @command(
        "decide.accept",
        Where.DECISIONS,
        "a",
        "Accept",
        "Accept the change, or all of the group",
        footer=True,
        needs=Need.TO_DECIDE,
        changes=Changes.EDITS,
        aliases="approve yes promote",
        hint=Hint("decide", "{app.review} to review", where=Where.TRIAGE),
    )
    def action_accept(self) -> None:
        self.listing.decide(Decision.ACCEPTED)

    @command(
        "decide.reject",
        Where.DECISIONS,
        "x",
        "Reject",
        "Reject the change, or all of the group",
        footer=True,
        needs=Need.TO_DECIDE,
        changes=Changes.EDITS,
        aliases="no drop",
    )
    def action_reject(self) -> None:
        self.listing.decide(Decision.REJECTED)

    @command(
        "decide.accept_rest",
        Where.DECISIONS,
        "A",
        "Accept all",
        "Accept the rest of the group; asks",
        changes=Changes.EDITS,
    )
    def action_accept_rest(self) -> None:
        self.listing.decide_rest(Decision.ACCEPTED)

    @command(
        "decide.reject_rest",
        Where.DECISIONS,
        "X",
        "Reject all",
        "Reject the rest of the group; asks",
        changes=Changes.EDITS,
    )
    def action_reject_rest(self) -> None:
        self.listing.decide_rest(Decision.REJECTED)

    @command(
        "decide.next",
        Where.DECISIONS,
        "n,s",
        "Next",
        "Decide later: go to the next undecided one",
        action="next_undecided(1)",
        footer=True,
        needs=Need.UNDECIDED,
        aliases="skip later",
    )
    @command(
        "decide.previous",
        Where.DECISIONS,
        "N",
        "Previous",
        "Go to the undecided one before",
        action="next_undecided(-1)",
        needs=Need.UNDECIDED,
    )
    def action_next_undecided(self, step: int) -> None:
        self.listing.next_undecided(step)

    @command(
        "decide.threshold",
        Where.DECISIONS,
        "p",
        "Threshold",
        "Type another threshold over the proposed one",
        needs=Need.TO_DECIDE,
        changes=Changes.EDITS,
    )
    def action_threshold(self) -> None:
        """Type another threshold over the one that the change under the cursor sets."""
        change = self.current
        ask_for_threshold(
            self.app, self.context, change, lambda text: self.take_threshold(change, text) if change else None
        )

    @command(
        "decide.undo",
        Where.DECISIONS,
        "u",
        "Undo",
        "Undo the last step",
        footer=True,
        needs=Need.UNDO,
        changes=Changes.EDITS,
    )
    def action_undo(self) -> None:
        self.context.edits.undo()

    @command("decide.redo", Where.DECISIONS, "U", "Redo", "Redo the step", needs=Need.REDO, changes=Changes.EDITS)
    def action_redo(self) -> None:
        self.context.edits.redo()

    @command(
        "decide.group",
        Where.DECISIONS,
        "m",
        "Group",
        "Group by something else: change, loader, reason",
        footer=True,
        needs=Need.TO_DECIDE,
    )
    def action_group(self) -> None:
        self.listing.group()

    @command(
        "decide.go",
        Where.DECISIONS,
        "enter",
        "Go to",
        "Show the test in the matrix; unfold a group",
        needs=Need.TO_DECIDE,
    )
    def action_go_to_test(self) -> None:
        """Show the test in the matrix; a heading is unfolded or folded."""
        line, change = self.listing.table.line, self.current
        id = self.test_of(change) if change is not None else ""
        if id:
            self.go_to_test(id)
        elif line is not None:
            self.listing.toggle(line.group)
