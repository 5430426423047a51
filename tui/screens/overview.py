# SPDX-License-Identifier: Apache-2.0
"""Overview: the numbers of the matrix, of doctor, and of runs and changes here; each leads to what it counts."""

import time
from collections.abc import Sequence
from functools import partial

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.domain.model import Finding
from core.history import Week, weeks
from core.matrix import Matrix
from core.matrix.query import Query
from core.matrix.view import LEARNED, Link, Number, Place, Row, Section, findings_section, overview
from core.runs.store import RunState
from tui import view_models
from tui.commands import Hint, Where, command
from tui.screens.base import SessionScreen
from tui.screens.panes import Pane
from tui.view_models import Cell, OverviewRows
from tui.widgets import CellLines, CellTable, NumberBoard, RowTable

_TALL_FROM, _TALL, _LOW = 40, 15, 7
"""Height from which the plots are high, and their lines then and below it."""
_TWO_BOARDS_FROM = 130
"""Width from which there are two boards side by side."""
_SECOND_BOARD = 48
"""Cells of the second one and of the gap before it."""


class OverviewScreen(SessionScreen):
    """Numbers; enter shows what the one under the cursor counts."""

    PLACES = (Where.OVERVIEW, Where.TABLE, Where.CELLS)
    PANES = (
        Pane("tests", ("#tests-board", "#number-line")),
        Pane("other", ("#other-board", "#number-line")),
        Pane("trend", ("#trend",)),
    )

    def body(self) -> ComposeResult:
        with Horizontal():
            yield NumberBoard(id="tests-board")
            yield NumberBoard(id="other-board")
        yield CellLines(id="trend")
        yield Static("", id="number-line", markup=False)

    def on_mount(self) -> None:
        self._findings: Sequence[Finding] | None = None
        self._tests: tuple[Section, ...] = ()
        self._weeks: Sequence[Week] | str = ""
        """Twelve weeks of entries; a text where there are none, which says why."""
        self._counted: Matrix | None = None
        """Of which matrix the numbers are."""
        self.follow(self.context.signals.matrix_changed, self._count)
        self.follow(self.context.signals.runs_changed, self._show)
        self.follow(self.context.signals.pending_changed, self._show)
        self.follow(self.context.signals.facts_changed, self._facts_learned)
        self._boards[0].focus()

    def on_screen_resume(self) -> None:
        self._count()

    @property
    def _boards(self) -> tuple[NumberBoard, NumberBoard]:
        return self.query_one("#tests-board", NumberBoard), self.query_one("#other-board", NumberBoard)

    @property
    def board(self) -> NumberBoard:
        """The board that the cursor is in."""
        first, second = self._boards
        return second if second.has_focus else first

    @property
    def complete(self) -> bool:
        """Whether the findings and the weeks are there, which are read last."""
        return self._findings is not None and bool(self._weeks)

    def _count(self) -> None:
        """Count again while the screen is in front and there is a new matrix."""
        if not self.is_current or self._counted is self.session.view.matrix:
            return
        self._counted = self.session.view.matrix
        self._count_tests()
        self.context.facts.request(LEARNED)
        self._findings = None
        self.context.background.run("overview", self.session.read_findings, self._found, supersede=True)
        self.context.background.run("weeks", self._read_weeks, self._weeks_read, supersede=True)
        self._show()

    def _facts_learned(self) -> None:
        if self.is_current and self._counted is self.session.view.matrix:
            self._count_tests()

    def _count_tests(self) -> None:
        # 60 ms on a matrix of 21,000 rows.
        count = partial(overview, self.session.view.matrix, self.session.view.learned)
        self.context.background.run("numbers of the overview", count, self._tests_counted, supersede=True)

    def _tests_counted(self, tests: tuple[Section, ...]) -> None:
        self._tests = tests
        self._show()

    def _read_weeks(self) -> Sequence[Week] | str:
        try:
            return weeks(self.session.workspace.history, time.time())
        except TTMatrixError as error:
            return error.title

    def _weeks_read(self, weeks: Sequence[Week] | str) -> None:
        self._weeks = weeks
        self._show_trend()

    def _show_trend(self) -> None:
        """The plots, as large as there is room for."""
        tall = self.app.size.height >= _TALL_FROM
        self.set_class(tall, "tall")
        plot = self.query_one(CellLines)
        plot.set_class(bool(self._weeks), "shown")
        if isinstance(self._weeks, str):
            plot.show([[Cell(f"No history of entries: {one_line(self._weeks)}", "dim")]])
        else:
            plot.show(view_models.trend_lines(self._weeks, self.app.size.width - 2, _TALL if tall else _LOW))

    def _found(self, findings: tuple[Finding, ...]) -> None:
        self._findings = findings
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        self._show()
        self._show_trend()

    def _show(self) -> None:
        sections = [*self._tests[:2], self._here(), *self._tests[2:]]
        if self._findings is not None:
            sections.append(findings_section(self._findings))
        two = self.app.size.width >= _TWO_BOARDS_FROM
        first, second = self._boards
        second.set_class(two, "shown")
        # The numbers by arch and by parallelism have many columns; what is one number a row fits beside them.
        wide = [one for one in sections if len(one.heads) > 1] if two else sections
        narrow = [one for one in sections if len(one.heads) == 1] if two else []
        first.show(OverviewRows(wide, self.app.size.width - _SECOND_BOARD if two else 0), keep=first.cursor_key)
        second.show(OverviewRows(narrow), keep=second.cursor_key)
        self._say()

    def _here(self) -> Section:
        """Runs and changes of this checkout."""
        session = self.session
        running = sum(record.state is RunState.RUNNING for record in session.runs)
        numbers = (
            ("pending changes", session.open_changes, Place.EDITS),
            ("runs", len(session.runs), Place.RUNS),
            ("running", running, Place.RUNS),
            ("waiting", sum(record.active for record in session.runs) - running, Place.RUNS),
        )
        rows = (Row(label, (Number(count, Link(place)),)) for label, count, place in numbers)
        return Section("here", ("",), tuple(rows))

    def _say(self) -> None:
        doing = "doctor is running …" if self._findings is None else ""
        self.title_line(one_line(self.session.checkout.root.name), doing)

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        number = self.board.number
        words = f"{self.context.keymap.key('overview.open')} shows {_words(number.link)}" if number else ""
        self.query_one("#number-line", Static).update(Text(words, no_wrap=True, overflow="ellipsis"), layout=False)

    # Moving

    @command(
        "overview.open",
        Where.OVERVIEW,
        "enter",
        "Open",
        "Show what the number counts",
        footer=True,
        hint=Hint("numbers", "{overview.open} shows what a number counts"),
    )
    def action_open_link(self) -> None:
        """Show what the number under the cursor counts."""
        number = self.board.number
        if number is not None:
            match number.link:
                case Link(Place.TESTS, words):
                    self.context.navigation.show_tests(Query.parse(words))
                case Link(Place.FINDINGS, kind):
                    self.context.navigation.show_findings(kind)
                case Link(Place.RUNS):
                    self.context.navigation.enter("runs")
                case Link(Place.EDITS):
                    self.context.navigation.enter("review")

    def on_cell_table_left(self, event: CellTable.Left) -> None:
        self._other_board(event.steps)

    def _other_board(self, steps: int) -> None:
        first, second = self._boards
        if steps > 0 and first.has_focus and second.has_class("shown"):
            second.focus()
        elif steps < 0 and second.has_focus:
            first.focus()
        self.on_row_table_highlighted(RowTable.Highlighted(self.board))

    @command("overview.next", Where.OVERVIEW, "tab", "Next", "Next section", action="section(1)", footer=True)
    @command("overview.previous", Where.OVERVIEW, "shift+tab", "Previous", "Previous section", action="section(-1)")
    def action_section(self, steps: int) -> None:
        """To the next section, and from the last one on this board to the other board."""
        if not self.board.go_to_section(steps):
            self._other_board(steps)


def _words(link: Link) -> str:
    """Where a number leads."""
    match link.place:
        case Place.TESTS:
            return f"the tests that match {one_line(link.words)}" if link.words else "all tests"
        case Place.FINDINGS:
            return f"the findings of doctor{f' of the kind {link.words}' if link.words else ''}"
        case Place.RUNS:
            return "the runs"
        case _:
            return "the review"
