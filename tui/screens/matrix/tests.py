# SPDX-License-Identifier: Apache-2.0
"""What is done with tests on the matrix screen: mark, run, edit, copy."""

from collections.abc import Callable, Sequence

from core.model import node_id
from core.text import one_line
from tui.screens.base import SessionScreen
from tui.targets import Targets, hidden_words
from tui.view_models import counted
from tui.widgets import MatrixTable


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
            self.host.say("Nothing to mark: no test is under the cursor.")
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
        view = self.session.view
        if view.marks:
            self.host.say(f"Unmarked {counted(len(view.marks), 'test')}{hidden_words(view.hidden_marks())}.")
        view.marks.clear()
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

    def _one(self, verb: str) -> str | None:
        """The test under the cursor; where there is none, a word about that."""
        if self.current is None:
            self.host.say(f"Nothing to {verb}: no single test is under the cursor.")
        return self.current

    def action_copy_id(self) -> None:
        if id := self._one("copy"):
            self.host.copy(id)

    def action_copy_node_id(self) -> None:
        if id := self._one("copy"):
            self.host.copy(node_id(self.session.matrix.function(self.session.matrix.rows[id]), id))

    def action_open_editor(self) -> None:
        if id := self._one("open"):
            self.host.open_editor(self.session.describe(id))

    # Runs and edits

    def targets(self) -> Targets:
        """What is meant: the marked tests, else those under the cursor."""
        return Targets.of(self.session.view, self.chosen())

    def _act(self, verb: str, act: Callable[[Targets], None], *, names: bool = False) -> None:
        # Imported here because it is no part of the first frame.
        from tui.screens.target_question import act_on

        act_on(self, verb, self.targets(), act, names=names)

    def action_run(self) -> None:
        """Run the test under the cursor at once; more than that is shown first."""
        if self.targets().plain:
            self.host.start_runs(self.targets().ids)
        else:
            self.action_run_with()

    def action_run_with(self) -> None:
        """Run with options; the dialog shows first what that means."""
        self._act("Run", lambda targets: self.host.choose_runs(targets.ids, targets.name), names=True)

    def action_triage(self) -> None:
        # Imported here because they are no part of the first frame.
        from core.workflows import is_target
        from tui.screens.target_question import act_on

        targets = self.targets()
        fitting = targets.where(lambda id: is_target(self.session.matrix, id))
        if targets.ids and not fitting.ids:
            self.host.say("Nothing to triage: workflows are for training entries of PyTorch models on a single device.")
            return
        if left_out := len(targets.ids) - len(fitting.ids):
            self.host.say(f"{counted(left_out, 'test')} left out: no workflow is for them.")
        act_on(self, "Triage", fitting, lambda chosen: self.host.triage(chosen.ids))

    def action_log(self) -> None:
        id = self._one("show")
        record = self.session.last_run(id) if id else None
        if record is not None:
            self.host.show_run(record.spec.run_id)
        elif id:
            self.host.say(f"{one_line(id)} has not been run here yet: r runs it.")

    def action_change_entry(self) -> None:
        def change(targets: Targets) -> None:
            # Imported here because it is no part of the first frame.
            from tui.screens.matrix.entry_menu import EntryMenu

            EntryMenu(self, targets.ids, targets.name).open()

        self._act("Change", change, names=True)

    def action_set_fields(self) -> None:
        def edit(targets: Targets) -> None:
            # Imported here because it is no part of the first frame.
            from tui.screens.matrix.set_fields import SetFields

            form = SetFields(self.session.matrix, targets.ids, targets.name)
            self.app.push_screen(form, self.host.propose)

        self._act("Edit", edit, names=True)
