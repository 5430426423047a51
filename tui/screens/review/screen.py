# SPDX-License-Identifier: Apache-2.0
"""Review: pending changes above, what they come to below; decide, edit, write, commit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from core.edits import Operation, amended, as_proposed
from core.edits.pending import Change, Decision, proposed
from core.errors import TTMatrixError
from core.text import one_line
from tui.commands import Where, bindings
from tui.protocol import Host
from tui.screens.matrix import SetFields
from tui.screens.review.loader_edits import EditActions
from tui.screens.review.write import LOST, WriteActions
from tui.session import Session
from tui.view_models import (
    Cell,
    Line,
    Preview,
    count_words,
    counted,
    decision_words,
    diff_style,
    edit_lines,
    effect_words,
    make_preview,
    preview_lines,
    whole_lines,
)
from tui.widgets import FilterBar, KeptText, KeyLine, LinesView, RowTable, TextLines

_DELAY = 0.06
"""Seconds the cursor must rest before what it is on is worked out."""
_NOTHING = "nothing pending: E in the matrix changes entries"


class ReviewScreen(EditActions, WriteActions):
    """Decide on pending changes and take them to the files and into a commit."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.REVIEW)

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__(session, host)
        # Held, not looked up: what is worked out may come due while the screen is taken apart.
        self.diff_view = LinesView(diff_style, id="diff")
        self.written = Static("", id="written", markup=False)
        self.diff_title = Static("", id="diff-title", markup=False)
        self._whole = False
        self._summary: Sequence[str] = ()
        """What became of the last write, until the person goes on."""
        self._effect = ""
        """What the changes on show come to, in words."""

    def places(self) -> tuple[Where, ...]:
        if self.diff_view.has_focus:
            return (Where.REVIEW, Where.LINES)
        return (Where.REVIEW, Where.TABLE, *((Where.TREE,) if self.by else ()))

    def compose(self) -> ComposeResult:
        yield KeptText("", id="title", markup=False)
        bar = FilterBar(
            "", self.filter_by, self.leave_filter, placeholder="words of a test, a change, a reason, a decision"
        )
        bar.display = False
        yield bar
        with Vertical(id="changes-box"):
            yield self.table
        yield self.written
        yield self.diff_title
        yield self.diff_view
        yield KeyLine()

    def on_mount(self) -> None:
        self._timer = self.set_timer(_DELAY, self._ask_preview)
        self.follow(self.host.pending_changed, self._refresh)
        self.follow(self.host.matrix_changed, self._refresh)
        self.follow(self.host.runs_changed, self.say_where)
        self.table.focus()
        self._refresh()

    def _refresh(self) -> None:
        self.show_rows()
        self.fit_rows()
        self.look_for_edits()

    def show_rows(self, keep: str | None = None) -> None:
        super().show_rows(keep)
        # The cursor may be where it was, and yet what it is one of be another number.
        self._say_counter()
        self._preview_soon()

    def on_screen_resume(self) -> None:
        self.look_for_edits()

    def say_where(self) -> None:
        self.title_line(
            decision_words(self.session.pending.changes) or ("" if self._edits else _NOTHING),
            counted(len(self._edits), "loader edit") if self._edits else "",
            f"{len(self.listed):,} on show" if self.filtering else "",
        )

    @property
    def hidden_accepted(self) -> int:
        listed = {change.id for change in self.listed}
        return sum(change.id not in listed for change in self.session.pending.accepted())

    def go_back(self) -> None:
        """First what became of a write, then the filter, then the screen."""
        if self._summary:
            self.show_summary(())
        elif self.filtering:
            self.clear_filter()
        else:
            super().go_back()

    # What it comes to

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._preview_soon()
        self._say_counter()

    def _preview_soon(self) -> None:
        self._effect = ""
        self._timer.stop()
        self._timer = self.set_timer(_DELAY, self._ask_preview)

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self.show_summary(())
        super().decide(decision, changes)

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            self.fit_rows()
            self.call_after_refresh(self._ask_preview)

    def _shown(self) -> tuple[Change, ...]:
        """What the pane is about: all that is accepted, the change under the cursor, or what is left of a group."""
        if self._whole:
            return self.session.pending.accepted()
        line = self.table.line
        if line is None:
            return ()
        members = (one for one in line.group.changes if one.decision is not Decision.REJECTED)
        return (line.change,) if line.change is not None else tuple(members)

    def _ask_preview(self) -> None:
        if self._summary and not self._listed_any:
            self._show_written()
            return
        if self.edits and not self._whole:
            self._show_edits()
            return
        changes, session, whole = self._shown(), self.session, self._whole
        matrix, width = session.matrix, self.diff_view.line_width
        operations = tuple(op for change in changes for op in change.ops)
        conflicts = [found for change in changes for found in session.conflicts(change)]

        def preview() -> tuple[Preview, Sequence[Line]]:
            made = make_preview(matrix, changes, operations, conflicts, session.ci())
            return made, whole_lines(made) if whole else preview_lines(made, width)

        self.host.in_thread("preview", preview, self._show_preview, supersede=True)

    def _show_preview(self, made: tuple[Preview, Sequence[Line]]) -> None:
        if self._summary and not self._listed_any:
            return
        preview, lines = made
        self._effect = effect_words(preview.cells)
        self._say_counter()
        self.diff_view.show(TextLines(lines))

    def _say_counter(self) -> None:
        if not self.edits and not (self._summary and not self._listed_any):
            self.diff_title.update(f"{self._counter()}   {self._effect}" if self.session.pending.changes else "")

    def _show_edits(self) -> None:
        edits = self.edits
        words = edits[0].edited.edit.summary if len(edits) == 1 else counted(len(edits), "loader edit")
        keys = (
            "changed since: only by hand" if any(edit.overtaken for edit in edits) else "a leaves it, x takes it back"
        )
        self.diff_title.update(f"{one_line(words)}   {keys}")
        self.diff_view.show(TextLines(edit_lines(edits)))

    def _counter(self) -> str:
        """Where we are: `3/12` of what is listed, or which group."""
        line = self.table.line
        if self._whole:
            return "what will be written"
        if line is None:
            return "nothing matches the filter"
        if line.change is None:
            return count_words(line.group)
        place = next(at for at, one in enumerate(line.group.changes, 1) if one is line.change)
        return f"{place:,}/{len(line.group.changes):,}"

    @property
    def _listed_any(self) -> bool:
        """Whether there is a change or an edit that the pane is for."""
        return bool(self.session.pending.changes) or bool(self.edits)

    def show_summary(self, lines: Sequence[str]) -> None:
        self._summary = lines
        line = self.written
        line.set_class(bool(lines) and self._listed_any, "shown")
        line.set_class(any(_is_lost(one) for one in lines), "error")
        line.update(" · ".join(lines))
        self._preview_soon()

    def _show_written(self) -> None:
        """What became of the write, where there is nothing else to show."""
        self.diff_title.update("written")
        looks = (
            (Cell(line, "error" if _is_lost(line) else "heading" if not at else ""),)
            for at, line in enumerate(self._summary)
        )
        self.diff_view.show(TextLines(list(looks)))

    def action_whole_diff(self) -> None:
        self._whole = not self._whole
        self.show_summary(())
        self._ask_preview()

    def action_other_pane(self) -> None:
        (self.table if self.diff_view.has_focus else self.diff_view).focus()

    # Editing what is proposed

    def action_edit(self) -> None:
        """Open the form on the change under the cursor; what comes out of it takes its place."""
        change = self.current
        if change is None:
            self.host.say("E edits one change: unfold the group first." if self.table.line else "Nothing is pending.")
        elif self.session.conflicts(change):
            self.host.say("It was changed elsewhere too: t takes theirs, o takes ours. Then it can be edited.")
        else:
            try:
                matrix = as_proposed(self.session.matrix, change.ops)
            except TTMatrixError as error:
                self.host.tell(error)
                return
            form = SetFields(matrix, list(dict.fromkeys(op.id for op in change.ops)))
            self.app.push_screen(form, partial(self._edited, change))

    def _edited(self, change: Change, edits: Sequence[Operation] | None) -> None:
        if edits:
            operations = amended(self.session.matrix, change.ops, edits)
            made = proposed(operations, change.note, self.session.present)
            self.host.replace(change.id, replace(made, evidence=change.evidence) if operations else None)
            if not operations:
                self.host.say("The entry says that already, so nothing is left of the change; u brings it back.")


def _is_lost(line: str) -> bool:
    return line.startswith(LOST)
