# SPDX-License-Identifier: Apache-2.0
"""Compare: how the results of two runs differ, with the commits between them; or op cases on two backends."""

from collections.abc import Callable, Sequence
from functools import partial

from core.base.text import counted
from core.evidence import Page, page_of
from core.evidence.analysis import Difference, OnTwoBackends
from tui.commands import Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.compared import Pair, Question, Words
from tui.screens.list_and_text import ListAndLines
from tui.screens.pick import Option, Pick
from tui.view_models import HeadingTitles, difference_rows
from tui.widgets import GroupTable


class CompareScreen(ListAndLines[Difference | OnTwoBackends]):
    """Differences above; both results of the cell under the cursor, and the commits, below."""

    PLACES = (Where.COMPARE,)
    LONG = True
    PURPOSE = "What differs between two runs, or two backends."
    TEXT = "The difference"

    def __init__(self, context: Context) -> None:
        self._groups = GroupTable(
            difference_rows(()), HeadingTitles("what and why", "cells"), id="differences", folded=True
        )
        super().__init__(context, self._groups)
        signals = context.signals
        self._evidence = self.read_when_seen(self._read_evidence, signals.matrix_changed, signals.evidence_changed)
        self.kind = ""
        """The kind of differences that are listed; empty: all."""
        self._question = Question()
        self._found: Pair | None = None

    def on_mount(self) -> None:
        self._say()

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

    def _show(self) -> None:
        before, after, kind = map(self.context.keymap.key, ("compare.before", "compare.after", "compare.kind"))
        words = f"There are no differences: {before} and {after} choose what is compared."
        if self.kind:
            words = f"No difference is of this kind: {kind} shows the next kind."
        if self._found is not None and not self._found.names[0]:
            words = self.first_step(self._found.missing)
        self.table.say_when_empty(words if self._found else "")
        if self._found is None:
            self.show_rows(difference_rows(()))
        else:
            rows = self._found.rows(self.kind)
            self.show_rows(rows, self._found.groups(rows.items))
        self._say()

    def _say(self) -> None:
        found = self._found
        if found is None:
            self.title_line("comparing …")
            return
        of = "backends" if self._question.cases else "runs"
        if not found.names[0]:
            self.title_line(f"fewer than two {of} to compare")
        else:
            total = sum(found.counts.values())
            count = counted(total, "difference") if total else "no differences"
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items() if count)
            self.title_line(count, kinds, f"only {self.kind}" if self.kind else "")
        self.show_text()

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.TWO_RESULTS:
                return self._found is None or not self._found.names[0]
            case Need.DIFFERENCE:
                return self._groups.group is None or not len(self._groups.grouped)
            case _:
                return super().lacks(need)

    def page(self) -> Callable[[], Page]:
        """The page of the later result, else of the earlier one; of a group, of the newest."""
        group, rows = self._groups.group, self._rows.items if self._rows else ()
        here = (self.current,) if self.current is not None else [rows[at] for at in group.rows] if group else ()
        both = [one for one in here if isinstance(one, Difference)]
        later = [one.after for one in both if one.after is not None]
        return partial(page_of, later or [one.before for one in both])

    def close_one(self) -> bool:
        """From one kind to all kinds."""
        if not self.kind:
            return False
        self.kind = ""
        self._show()
        return True

    def show_text(self) -> None:
        found = self._found
        if found is not None:
            self.say(self._words(found), title=found.heading)

    def _words(self, found: Pair) -> Words:
        """All about the difference under the cursor; of a group, about its first one."""
        group, row = self._groups.group, self._groups.row
        if row is None and group is not None:
            folded = self.context.keymap.key("tree.open")
            head = f"{counted(len(group.rows), 'cell')} with this difference: {folded} lists them. The first:"
            return [(head, "dim"), *found.words(group.rows[0], self.kind)]
        return found.words(row or 0, self.kind)

    # Actions

    @command(
        "compare.enter",
        Where.COMPARE,
        "enter",
        "Go to",
        "Show the test in the matrix",
        footer=True,
        needs=Need.DIFFERENCE,
    )
    def action_go_to_test(self) -> None:
        if self.current is None:
            self._groups.action_fold(True)
        else:
            self.go_to_test(self.current.id)

    @command(
        "compare.before",
        Where.COMPARE,
        "b",
        "Before",
        "Choose the first run",
        action="choose_run('before')",
        footer=True,
        needs=Need.TWO_RESULTS,
        hint=Hint("runs", "{compare.before} and {compare.after} choose runs", also=("compare.after",)),
    )
    @command(
        "compare.after",
        Where.COMPARE,
        "c",
        "After",
        "Choose the second run",
        action="choose_run('after')",
        footer=True,
        needs=Need.TWO_RESULTS,
    )
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

    @command(
        "compare.kind",
        Where.COMPARE,
        "f",
        "Kind",
        "Show differences of the next kind",
        footer=True,
        needs=Need.TWO_RESULTS,
    )
    def action_next_kind(self) -> None:
        if self._found is not None:
            kinds = ("", *self._found.kinds)
            self.kind = kinds[(kinds.index(self.kind) + 1) % len(kinds)]
            self._show()

    @command("compare.runs", Where.COMPARE, "r", "Runs", "Compare two runs instead of two backends")
    def action_runs(self) -> None:
        """From op cases on two backends back to two runs."""
        if self._question.cases:
            self._question, self.kind, self._found = Question(), "", None
            self._say()
            self._evidence.ask()

    @command("compare.copy", Where.COMPARE, "y", "Copy", "Copy the id", action="copy", needs=Need.DIFFERENCE)
    def copied(self) -> str:
        return self.current.id if self.current is not None else ""

    @command("compare.profiles", Where.COMPARE, "p", "Profiles", "Show tests under several profiles")
    def action_profiles(self) -> None:
        """Tests under several profiles instead."""
        self.context.navigation.show_profiles()
