# SPDX-License-Identifier: Apache-2.0
"""Compare: how the results of two runs differ, with the commits between them; or op cases on two backends."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from core.text import counted
from tui.commands import Where, bindings
from tui.needs import Need
from tui.protocol import Context
from tui.screens.base import WhenSeen
from tui.screens.compared import Pair, Question, Words
from tui.screens.halves import Halves
from tui.screens.pick import Option, Pick
from tui.view_models import DifferenceRows, difference_groups
from tui.widgets import GroupTable


class CompareScreen(Halves):
    """What differs above, both results of the cell under the cursor and the commits below."""

    PLACES = (Where.COMPARE,)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.COMPARE)

    def __init__(self, context: Context) -> None:
        self._groups = GroupTable(DifferenceRows(()), id="changes", folded=True)
        super().__init__(context, self._groups.grouped, self._groups)
        self._evidence = WhenSeen(
            self, self._read_evidence, context.signals.matrix_changed, context.signals.evidence_changed
        )
        self.kind = ""
        """The kind of differences that are listed; empty: all."""
        self._question = Question()
        self._found: Pair | None = None

    def places(self) -> tuple[Where, ...]:
        return super().places() if self.view.has_focus else (*super().places(), Where.TREE)

    def on_mount(self) -> None:
        self.follow(self.context.signals.pending_changed, self._say)
        self.follow(self.context.signals.runs_changed, self._say)
        self.table.focus()
        self._say()
        self._evidence.start()

    def on_screen_resume(self) -> None:
        self._evidence.resume()

    def compare_cases(self, ids: Sequence[str]) -> None:
        """Compare op cases on two backends."""
        self._question, self.kind, self._found = Question(cases=tuple(ids)), "", None
        self._say()
        self._evidence.ask()

    def compare_run(self, run: str) -> None:
        """Compare a run with the one before it."""
        self._question, self.kind, self._found = Question(neighbour_of=run), "", None
        self._say()
        self._evidence.ask()

    def _read_evidence(self) -> None:
        question, session = self._question, self.session

        def work() -> Pair:
            return question.answer(session.look())

        take = partial(self._take, question)
        self.context.background.run("compare", work, take, supersede=True)

    def _take(self, question: Question, found: Pair) -> None:
        if question == self._question:
            self._found = found
            self._show()

    @property
    def current(self) -> str:
        """The test or op case under the cursor; empty: there is none."""
        row = self._groups.row
        return self._found.id(row, self.kind) if self._found and row is not None else ""

    def _show(self) -> None:
        before, after, kind = map(self.context.keymap.key, ("compare.before", "compare.after", "compare.kind"))
        words = f"There are no differences: {before} and {after} choose what is compared."
        if self.kind:
            words = f"No difference is of this kind: {kind} shows the next kind."
        self.table.say_when_empty(words if self._found and self._found.names[0] else "")
        rows = self._found.rows(self.kind) if self._found else DifferenceRows(())
        groups = difference_groups(rows.differences) if isinstance(rows, DifferenceRows) else []
        self._groups.show_groups(rows, groups)
        self.panes.fit(len(self.table.source))
        self._say()

    def _say(self) -> None:
        found = self._found
        if found is None:
            self.title_line("comparing …")
            return
        of = "backends" if self._question.cases else "runs"
        if not found.names[0]:
            self.title_line(f"no two {of} to compare")
        else:
            self.title_line(found.counts or "no differences", f"only {self.kind}" if self.kind else "")
        self.show_words()

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.TWO_RESULTS:
                return self._found is None or not self._found.names[0]
            case Need.DIFFERENCE:
                return self._groups.group is None or not len(self._groups.grouped)
            case _:
                return super().lacks(need)

    def close_one(self) -> bool:
        """From one kind to all kinds."""
        if not self.kind:
            return False
        self.kind = ""
        self._show()
        return True

    def show_words(self) -> None:
        found = self._found
        if found is not None and not found.names[0]:
            self.say("", [(found.missing, "dim")])
        elif found is not None:
            self.say(found.heading, self._words(found))

    def _words(self, found: Pair) -> Words:
        """All about the difference under the cursor; of a group, about its first one."""
        group, row = self._groups.group, self._groups.row
        if row is None and group is not None:
            folded = self.context.keymap.key("tree.open")
            head = f"{counted(len(group.rows), 'cell')} with this difference: {folded} lists them. The first:"
            return [(head, "dim"), *found.words(group.rows[0], self.kind)]
        return found.words(row or 0, self.kind)

    # Actions

    def action_next_kind(self) -> None:
        if self._found is not None:
            kinds = ("", *self._found.kinds)
            self.kind = kinds[(kinds.index(self.kind) + 1) % len(kinds)]
            self._show()

    def action_choose_run(self, side: str) -> None:
        """Choose one of the two runs or backends from all that are known."""
        found = self._found
        if found is None or not found.names[0]:
            return
        first, second = found.names
        options = [Option(name, "", name) for name in found.choices]
        what = "backend" if self._question.cases else "run"
        words = {"before": "first", "after": "second"} if what == "backend" else {"before": "earlier", "after": "later"}
        pick = Pick(f"The {words[side]} {what}", options, first if side == "before" else second)

        def take(name: str | None) -> None:
            if name is not None:
                names = (name, second) if side == "before" else (first, name)
                self._question = self._question.with_names(names)
                self._evidence.ask()

        self.app.push_screen(pick, take)

    def action_profiles(self) -> None:
        """Tests under several profiles instead."""
        self.context.navigation.show_profiles()

    def action_runs(self) -> None:
        """From op cases on two backends back to two runs."""
        if self._question.cases:
            self._question, self.kind, self._found = Question(), "", None
            self._say()
            self._evidence.ask()

    def action_go_to_test(self) -> None:
        if not self.current:
            self._groups.action_fold(True)
        elif self.current not in self.session.view.matrix.rows:
            self.context.notify.info("The checkout has no such test.")
        else:
            self.context.navigation.show_test(self.current)

    def action_copy_id(self) -> None:
        if self.current:
            self.context.notify.copy(self.current)
