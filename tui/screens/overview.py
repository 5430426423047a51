# SPDX-License-Identifier: Apache-2.0
"""Overview: the numbers of the matrix, of doctor, and of runs and changes here; each leads to what it counts."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from core.matrix import Matrix
from core.matrix.query import Query
from core.matrix.view import LEARNED, Link, Number, Place, Row, Section, findings_section, overview
from core.model import Finding
from core.text import counted, one_line
from tui.commands import Where, bindings
from tui.screens.base import SessionScreen
from tui.view_models import OverviewRows
from tui.widgets import CachedText, CellTable, KeyLine, NumberBoard, RowTable

_TWO_BOARDS_FROM = 130
"""Width from which there are two boards side by side."""


class OverviewScreen(SessionScreen):
    """Numbers; enter shows what the one under the cursor counts."""

    PLACES = (Where.OVERVIEW, Where.TABLE, Where.CELLS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.OVERVIEW)

    def compose(self) -> ComposeResult:
        yield CachedText("", id="title", markup=False)
        with Horizontal():
            yield NumberBoard(id="tests-board")
            yield NumberBoard(id="other-board")
        yield Static("", id="number-line", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self._findings: Sequence[Finding] | None = None
        self._tests: tuple[Section, ...] = ()
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

    def _count(self) -> None:
        """Count again while the screen is in front and there is a new matrix."""
        if not self.is_current or self._counted is self.session.view.matrix:
            return
        self._counted = self.session.view.matrix
        self._tests = overview(self.session.view.matrix, self.session.view.learned)
        self.context.facts.request(LEARNED)
        self._findings = None
        self.context.background.run("overview", self.session.examine, self._found, supersede=True)
        self._show()

    def _facts_learned(self) -> None:
        if self.is_current and self._counted is self.session.view.matrix:
            self._tests = overview(self.session.view.matrix, self.session.view.learned)
            self._show()

    def _found(self, findings: tuple[Finding, ...]) -> None:
        self._findings = findings
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        self._show()

    def _show(self) -> None:
        sections = [*self._tests, self._here()]
        if self._findings is not None:
            sections.append(findings_section(self._findings))
        two = self.app.size.width >= _TWO_BOARDS_FROM
        first, second = self._boards
        second.set_class(two, "shown")
        split = 2 if two else len(sections)
        for board, part in ((first, sections[:split]), (second, sections[split:])):
            board.show(OverviewRows(part), keep=board.cursor_key)
        self._say()

    def _here(self) -> Section:
        """Runs and changes of this checkout."""
        session = self.session
        numbers = (
            ("runs", len(session.runs), Place.RUNS),
            ("pending changes", len(session.pending.changes), Place.EDITS),
        )
        rows = (Row(label, (Number(count, Link(place)),)) for label, count, place in numbers)
        return Section("here", ("",), tuple(rows))

    def _say(self) -> None:
        matrix, ops = self.session.matrix, self.session.view.matrix.ops
        self.title_line(
            one_line(self.session.checkout.root.name),
            counted(len(matrix.ids), "test"),
            counted(len(ops.ids), "op case") if ops else "",
            f"{len(matrix.entries):,} with an entry",
            "doctor is running …" if self._findings is None else "",
        )

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        number = self.board.number
        words = _words(number.link) if number else ""
        self.query_one("#number-line", Static).update(Text(words, no_wrap=True, overflow="ellipsis"), layout=False)

    # Moving

    def action_section(self, steps: int) -> None:
        """To the next section, and from the last one on this board to the other board."""
        if not self.board.action_section(steps):
            self._other_board(steps)

    def on_cell_table_left(self, event: CellTable.Left) -> None:
        self._other_board(event.steps)

    def _other_board(self, steps: int) -> None:
        first, second = self._boards
        if steps > 0 and first.has_focus and second.has_class("shown"):
            second.focus()
        elif steps < 0 and second.has_focus:
            first.focus()
        self.on_row_table_highlighted(RowTable.Highlighted(self.board))

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
                    self.context.navigation.switch("runs")
                case Link(Place.EDITS):
                    self.context.navigation.switch("review")


def _words(link: Link) -> str:
    """Where a number leads."""
    match link.place:
        case Place.TESTS:
            return f"enter: the tests of  {one_line(link.words) or 'all'}"
        case Place.FINDINGS:
            return f"enter: doctor's findings{f' of the kind {link.words}' if link.words else ''}"
        case Place.RUNS:
            return "enter: the runs"
        case _:
            return "enter: the review"
