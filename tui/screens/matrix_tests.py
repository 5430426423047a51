# SPDX-License-Identifier: Apache-2.0
"""What is done with tests on the matrix screen: mark, run, edit, copy."""

from collections.abc import Sequence

from core.model import node_id
from core.text import one_line
from tui.presentation import counted
from tui.screens.base import SessionScreen
from tui.widgets.matrix_table import MatrixTable

_MANY_RUNS = 8


class TestActions(SessionScreen):
    """The actions on the marked tests, or on what is under the cursor."""

    table: MatrixTable

    @property
    def current(self) -> str | None:
        """The id under the cursor; None where that is no single test."""
        raise NotImplementedError

    def chosen(self) -> Sequence[str]:
        """The ids under the cursor: one, or those of a group or a cell."""
        raise NotImplementedError

    def marks_changed(self) -> None:
        """Show the marks as they are now."""
        raise NotImplementedError

    # Marks

    def action_mark(self) -> None:
        """Mark or unmark what is under the cursor; several tests at once are said."""
        ids = self.chosen()
        if not ids:
            return
        marked = self.session.view.toggle_all(ids)
        if len(ids) > 1 or self.current is None:
            self.host.say(f"{'Marked' if marked else 'Unmarked'} {counted(len(ids), 'test')}.")
        elif self.table.has_focus:
            self.table.action_move(1)
        self.marks_changed()

    def action_mark_shown(self) -> None:
        self.session.view.mark_shown()
        self.marks_changed()

    def action_unmark(self) -> None:
        self.session.view.marks.clear()
        self.marks_changed()

    def action_mark_range(self) -> None:
        """Begin a range at the cursor, or mark the one that ends here."""
        table = self.table
        if not table.has_focus:
            return
        if table.range_start is None:
            table.range_start = table.cursor
            self.host.say("Move to the other end, then v marks what lies between; esc leaves it.")
        else:
            keys = [table.source.key(position) for position in table.ranged()]
            ids = [key for key in keys if key in self.session.matrix.rows]
            table.range_start = None
            self.session.view.mark(ids)
            self.host.say(f"Marked {counted(len(ids), 'test')}.")
        self.marks_changed()

    # Copies and files

    def action_copy_id(self) -> None:
        if self.current is not None:
            self.host.copy(self.current)

    def action_copy_node_id(self) -> None:
        if self.current is not None:
            function = self.session.matrix.function(self.session.matrix.rows[self.current])
            self.host.copy(node_id(function, self.current))

    def action_open_editor(self) -> None:
        if self.current is not None:
            self.host.open_editor(self.session.describe(self.current))

    # Runs and edits

    def targets(self) -> list[str]:
        """The ids that are meant: the marked ones, else those under the cursor."""
        return self.session.view.targets(self.chosen())

    def action_run(self) -> None:
        ids = self.targets()
        hidden = self.session.view.hidden_marks()
        if len(ids) <= _MANY_RUNS and not hidden:
            self.host.start_runs(ids)
        else:
            self.action_run_with()

    def action_run_with(self) -> None:
        """Run with options; the dialog shows first what that means."""
        if ids := self.targets():
            hidden = self.session.view.hidden_marks()
            self.host.choose_runs(ids, f"({hidden:,} of them hidden by the filter)" if hidden else "")

    def action_triage(self) -> None:
        self.host.triage(self.targets())

    def action_log(self) -> None:
        record = self.session.last_run(self.current) if self.current else None
        if record is None:
            self.host.say(f"{one_line(self.current or 'This')} has not been run here yet: r runs it.")
        else:
            self.host.show_run(record.spec.run_id)

    def action_change_entry(self) -> None:
        if ids := self.targets():
            # Imported here because it is no part of the first frame.
            from tui.screens.entry_menu import EntryMenu

            EntryMenu(self, ids).open()

    def action_set_fields(self) -> None:
        ids = self.targets()
        if not ids:
            return
        # Imported here because it is no part of the first frame.
        from tui.screens.set_fields import SetFields

        form = SetFields(self.session.matrix, ids)
        self.app.push_screen(form, lambda operations: self.host.propose(operations))
