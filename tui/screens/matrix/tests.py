# SPDX-License-Identifier: Apache-2.0
"""Actions on tests of the matrix screen: mark, run, edit, copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from core import edits, kinds, workflows
from core.base.errors import UsageError
from core.base.text import one_line
from core.domain.ids import TestId
from core.evidence import github
from core.matrix.view import Targets, hidden_words
from core.runs import planning
from tui import screens
from tui.commands import Need
from tui.screens.base import SessionScreen
from tui.screens.matrix.listing import Listing
from tui.view_models import counted

if TYPE_CHECKING:
    from core.evidence.github import OfJob
    from core.kinds import Kind
    from core.runs.planning import LaunchPlan
    from core.runs.store import RunRecord


class TestActions:
    """Acts on the marked tests, or on what is under the cursor. Its methods are the actions of the screen."""

    def __init__(self, screen: SessionScreen, listing: Listing, marks_changed: Callable[[], None]) -> None:
        """`marks_changed` shows the marks as they are now."""
        self._screen = screen
        self._context = screen.context
        self._session = screen.session
        self._listing = listing
        self._marks_changed = marks_changed

    def missing_for(self, need: Need) -> bool | None:
        """Whether what a command needs is missing; None where that is not about the tests that it is for."""
        current, session = self._listing.current or "", self._session
        match need:
            case Need.MODEL | Need.LOADER | Need.HISTORY:
                return not self._session.has_entry(current)
            case Need.TORCH:
                test = TestId.parse(current)
                return test is None or bool(planning.why_no_ops(test))
            case Need.OP_CASES:
                return not any(map(self._is_on_backends, self._listing.targets().ids))
            case Need.WORKFLOW_FITS:
                return not any(map(self._has_workflow, self._listing.targets().ids))
            case Need.REAL:
                kind = session.kind_of(current)
                return kind is not None and not kind.real
            case Need.RUN_HERE:
                return self._last_run() is None
            case _:
                return None

    def _is_on_backends(self, id: str) -> bool:
        kind = self._session.kind_of(id)
        return kind is not None and kind.on_backends

    def _kind_of(self, targets: Targets) -> Kind | None:
        """The kind of all targets; None: they are of several kinds, or there are none."""
        found = {self._session.kind_of(id) for id in targets.ids}
        return found.pop() if len(found) == 1 else None

    def _has_workflow(self, id: str) -> bool:
        return workflows.is_target(self._session.matrix, id)

    def show_programs_of_ci(self) -> None:
        """Show the programs that the newest job of CI of the test has left."""
        id, session = self._listing.current or "", self._session
        arch = session.view.arch

        def find() -> OfJob | None:
            found = session.look().job_of(session.newest_of([id], arch))
            return github.OfJob(found[0], found[1], id, id) if found is not None else None

        screens.show_programs_of(self._screen, find)

    # Marks

    def mark(self) -> None:
        """Mark or unmark what is under the cursor; of several tests at once, say how many."""
        ids = self._listing.chosen()
        if not ids:
            self._context.notify.info("Nothing to mark: no test is under the cursor.")
            return
        marked = self._session.view.toggle_all(ids)
        if len(ids) > 1 or self._listing.current is None:
            self._context.notify.info(f"{'Marked' if marked else 'Unmarked'} {counted(len(ids), 'test')}.")
        elif self._listing.table.has_focus:
            self._listing.table.action_move(1)
        self._marks_changed()

    def mark_visible(self) -> None:
        """Mark all that the filter leaves."""
        self._session.view.mark_shown()
        self._marks_changed()

    def unmark(self) -> None:
        """Clear all marks, with those of the last session, which may not have been read yet."""
        view = self._session.view
        self._session.restore_marks()
        if view.marks:
            words = f"Unmarked {counted(len(view.marks), 'test')}{hidden_words(view.hidden_marks())}."
            self._context.notify.info(words)
        view.marks.clear()
        self._session.awaited_marks.clear()
        self._marks_changed()

    def mark_range(self) -> None:
        """Begin a range at the cursor, or mark the one that ends here."""
        table = self._listing.table
        if not table.has_focus:
            return
        if not self._session.view.rows:
            self._context.notify.info("Nothing to mark: no test is shown.")
        elif table.range_start is None:
            table.range_start = table.cursor
            mark, back = map(self._context.keymap.key, ("matrix.range", "app.back"))
            self._context.notify.info(f"Move to the other end, then press {mark} to mark the range; {back} cancels it.")
        else:
            ids = table.ranged_ids()
            table.range_start = None
            self._session.view.mark(ids)
            self._context.notify.info(f"Marked {counted(len(ids), 'test')}.")
        self._marks_changed()

    def compare_backends(self) -> None:
        """Show the results of op cases on two backends side by side."""
        self._context.navigation.compare_cases(self._listing.targets().where(self._is_on_backends).ids)

    # Copies and files

    def _one(self, verb: str) -> str | None:
        """The test under the cursor; where there is none, a message says so."""
        current = self._listing.current
        if current is None:
            self._context.notify.info(f"Nothing to {verb}: no single test is under the cursor.")
        return current

    def copy_id(self) -> None:
        """Copy the id."""
        if id := self._one("copy"):
            self._context.notify.copy(id)

    def copy_node_id(self) -> None:
        """Copy the id as pytest takes it."""
        if id := self._one("copy"):
            kind = self._session.kind_of(id)
            self._context.notify.copy(kind.node_id(id, self._session.view.matrix) if kind else id)

    def open_editor(self) -> None:
        """Open $EDITOR at the entry."""
        id = self._one("open")
        if id and not self._session.has_entry(id):
            self._context.files.edit_file(*self._session.place_of(id))
        elif id:
            self._context.files.edit_test(self._session.workspace.described(id))

    def open_loader(self) -> None:
        """Open $EDITOR at the loader, where it names the variant."""
        if id := self._listing.current:
            self._context.files.edit_loader(self._session.workspace.described(id))

    def show_history(self) -> None:
        """Show the commits that changed the entry."""
        if id := self._listing.current:
            self._screen.app.push_screen(screens.EntryCommits(self._context, id))

    # Runs and edits

    def _models(self) -> Targets:
        """The tests of models among the targets, for what is done with these alone; says how many are left out."""
        targets = self._listing.targets()
        fitting = targets.where(self._session.has_entry)
        others = Counter(map(self._session.kind_of, targets.where(lambda id: not self._session.has_entry(id)).ids))
        left_out = [counted(others[kind], kind.noun) for kind in kinds.kinds() if others[kind]]
        if left_out:
            self._context.notify.info(f"{' and '.join(left_out)} left out: this works only for tests of models.")
        return fitting

    def _act(self, verb: str, act: Callable[[Targets], None], *, names: bool = False) -> None:
        targets = self._models()
        if targets.ids or not self._listing.targets().ids:
            screens.act_on(self._screen, verb, targets, act, names=names)

    def run(self) -> None:
        """Run the test under the cursor at once; more than that is shown first."""
        targets = self._listing.targets()
        kind = self._kind_of(targets) if targets.plain else None
        match kind.launch if kind else None:
            case kinds.Launch.TEST:
                self._context.runs.start(targets.ids)
            case kinds.Launch.ALONE:
                self._plan_rows(targets, self._context.runs.start_planned)
            case _:
                self.run_with()

    def bisect(self) -> None:
        """Look for the op that breaks the model under the cursor, in the background."""
        if id := self._listing.current:
            self._context.runs.bisect([id])

    def run_with(self) -> None:
        """Run with options; the dialog shows first what that means."""
        targets = self._listing.targets()
        kind = self._kind_of(targets)
        match kind.launch if kind else None:
            case kinds.Launch.BACKENDS:
                screens.act_on(self._screen, "Run", targets, self._choose_op_runs, names=True)
            case kinds.Launch.ALONE:
                ask = partial(screens.ask_to_start, self._screen)
                screens.act_on(self._screen, "Run", targets, lambda chosen: self._plan_rows(chosen, ask), names=True)
            case _:
                self._act("Run", self._choose_runs, names=True)

    def _plan_rows(self, targets: Targets, deliver: Callable[[LaunchPlan], None]) -> None:
        """Plan runs of rows of one kind."""
        if kind := self._kind_of(targets):
            work = partial(self._session.plan_rows, kind, targets.ids)
            self._context.background.run("plan launch", work, deliver, asks=True)

    def _choose_op_runs(self, targets: Targets) -> None:
        runs = self._context.runs
        dialog = screens.LaunchOps(self._context, targets.ids, targets.name)
        self._screen.app.push_screen(dialog, lambda plan: runs.start_planned(plan) if plan else None)

    def _choose_runs(self, targets: Targets) -> None:
        dialog = screens.Launch(self._context, targets.ids, targets.name)
        self._screen.app.push_screen(dialog, lambda plan: self._start(plan) if plan else None)

    def _start(self, plan: LaunchPlan) -> None:
        """Start runs; those of several profiles are shown side by side as they end."""
        self._context.runs.start_planned(plan)
        if len({spec.profile for spec in plan.specs}) > 1:
            self._context.navigation.show_profiles(plan.specs[0].batch)

    def start_workflows(self) -> None:
        """Start workflows on failing training tests."""
        notify, targets = self._context.notify, self._models()
        fitting = targets.where(self._has_workflow)
        if left_out := len(targets.ids) - len(fitting.ids):
            notify.info(f"{counted(left_out, 'test')} left out: no workflow fits.")
        start = self._context.navigation.start_workflows
        screens.act_on(self._screen, "Start a workflow on", fitting, lambda chosen: start(chosen.ids))

    def show_log(self) -> None:
        """Show the log of the last run."""
        if record := self._last_run():
            self._context.navigation.show_run(record.spec.run_id)

    def _last_run(self) -> RunRecord | None:
        """The newest run of the test under the cursor, or of cases with it."""
        id, session = self._listing.current, self._session
        record = session.last_run(id) if id else None
        if id and record is None:
            record = next((one for one in session.runs if id in one.spec.case_ids), None)
        return record

    def _written(self, targets: Targets) -> kinds.Written | None:
        """The kind of file that has the expectations of all targets; None: there are several."""
        kind = self._kind_of(targets)
        return kind.written if kind else None

    def _act_on_cases(self, verb: str, cases: Targets, act: Callable[[edits.CaseForm, str], None]) -> None:
        """Read what the manifests say of `cases`, which takes a while, and go on with that."""

        def chosen(targets: Targets) -> None:
            places = [(id, self._session.place_of(id)[0]) for id in targets.ids]
            name = one_line(targets.ids[0]) if len(targets.ids) == 1 else counted(len(targets.ids), "op case")
            self._context.background.run(
                "read cases",
                lambda: self._session.present_with({file for _, file in places}),
                lambda present: act(edits.CaseForm(places, present), name),
                asks=True,
            )

        screens.act_on(self._screen, verb, cases, chosen, names=True)

    def change_entries(self) -> None:
        """Open the menu of what can be done to entries, or to op cases."""
        targets = self._listing.targets()
        match self._written(targets):
            case kinds.Written.MANIFEST:
                self._act_on_cases("Change", targets, self._change_cases)
            case kinds.Written.PLACEHOLDER:
                screens.act_on(self._screen, "Change", targets, self._change_placeholders, names=True)
            case _:
                self._act("Change", self._change_entries, names=True)

    def _change_entries(self, targets: Targets) -> None:
        # 70 ms of the first frame, which shows no dialog.
        from tui.screens.matrix.entry_menu import EntryMenu

        EntryMenu(self._screen, targets.ids, targets.name).open()

    def _change_cases(self, form: edits.CaseForm, name: str) -> None:
        # 70 ms of the first frame, which shows no dialog.
        from tui.screens.matrix.case_menu import CaseMenu

        CaseMenu(self._screen, form, name).open()

    def _change_placeholders(self, targets: Targets) -> None:
        # 70 ms of the first frame, which shows no dialog.
        from tui.screens.matrix.placeholder_menu import PlaceholderMenu

        PlaceholderMenu(self._screen, targets.ids).open()

    def set_field(self, name: str, text: str) -> None:
        """Set one field of the entries; empty takes it away."""

        def propose(targets: Targets) -> None:
            form = edits.EntryForm(self._session.matrix, targets.ids)
            try:
                operations, _ = form.sifted(form.operations(form.scopes[0][0], {name: text}))
            except UsageError as error:
                self._context.notify.error(error)
                return
            if not operations:
                self._context.notify.info("No change: every entry already has this value.")
            self._context.edits.propose(operations)

        self._act("Edit", propose)

    def run_as(self, kind: str, arch: str) -> None:
        """Plan runs of that kind on that arch, and start them once the plan is confirmed."""

        def plan(targets: Targets) -> None:
            session = self._session
            work = partial(
                planning.plan_launch,
                session.matrix,
                targets.ids,
                session.settings,
                planning.Options(kind, arch),
                runs=session.store.root,
                records=session.runs,
            )
            self._context.background.run("plan launch", work, partial(screens.ask_to_start, self._screen), asks=True)

        self._act("Run", plan)

    def set_fields(self) -> None:
        """Open the form that sets fields of entries, or of op cases."""

        def ask(form: edits.FieldForm, name: str) -> None:
            # 70 ms of the first frame, which shows no dialog.
            from tui.screens.matrix.set_fields import SetFields

            waiting = self._session.open_changes_of(form.ids)
            self._screen.app.push_screen(SetFields(form, name, waiting), self._context.edits.propose)

        def edit(targets: Targets) -> None:
            only = one_line(targets.ids[0]) if len(targets.ids) == 1 else counted(len(targets.ids), "test")
            ask(edits.EntryForm(self._session.matrix, targets.ids), targets.name or only)

        targets = self._listing.targets()
        if self._written(targets) is kinds.Written.MANIFEST:
            self._act_on_cases("Edit", targets, ask)
        else:
            self._act("Edit", edit, names=True)
