# SPDX-License-Identifier: Apache-2.0
"""Diff: the matrix at two states, by loader; enter shows the lines of code, r runs what is touched."""

import threading
from collections.abc import Callable, Sequence
from functools import partial

from core.base.errors import TTMatrixError
from core.base.processes import Cancelled
from core.base.text import counted, one_line
from core.edits import EntryForm, Operation
from core.evidence import Page
from core.sessions import hours_if_any
from core.sources import WORK_TREE, Git
from core.states import (
    Difference,
    Span,
    State,
    code_diff,
    difference_elsewhere,
    headline,
    moves,
    span,
    span_of_models,
    touched,
)
from tui import screens
from tui.commands import Changes, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import Ask
from tui.screens.list_and_text import ListAndLines
from tui.screens.matrix import SetFields
from tui.screens.pick import Option, Pick
from tui.view_models import (
    Cell,
    HeadingTitles,
    Line,
    StateRow,
    by_shape,
    diff_style,
    group_words,
    rows_of_states,
    state_groups,
    state_rows,
)
from tui.widgets import GroupTable, TextLines


class LineSearch:
    """Lines and what is looked for in them, whatever its case."""

    def __init__(self, style_of: Callable[[str], str]) -> None:
        self._style_of = style_of
        self._lines: Sequence[str] = ()
        self._hits: Sequence[int] = ()
        self.sought = ""
        """Empty: nothing is looked for."""
        self._at = -1
        """The hit found last, by its number among the hits."""

    def show(self, lines: Sequence[str]) -> list[Line]:
        """Look in other lines; returns them with their hits."""
        self._lines = lines
        return self.seek(self.sought)

    def seek(self, text: str) -> list[Line]:
        """Look for another text; returns the lines with their hits."""
        self.sought, self._at = text, -1
        wanted = text.lower()
        self._hits = [at for at, line in enumerate(self._lines) if wanted and wanted in line.lower()]
        marked = set(self._hits)
        return [self._marked(line, wanted) if at in marked else line for at, line in enumerate(self._lines)]

    def _marked(self, line: str, wanted: str) -> Line:
        style, low = self._style_of(line), line.lower()
        if len(low) != len(line):
            # A letter whose small form is longer: the places of hits are not those of the line.
            return line
        found: list[Cell] = []
        end = 0
        while (at := low.find(wanted, end)) >= 0:
            found += [Cell(line[end:at], style), Cell(line[at : at + len(wanted)], "word")]
            end = at + len(wanted)
        return (*found, Cell(line[end:], style))

    def step(self, top: int, *, forward: bool) -> int | None:
        """The line of the next hit, at first from the line `top` on, and around the end; None: there is none."""
        if not self._hits:
            return None
        if self._at < 0:
            below = [nth for nth, at in enumerate(self._hits) if at >= top]
            self._at = below[0] if below and forward else (below[0] - 1 if below else -1) % len(self._hits)
        else:
            self._at = (self._at + (1 if forward else -1)) % len(self._hits)
        return self._hits[self._at]

    @property
    def words(self) -> str:
        """`text: 3 of 11`; empty while nothing is looked for."""
        if not self.sought:
            return ""
        count = len(self._hits)
        return f"{self.sought}: {f'{self._at + 1:,} of {count:,}' if count else 'not there'}"


_COMPARING = "Comparing … A commit that was not compared before takes some seconds."
_SHORT = 10
_NOTHING = "These two do not differ: {diff.range} chooses others."
_BETWEEN = ".."


class DiffTable(GroupTable):
    """The table of differences: only here the key for marking marks, elsewhere it scrolls."""

    def places(self) -> tuple[Where, ...]:
        return (Where.DIFF_TABLE, *super().places())

    @command("diff.mark", Where.DIFF_TABLE, "space", "Mark", "Mark or unmark its tests", footer=True, needs=Need.CHANGE)
    def action_mark(self) -> None:
        """Have the screen mark what is under the cursor."""
        assert isinstance(self.screen, DiffScreen)
        self.screen.mark()


