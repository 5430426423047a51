# SPDX-License-Identifier: Apache-2.0
"""Overview: the numbers of the matrix, of doctor, and of runs and changes here; each leads to what it counts."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.domain.model import Finding
from core.evidence import Page
from core.history import Week, weeks
from core.matrix import Matrix
from core.matrix.query import Query
from core.matrix.view import (
    LEARNED,
    Link,
    Number,
    Part,
    Place,
    Row,
    Section,
    findings_section,
    has_results,
    not_counted,
    overview,
)
from core.runs.store import RunState
from tui import view_models
from tui.commands import Hint, Where, command
from tui.keymap import advice
from tui.screens.base import SessionScreen
from tui.screens.panes import Pane
from tui.view_models import MOST_LANES, Cell, OverviewRows, paragraph
from tui.widgets import CellLines, CellTable, NumberBoard, RowTable

_WIDE = 2
"""The most boards side by side below the lanes."""
_AROUND = 4
"""Lines of the screen that are not for numbers: tabs, title, what the number is, keys."""

_FIRST_STEP = (
    "No results yet: `ttmatrix ingest --from-github` fetches the reports of CI. {overview.filter} finds a test, and "
    "{matrix.run} runs it here."
)


class OverviewScreen(SessionScreen):
    """Numbers; enter shows what the one under the cursor counts."""

    PLACES = (Where.OVERVIEW, Where.TABLE, Where.CELLS)
    PANES = (
        Pane("morning", ("#lanes",)),
        Pane("tests", ("#wide",)),
        Pane("trend", ("#trend",)),
    )

    def body(self) -> ComposeResult:
        with Horizontal(id="lanes"):
            for number in range(MOST_LANES):
                yield NumberBoard(id=f"lane-{number}")
        yield Static("", id="first-step", markup=False)
        with Horizontal(id="wide"):
            for number in range(_WIDE):
                yield NumberBoard(id=f"wide-{number}")
        yield CellLines(id="trend")

    def on_mount(self) -> None:
        self._findings: Sequence[Finding] | None = None
        self._tests = not_counted()
        self._weeks: Sequence[Week] | str = ""
        """Twelve weeks of entries; a text where there are none, which says why."""
        self._counted: Matrix | None = None
        """Of which matrix the numbers are."""
        self.follow(self.context.signals.matrix_changed, self._count)
        self.follow(self.context.signals.runs_changed, self._show)
        self.follow(self.context.signals.pending_changed, self._show)
        self.follow(self.context.signals.hosts_changed, self._show)
        self.follow(self.context.signals.facts_changed, self._facts_learned)
        self._boards[0].focus()
        # Without colours curves are drawn in letters.
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self.query_one("#first-step", Static).update(Text(self._first_step))

    def on_screen_resume(self) -> None:
        self._count()

    @property
    def _first_step(self) -> str:
        return advice(_FIRST_STEP, self.context.keymap, read_only=self.session.read_only)

    @property
    def _boards(self) -> list[NumberBoard]:
        """The boards that have something to show, in the order of the screen."""
        return [one for one in self.query(NumberBoard) if one.has_class("shown")] or [self.query(NumberBoard).first()]

    @property
    def board(self) -> NumberBoard:
        """The board that the cursor is in."""
        return next((one for one in self._boards if one.has_focus), self._boards[0])

    @property
    def complete(self) -> bool:
        """Whether the findings and the weeks are there, which are read last."""
        return self._findings is not None and bool(self._weeks)

    def page(self) -> Callable[[], Page]:
        """The page of last night."""
        night = self.session.night
        return partial(Page, night.url) if night is not None and night.url else super().page()

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
        self._show()

    def _show_trend(self, lines: int) -> None:
        """The plots, or one line where there is room for no more."""
        plot, width, room = self.query_one("#trend", CellLines), self.app.size.width - 2, lines
        if lines > 1 and not isinstance(self._weeks, str):
            lines = view_models.trend_height(self._weeks, room)
        plot.styles.height = lines
        # What they leave is below them; between them and the numbers is a line of it.
        above = min(1, room - lines)
        plot.styles.margin = (above, 0, room - lines - above, 0)
        plot.set_class(bool(self._weeks), "shown")
        if isinstance(self._weeks, str):
            plot.show([[Cell(f"No history of entries: {one_line(self._weeks)}", "dim")]])
        elif lines == 1:
            plot.show([view_models.trend_line(self._weeks, width)])
        else:
            plot.show(view_models.trend_lines(self._weeks, width, lines, letters=self.context.in_letters()))

    def _found(self, findings: tuple[Finding, ...]) -> None:
        self._findings = findings
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        self._show()

    def _show(self) -> None:
        width, height = self.app.size
        sections = [*self._tests, self._here()]
        if self._findings is not None:
            sections.append(findings_section(self._findings))
        first = 0 if has_results(self._tests) else len(paragraph(self._first_step, "", width - 2)) + 1
        found = view_models.arranged(sections, width, height - _AROUND - first)
        focus = self.board
        # A blank line below them, where there is room.
        self.query_one("#lanes").styles.height = found.lane_lines + 1
        lanes, wide = (list(self.query(f"#{name} NumberBoard").results(NumberBoard)) for name in ("lanes", "wide"))
        for boards, columns in ((lanes, found.lanes), (wide, found.wide)):
            for number, board in enumerate(boards):
                shown = columns[number] if number < len(columns) else ()
                board.set_class(bool(shown), "shown")
                if shown:
                    board.show(OverviewRows(shown, width // len(columns)), keep=board.cursor_key)
        first_step = self.query_one("#first-step", Static)
        first_step.set_class(first > 0, "shown")
        if not focus.has_class("shown"):
            self._boards[0].focus()
        self._show_trend(found.plot_lines)
        self._say()

    def _here(self) -> Section:
        """Runs, changes and machines of this checkout."""
        session = self.session
        running = sum(record.state is RunState.RUNNING for record in session.runs)
        numbers: list[tuple[str, int | None, Place]] = [
            ("pending changes", session.open_changes, Place.EDITS),
            ("findings", None if self._findings is None else len(self._findings), Place.FINDINGS),
            ("running", running, Place.RUNS),
            ("waiting", sum(record.active for record in session.runs) - running, Place.RUNS),
            ("runs", len(session.runs), Place.RUNS),
            ("machines", len(session.hosts), Place.HOSTS),
        ]
        rows = (Row(label, (None if count is None else Number(count, Link(place)),)) for label, count, place in numbers)
        return Section(Part.HERE, ("",), tuple(rows))

    def _say(self) -> None:
        self.title_line(keyed=["doctor is running …"] if self._findings is None else ())

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        number = self.board.number
        words = f"{self.context.keymap.key('overview.open')} shows {_words(number.link)}" if number else ""
        self.messages.rest([Cell(words, "dim")])

    # Moving

    @command("overview.next", Where.OVERVIEW, "tab", "Next", "Next section", action="section(1)", footer=True)
    @command("overview.previous", Where.OVERVIEW, "shift+tab", "Previous", "Previous section", action="section(-1)")
    def action_section(self, steps: int) -> None:
        """To the next section, and from the last one on this board to the next board."""
        if not self.board.go_to_section(steps):
            self._to_board(steps)

    def on_cell_table_left(self, event: CellTable.Left) -> None:
        """Sideways to the board beside this one, up and down between the lanes and the wide boards."""
        boards = self._boards
        here = boards.index(self.board)
        beside = [one for one in boards if one.parent is boards[here].parent]
        if not event.down:
            at = beside.index(boards[here]) + event.steps
            if 0 <= at < len(beside):
                self._focus(beside[at])
        elif others := [one for one in boards if one not in beside]:
            below = boards.index(others[0]) > here
            if below == (event.steps > 0):
                self._focus(min(others, key=lambda one: abs(one.region.x - boards[here].region.x)))

    def _to_board(self, steps: int) -> None:
        boards = self._boards
        at = boards.index(self.board) + steps
        if 0 <= at < len(boards):
            self._focus(boards[at])

    def _focus(self, board: NumberBoard) -> None:
        board.focus()
        self.on_row_table_highlighted(RowTable.Highlighted(board))

    @command("overview.filter", Where.OVERVIEW, "slash", "Filter", "Filter the matrix", footer=True, ahead=True)
    def action_filter(self) -> None:
        self.context.navigation.filter_tests()

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
                case Link(Place.HOSTS):
                    self.context.navigation.enter("hosts")


def _words(link: Link) -> str:
    """The target of a number, in words."""
    match link.place:
        case Place.TESTS:
            return f"the tests that match {one_line(link.words)}" if link.words else "all tests"
        case Place.FINDINGS:
            return f"the findings of doctor{f' of the kind {link.words}' if link.words else ''}"
        case Place.RUNS:
            return "the runs"
        case Place.HOSTS:
            return "the machines"
        case Place.EDITS:
            return "the review"
