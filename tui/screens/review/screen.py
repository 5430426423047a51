# SPDX-License-Identifier: Apache-2.0
"""Review: pending changes above, their effect below; decide, edit, write, commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.widgets import Static

from core import evidence
from core.base.errors import TTMatrixError
from core.base.text import counted, one_line
from core.edits import EntryForm, FieldForm, Operation, combined, proposed_cases, retyped, with_operations
from core.edits.commit import issues_in
from core.edits.pending import Change, Decision, Take, proposed
from core.evidence.analysis import issue_link
from tui.commands import Changes, Hint, Need, Where, command
from tui.keymap import with_keys
from tui.protocol import Context
from tui.screens.dialogs import Ask
from tui.screens.matrix import SetFields
from tui.screens.review.lists import ChangeList, DecisionScreen
from tui.screens.review.pending import LoaderEdits, PendingChanges
from tui.screens.review.write import SummaryLine, Writer
from tui.view_models import (
    Cell,
    Line,
    Preview,
    change_name,
    count_words,
    decision_words,
    edit_lines,
    effect_words,
    make_preview,
    markdown_lines,
    paragraph,
    preview_lines,
    whole_lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.evidence import Page
    from core.workflows import LoaderEdit

_NOTHING = "Nothing is pending: {matrix.set} in the matrix edits entries."
_UNCOMMITTED = "Nothing is pending. What was written is not committed yet: {review.commit} commits it."
_WAYS_OUT = "{review.theirs} takes theirs, {review.ours} takes ours"
_SUMMARY_LINES = 4
"""As many as `#written` has."""
_OF_RULE = 12
"""Cells of the rule above the pane that are not for words."""
_PLACEHOLDER = "words of a test, a change, a reason, a decision"


class ReviewScreen(DecisionScreen):
    """Decide on pending changes and take them to the files and into a commit."""

    PLACES = (Where.REVIEW,)
    PURPOSE = "Changes before they are written, with the cells and CI jobs that each would change."

    def __init__(self, context: Context) -> None:
        self.loader_edits = LoaderEdits(context, self._loader_edits_changed)
        source = PendingChanges(context, self.loader_edits, partial(self._show_summary, ()))
        super().__init__(context, ChangeList(source, context.notify.info, self._rows_shown, placeholder=_PLACEHOLDER))
        self.writer = Writer(self, self._show_summary)
        self.written = Static("", id="written", markup=False)
        self._whole = False
        """Whether the pane shows all that will be written."""
        self._summary: Sequence[SummaryLine] = ()
        """The outcome of the last write, until the person does something else."""
        self._summary_headline = ""
        self._effect = ""
        """The effect of the changes in the pane, in words."""

    def between(self) -> ComposeResult:
        yield self.written

    def on_mount(self) -> None:
        self.follow(self.context.signals.pending_changed, self._refresh)
        self.follow(self.context.signals.matrix_changed, self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.listing.show()
        self.fit_list()
        self.loader_edits.look()

    def on_screen_resume(self) -> None:
        self.loader_edits.look()

    # What is listed

    def _rows_shown(self) -> None:
        self.say_when_empty(
            "change", self._listed, self.first_step(_UNCOMMITTED if self.session.uncommitted else _NOTHING)
        )
        self._say_where()
        # The cursor may be where it was, and yet its place among the others be another one.
        self._say_headline()
        self._preview_soon()

    @property
    def _listed(self) -> int:
        """The number of changes and loader edits, unfiltered."""
        return len(self.session.pending.changes) + len(self.loader_edits.edits)

    def _loader_edits_changed(self) -> None:
        self.listing.show()
        self.fit_list()

    @property
    def lines_of_list(self) -> int:
        """The lines of all its rows, unfiltered."""
        edits = len(self.loader_edits.edits)
        return len(self.session.pending.changes) + (1 + edits if edits else 0)

    @property
    def alone(self) -> bool:
        return super().alone and not self._summary

    def _say_where(self) -> None:
        edits = self.loader_edits.edits
        self.title_line(
            decision_words(self.session.pending.changes) or ("" if edits else "nothing pending"),
            counted(len(edits), "loader edit") if edits else "",
            f"{len(self.listing.listed):,} visible" if self._listed and self.listing.filter.active else "",
        )

    @property
    def _current_edits(self) -> Sequence[LoaderEdit]:
        """The loader edits under the cursor; none where there is a change."""
        return self.listing.table.rows.edits_at(self.listing.table.cursor)

    @property
    def _is_empty(self) -> bool:
        """Whether there is neither a change nor a loader edit for the pane to show."""
        return not self.session.pending.changes and not self._current_edits

    @property
    def _hidden_accepted(self) -> int:
        """The number of accepted changes that the filter hides."""
        listed = {change.id for change in self.listing.listed}
        return sum(change.id not in listed for change in self.session.pending.accepted())

    def page(self) -> Callable[[], Page]:
        """The page of the job in which it began, as the change cites it; else of the newest job of its tests."""
        changes = self.listing.selected
        runs = [fact.since for one in changes for fact in one.facts]
        if url := next(filter(None, (*(one.job_url for one in runs), *(one.url for one in runs))), ""):
            return partial(evidence.Page, url)
        return self.page_of_tests([*dict.fromkeys(op.id for one in changes for op in one.ops)])

    def lacks(self, need: Need) -> bool:
        change, pending = self.listing.current, self.session.pending
        match need:
            case Need.CHANGE | Need.TO_DECIDE:
                return not self.listing.selected and not self._current_edits
            case Need.CONFLICT:
                return change is None or not self.session.conflicts(change)
            case Need.ACCEPTED:
                return not pending.accepted()
            case Need.PENDING:
                return not pending.to_commit() and not self.session.uncommitted
            case Need.COMMITTABLE:
                return not pending.accepted() and not self.session.uncommitted
            case _:
                return super().lacks(need)

    def close_one(self) -> bool:
        """First the summary of a write, then the filter."""
        if self._summary:
            self._show_summary(())
        elif self.listing.filter.active:
            self.listing.filter.clear()
        else:
            return False
        return True

    # The pane

    def show_text(self) -> None:
        self._preview_soon()
        self._say_headline()

    def _preview_soon(self) -> None:
        self._effect = ""
        self.pane.ask_soon()

    def _previewed(self) -> tuple[Change, ...]:
        """The changes that the pane shows: all accepted ones, the one under the cursor, or the rest of a group."""
        if self._whole:
            return self.session.pending.accepted()
        if self.listing.current is not None:
            return (self.listing.current,)
        return tuple(one for one in self.listing.selected if one.decision is not Decision.REJECTED)

    def ask_preview(self) -> None:
        if self._summary and self._is_empty:
            self._preview_summary()
            return
        if self._current_edits and not self._whole:
            self._preview_edits(self._current_edits)
            return
        changes, session, whole = self._previewed(), self.session, self._whole
        matrix, width, ways_out = session.matrix, self.pane.width, with_keys(_WAYS_OUT, self.context.keymap)
        operations = tuple(op for change in changes for op in change.ops)
        conflicts = [found for change in changes for found in session.conflicts(change)]

        def preview() -> tuple[Preview, Sequence[Line]]:
            planned = session.bench.plan(operations, matrix.schema, matrix.files)
            made = make_preview(planned, matrix, changes, conflicts, session.workspace.ci)
            return made, whole_lines(made) if whole else preview_lines(made, width, ways_out)

        self.context.background.run(
            "preview of changes", preview, self.pane.if_last(self._show_preview), supersede=True
        )

    def _show_preview(self, made: tuple[Preview, Sequence[Line]]) -> None:
        if not (self._summary and self._is_empty):
            preview, lines = made
            self._effect = effect_words(preview.cells)
            self._say_headline()
            self.pane.show(lines if self._effect_fits else [*self._effect_lines(), *lines])

    def _say_headline(self) -> None:
        """Show the headline of the pane: the test and the effect; loader edits and a summary have their own."""
        if not self._current_edits and not (self._summary and self._is_empty):
            effect = self._effect if self._effect_fits else ""
            self.pane.say(f"{self._title_of_change()}   {effect}".rstrip() if self.session.pending.changes else "")

    @property
    def _effect_fits(self) -> bool:
        """Whether the rule above the pane has room for all of the effect; else it is the first of the lines."""
        return cell_len(self._title_of_change()) + cell_len(self._effect) + _OF_RULE <= self.pane.width

    def _effect_lines(self) -> Sequence[Line]:
        return paragraph(self._effect, "heading", self.pane.width)

    def _title_of_change(self) -> str:
        """The test that the change is about, or the changes of the group; where the cursor is, is above the list."""
        line = self.listing.table.line
        if self._whole:
            return "what will be written"
        if line is None:
            return "nothing matches the filter"
        return count_words(line.group) if line.change is None else change_name(line.change)

    def _preview_edits(self, edits: Sequence[LoaderEdit]) -> None:
        words = edits[0].edited.edit.summary if len(edits) == 1 else counted(len(edits), "loader edit")
        changed = any(edit.overtaken for edit in edits)
        accept, reject = map(self.context.keymap.key, ("decide.accept", "decide.reject"))
        keys = "changed since then: revert it by hand" if changed else f"{accept} keeps it, {reject} reverts it"
        self.pane.say(f"{one_line(words)}   {keys}")
        self.pane.show(edit_lines(edits))

    def _preview_summary(self) -> None:
        """The summary of a write, where there is nothing else to show."""
        self.pane.say(self._summary_headline)
        self.pane.show(
            [
                (Cell(line.text, "error" if line.lost else "" if at else "heading"),)
                for at, line in enumerate(self._summary)
            ]
        )

    def _show_summary(self, lines: Sequence[SummaryLine], headline: str = "") -> None:
        """Say what is known of a write until the person does something else."""
        self._summary, self._summary_headline = lines, headline
        self.written.set_class(bool(lines) and not self._is_empty, "shown")
        self.written.set_class(any(line.lost for line in lines), "error")
        # A line each as long as all of them have room: a path that wraps among other words is hard to read.
        between = "\n" if len(lines) <= _SUMMARY_LINES else " · "
        self.written.update(between.join(line.text for line in lines))
        self.fit_list()
        self._preview_soon()

    # Decisions

    def action_accept(self) -> None:
        if self._current_edits:
            self.loader_edits.explain()
        else:
            super().action_accept()

    def action_reject(self) -> None:
        if self._current_edits:
            self.loader_edits.ask_to_revert(self, self._current_edits)
        else:
            super().action_reject()

    @command(
        "review.edit",
        Where.REVIEW,
        "E",
        "Edit",
        "Edit what this change proposes",
        footer=True,
        needs=Need.CHANGE,
        changes=Changes.EDITS,
    )
    def action_edit(self) -> None:
        """Open the form on the change under the cursor; the edited change replaces it."""
        change = self.listing.current
        if change is None:
            self.context.notify.info("This is a group: unfold it, then edit one of its changes.")
        elif self.session.conflicts(change):
            theirs, ours = map(self.context.keymap.key, ("review.theirs", "review.ours"))
            sides = f"{theirs} takes their value, {ours} takes ours"
            self.context.notify.info(f"The files have changed here too: {sides}. Then you can edit it.")
        else:
            ids = list(dict.fromkeys(op.id for op in change.ops))
            try:
                form = self._form(change, ids)
            except TTMatrixError as error:
                self.context.notify.error(error)
                return
            dialog = SetFields(form, one_line(ids[0]) if len(ids) == 1 else counted(len(ids), "test"))
            self.app.push_screen(dialog, partial(self._edited, change))

    def take_threshold(self, change: Change, text: str) -> None:
        self._edited(change, retyped(change.ops, text))

    @command(
        "review.note",
        Where.REVIEW,
        "i",
        "Note",
        "Note the issue whose end should undo this",
        needs=Need.CHANGE,
        changes=Changes.EDITS,
    )
    def action_note(self) -> None:
        """Note the issue after whose end the changes under the cursor are to be undone; empty: forget it."""
        changes = self.listing.selected
        if not changes:
            return
        one = self.listing.current or changes[0]
        title = "Undo this change once which issue is closed?"
        body = "123, tt-xla#123, owner/repository#123 or a URL; empty: no note. The commit says it, the files do not."
        question = Ask(title, body, value=one.restore, verb="note", check=_issue, empty=True)
        self.app.push_screen(question, partial(self._noted, changes))

    @command(
        "review.theirs",
        Where.REVIEW,
        "T",
        "Take theirs",
        "Resolve a conflict: keep their value",
        action="take('theirs')",
        needs=Need.CONFLICT,
        changes=Changes.EDITS,
    )
    @command(
        "review.ours",
        Where.REVIEW,
        "O",
        "Take ours",
        "Resolve a conflict: write our value",
        action="take('ours')",
        needs=Need.CONFLICT,
        changes=Changes.EDITS,
    )
    def action_take(self, side: str) -> None:
        """Resolve what was changed elsewhere too."""
        change = self.listing.current
        found = self.session.conflicts(change) if change else ()
        if change is not None:
            self.context.edits.resolve(change.id, found, Take(side))

    @command(
        "review.write",
        Where.REVIEW,
        "w",
        "Write",
        "Write accepted changes to the files",
        footer=True,
        needs=Need.ACCEPTED,
        changes=Changes.FILES,
        aliases="save apply",
    )
    def action_write(self) -> None:
        self.writer.ask_to_write(self._hidden_accepted)

    @command(
        "review.commit",
        Where.REVIEW,
        "c",
        "Commit",
        "Write and commit accepted changes",
        footer=True,
        needs=Need.COMMITTABLE,
        changes=Changes.FILES,
        aliases="git save",
        hint=Hint("write", "{review.commit} commits what is accepted", also=("review.write",)),
    )
    def action_commit(self) -> None:
        self.writer.commit(self._hidden_accepted, len(self.loader_edits.edits))

    @command("review.whole", Where.REVIEW, "d", "Whole diff", "Toggle this change / all that will be written")
    def action_whole_diff(self) -> None:
        self._whole = not self._whole
        self._show_summary(())
        self.pane.ask()

    @command(
        "review.text",
        Where.REVIEW,
        "D",
        "Text",
        "Show and copy the text of a pull request",
        footer=True,
        needs=Need.PENDING,
        aliases="pr pull request markdown consequences",
    )
    def action_text(self) -> None:
        """Of what is accepted; of all changes while none is."""
        self._show_summary(())
        self.pane.drop()
        self.pane.say("what a commit would do: comparing …")
        show = self.pane.if_last(self._show_consequences)

        def failed(error: TTMatrixError) -> None:
            self.pane.ask()
            self.context.notify.error(error)

        self.context.background.run(
            "text of pending changes", self.session.pending_text, show, supersede=True, fail=failed
        )

    def _show_consequences(self, text: str) -> None:
        self.context.notify.copy(text)
        self.pane.say("what a commit would do, as the text of a pull request")
        self.pane.show(markdown_lines(text, self.pane.width))

    def _noted(self, changes: Sequence[Change], text: str | None) -> None:
        if text is not None:
            self.context.edits.note(_issue(text), [change.id for change in changes])

    def _form(self, change: Change, ids: Sequence[str]) -> FieldForm:
        """The form of a change as it is proposed. Raises TTMatrixError for one that has no fields."""
        if any(op.is_case for op in change.ops):
            return proposed_cases(change.placed(), self.session.present)
        return EntryForm(with_operations(self.session.matrix, change.ops), ids)

    def _edited(self, change: Change, edits: Sequence[Operation] | None) -> None:
        if edits:
            both = (*change.ops, *edits)
            cases = any(op.is_case for op in both)
            operations = both if cases else combined(self.session.matrix, change.ops, edits)
            made = proposed(operations, change.note, self.session.present)
            edited = replace(
                made, evidence=change.evidence, facts=change.facts, restore=change.restore, cause=change.cause
            )
            self.context.edits.replace(change.id, edited if operations else None)
            if not operations:
                words = "The entry already says this, so the change was removed; {decide.undo} restores it."
                self.context.notify.info(with_keys(words, self.context.keymap))


def _issue(text: str) -> str:
    """An issue as `owner/repository#number`; empty for none. Raises UsageError for what is no reference to one."""
    found = issues_in(issue_link(text)) if text.strip() else [""]
    return found[0]