class DiffScreen(ListAndLines[StateRow]):
    """Differences above, by loader; the row under the cursor, or the lines of its files, below."""

    PLACES = (Where.DIFF,)
    PURPOSE = "What differs in the matrix between two states: commits, an uplift of the models, the work tree."
    TEXT = "The difference"

    def __init__(self, context: Context) -> None:
        self._groups = DiffTable(
            rows_of_states(()), HeadingTitles("loader", "changes", "do harm"), id="differing", folded=True
        )
        super().__init__(context, self._groups)
        self._range = ""
        self._uplift = False
        """Whether the range is one of commits of the models."""
        self._stop = threading.Event()
        """Ends the comparison that is being made."""
        self._asked: tuple[State, State] | None = None
        self._found: Difference | None = None
        self.listed: Sequence[StateRow] = ()
        self._lines_of: StateRow | None = None
        """The row whose lines of code are shown."""
        self._search = LineSearch(diff_style)
        self._problem = ""
        self._states = self.read_when_seen(self._read, context.signals.matrix_changed)

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.STATE_ROW:
                return self._groups.group is None or not self.listed
            case Need.TOUCHED:
                return not self.chosen()
            case Need.NEW_TEST:
                return not self.without_entry()
            case Need.CODE:
                return self._lines_of is None
            case Need.LEFT_OVER:
                return not self._moves()
            case _:
                return super().lacks(need)

    # What is compared

    def compare(self, range: str, *, uplift: bool = False) -> None:
        """Show what differs in a range of commits, or of commits of the models."""
        self._range, self._uplift, self._found = range, uplift, None
        self._problem, self.listed = "", ()
        if self.is_mounted:
            self._list()
            self._states.ask()

    def _read(self) -> None:
        """Compare in a process of its own."""
        self._stop.set()
        stop = self._stop = threading.Event()
        workspace, range, uplift = self.session.workspace, self._range, self._uplift

        def work() -> tuple[str, tuple[State, State], Difference]:
            states = workspace.states
            if uplift:
                asked, models = Span("HEAD", "HEAD"), span_of_models(Git(workspace.checkout.models), range)[:2]
            else:
                asked, models = span(Git(workspace.checkout.root), range), ("", "")
            before, after = zip(asked[:2], models, strict=True)
            both = states.at(*before), states.at(*after)
            return range, both, difference_elsewhere(states, before, after, stop)

        self._problem = ""
        self._say()
        self.table.say_when_empty(_COMPARING)
        self.context.background.run(
            "diff", work, self._take, supersede=True, lists=self._found is None, fail=self._failed
        )

    def _take(self, found: tuple[str, tuple[State, State], Difference]) -> None:
        range, states, difference = found
        if range == self._range:
            self._asked, self._found, self._lines_of = states, difference, None
            self.listed = state_rows(difference, self.session.checkout.relative(self.session.checkout.models))
            self._list()
            self._say()

    def _failed(self, error: TTMatrixError) -> None:
        if isinstance(error, Cancelled):
            return
        self._found, self.listed = None, ()
        self._problem = " ".join(filter(None, (error.title, error.detail, error.hint)))
        self._list()
        self._say()

    def _list(self) -> None:
        self.table.say_when_empty(self._problem or (self.first_step(_NOTHING) if self._found else _COMPARING))
        self.show_rows(rows_of_states(self.listed, self.session.view.marks), state_groups(self.listed))
        self.show_text()

    def _say(self) -> None:
        found = self._found
        if self._problem:
            self.title_line("not compared")
        elif found is None:
            self.title_line("comparing …")
        else:
            harm = headline(found)[:2]
            self.title_line(_named(found, uplift=self._uplift), *(harm or ["no difference"]))

    # What is shown below

    def _of_cursor(self) -> Sequence[StateRow]:
        """The row under the cursor, or all of the group whose heading is there."""
        if self.current is not None:
            return [self.current]
        group = self._groups.group
        return [self.listed[at] for at in group.rows] if group and self.listed else []

    def page(self) -> Callable[[], Page]:
        """The page of the newest job of its tests, also of those that are gone; of a version, what compares both."""
        rows = self._of_cursor()
        if link := next((one.link for one in rows if one.link), ""):
            return partial(Page, link)
        return self.page_of_tests([id for one in rows for id in one.ids or (one.name,)])

    def show_text(self) -> None:
        rows, one = self._of_cursor(), self.current
        if self._lines_of is not None and rows and rows[0] == self._lines_of:
            return
        self._lines_of = None
        title = one_line(rows[0].group) if rows else ""
        if self._problem:
            self.say([(self._problem, "")])
        elif one is not None:
            self.say([(one.name, ""), (one.what, _tone(one)), *((text, "dim") for text in one.details)], title=title)
        else:
            group = self._groups.group
            listed = group is not None and not self._groups.is_folded(group)
            self.say(group_words(rows, listed=listed), title=title)

    @command(
        "diff.code",
        Where.DIFF,
        "enter",
        "Code",
        "Show the lines of its files, or its words",
        footer=True,
        needs=Need.CHANGE,
    )
    def action_code(self) -> None:
        """The lines of the files that explain the row; again: its words."""
        rows, asked = self._of_cursor(), self._asked
        if not rows or asked is None:
            return
        if self._lines_of is not None and self._lines_of == rows[0]:
            self._lines_of = None
            self.show_text()
            return
        files = tuple(dict.fromkeys(file for row in rows for file in row.files))
        self._lines_of = rows[0]
        work = partial(code_diff, *asked, files)
        self.context.background.run("code of a diff", work, partial(self._show_code, rows[0]), supersede=True)

    def _show_code(self, row: StateRow, lines: Sequence[str]) -> None:
        if row == self._lines_of:
            said = lines or [f"No line of {name} differs." for name in row.files] or ["No file explains this."]
            self.view.show(TextLines(self._search.show([one_line(line) for line in said])))
            self._say_search()

    def _say_search(self) -> None:
        rows = self._of_cursor()
        if rows:
            self.title_of_text.say(one_line(rows[0].group), one_line(self._search.words))

    @command("diff.search", Where.DIFF, "slash", "Search", "Look for a text in the lines of code", needs=Need.CODE)
    def action_search(self) -> None:
        """Ask for the text; the lines go to the first hit from the one at the top on."""

        def take(text: str | None) -> None:
            if text is not None:
                self.view.show(TextLines(self._search.seek(text.strip())))
                self.action_next_hit()

        self.app.push_screen(Ask("Look for which text?", "Upper and lower case are the same.", empty=True), take)

    @command("diff.next", Where.DIFF, "n", "Next", "Next hit of the search", needs=Need.CODE, action="next_hit(True)")
    @command("diff.previous", Where.DIFF, "N", "Previous", "Hit before it", needs=Need.CODE, action="next_hit(False)")
    def action_next_hit(self, forward: bool = True) -> None:
        line = self._search.step(self.view.scroll_offset.y, forward=forward)
        if line is not None:
            self.view.scroll_to(y=max(0, line - self.view.size.height // 2), animate=False, force=True)
        self._say_search()

    def close_one(self) -> bool:
        """From what is looked for to the lines, from these to the words."""
        if self._lines_of is None:
            return False
        if self._search.sought:
            self.view.show(TextLines(self._search.seek("")))
            self._say_search()
        else:
            self._lines_of = None
            self.show_text()
        return True

    # Actions

    @command("diff.range", Where.DIFF, "b", "Commits", "Choose what is compared", footer=True)
    def action_range(self) -> None:
        """Ask for what is to be compared."""
        body = "A..B, a commit or a branch; empty: uncommitted changes. `models NEW` or `models OLD..NEW`: an uplift."
        value = f"models {self._range}" if self._uplift else self._range

        def take(text: str | None) -> None:
            if text is not None:
                first, _, rest = text.strip().partition(" ")
                self.compare(rest.strip() if first == "models" else text.strip(), uplift=first == "models")

        self.app.push_screen(Ask("Compare what?", body, value=value, empty=True), take)

    def chosen(self) -> tuple[str, ...]:
        """The marked tests, or all that the difference touches, as far as this checkout has them."""
        known, marks = self.session.matrix.rows, self.session.view.marks
        ids = tuple(one.id for one in touched(self._found)) if self._found else ()
        more = (id for row in self.listed for id in row.ids if id in marks)
        chosen = [id for id in dict.fromkeys((*ids, *more)) if id in marks] if marks else ids
        return tuple(id for id in chosen if id in known)

    def mark(self) -> None:
        """Mark or unmark the tests of the row, or of the group."""
        known = self.session.matrix.rows
        ids = [id for row in self._of_cursor() for id in row.ids if id in known]
        if not ids:
            self.context.notify.info("Nothing to mark: this checkout has no test of this row.")
            return
        self.session.view.toggle_all(ids)
        self._list()
        self.table.action_move(1)

    @command(
        "diff.run",
        Where.DIFF,
        "r",
        "Run",
        "Run the marked tests, or all that are touched",
        footer=True,
        needs=Need.TOUCHED,
        changes=Changes.RUNS,
    )
    def action_run(self) -> None:
        """Run the marked tests, else all that are touched, those at most risk first, within so many hours."""
        ids, count = self.chosen(), "marked" if self.session.view.marks else "touched"
        if not ids:
            self.context.notify.info(
                "Nothing to run: this checkout has none of these tests. Check the commit out first."
            )
            return

        def take(text: str | None) -> None:
            if text is None:
                return
            dialog = screens.Launch(self.context, ids, counted(len(ids), "test"), hours_if_any(text))
            self.app.push_screen(dialog, lambda plan: self.context.runs.start_planned(plan) if plan else None)

        title = f"Run {counted(len(ids), f'{count} test')}, the riskiest first: within how many hours?"
        question = Ask(title, "Empty: all of them.", value="2", check=hours_if_any, empty=True)
        self.app.push_screen(question, take)

    def without_entry(self) -> tuple[str, ...]:
        """The new tests without an entry: the marked ones, else those of the row or the group."""
        entries, rows, marks = self.session.matrix.entries, self.session.matrix.rows, self.session.view.marks
        new = [id for row in self.listed if row.added for id in row.ids if id in rows and id not in entries]
        here = marks.intersection(new) or {id for row in self._of_cursor() for id in row.ids}
        return tuple(id for id in new if id in here)

    @command(
        "diff.entries",
        Where.DIFF,
        "E",
        "Entries",
        "Write entries for new tests",
        footer=True,
        needs=Need.NEW_TEST,
        changes=Changes.EDITS,
    )
    def action_make_entries(self) -> None:
        """Write entries for the new tests, with the form of the matrix."""
        ids, shapes = self.without_entry(), by_shape(self.without_entry())
        if len(shapes) == 1 or self.session.view.marks.intersection(ids):
            self._ask_fields(ids)
            return
        options = [Option(some, name, counted(len(some), "test")) for name, some in shapes.items()]
        everything = Option(list(ids), "all", counted(len(ids), "test"))
        self.app.push_screen(Pick("Entries for which new tests?", [*options, everything]), self._ask_fields)

    def _ask_fields(self, ids: Sequence[str] | None) -> None:
        if ids:
            form = EntryForm(self.session.matrix, ids)
            name = one_line(ids[0]) if len(ids) == 1 else counted(len(ids), "new test")
            self.app.push_screen(SetFields(form, name, self.session.open_changes_of(ids)), self.context.edits.propose)

    def _moves(self) -> Sequence[Operation]:
        """Edits of the entries of the row, or the group, whose test is gone."""
        if self._found is None:
            return ()
        here = {one.before for one in self._found.renamed if one.after in {row.name for row in self._of_cursor()}}
        return moves(self._found, self.session.matrix, here.union(row.name for row in self._of_cursor()))

    @command(
        "diff.move",
        Where.DIFF,
        "m",
        "Move",
        "Move entries to new ids, remove those without test",
        footer=True,
        needs=Need.LEFT_OVER,
        changes=Changes.EDITS,
    )
    def action_move_entries(self) -> None:
        """Propose it: the review shows what it does."""
        found = self._moves()
        why = {one.before: one.why for one in self._found.renamed} if self._found else {}
        reasons = dict.fromkeys(why.get(op.id, "its test is gone") for op in found)
        self.context.edits.propose(found, "; ".join(reasons))
        self.table.action_move(1)

    @command("diff.go", Where.DIFF, "t", "Go to", "Show the test in the matrix", needs=Need.CHANGE)
    def action_go_to_test(self) -> None:
        one = next((id for row in self._of_cursor() for id in row.ids if id in self.session.matrix.rows), None)
        if one is None:
            self.context.notify.info("The checkout has no such test.")
        else:
            self.context.navigation.show_test(one)

    def copied(self) -> str:
        return self.current.name if self.current is not None else ""


def _named(found: Difference, *, uplift: bool) -> str:
    """Both states, in a few characters."""
    if uplift:
        return f"models {found.before.models[:_SHORT]}..{found.after.models[:_SHORT]}"
    names = (
        one.name if one.name == WORK_TREE or len(one.name) < 2 * _SHORT else one.name[:_SHORT]
        for one in (found.before, found.after)
    )
    return _BETWEEN.join(names)


def _tone(one: StateRow) -> str:
    """The style of a line about a row: only harm has a colour."""
    return "error" if one.style == "fail" else ""
