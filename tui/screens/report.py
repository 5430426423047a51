# SPDX-License-Identifier: Apache-2.0
"""Report: how we are doing. Pass rates and entries over time, what turned, machines, stale entries, incomplete runs."""

from collections.abc import Callable
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Static

from core.base.text import counted, one_line
from core.evidence import Page
from core.evidence.progress import By, Progress, ProgressReader, summary
from tui.commands import Need, Where, command
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.panes import Pane
from tui.session import Session
from tui.view_models import (
    NO_OP_RESULTS,
    NO_ROWS,
    NOTHING,
    Cell,
    OpReport,
    ReportList,
    ReportRow,
    list_legend,
    list_tabs,
    list_words,
    moment_text,
    report_plots,
    report_rows,
)
from tui.widgets import CellLines, PaneRule, RowTable, StillTable

_TALL_FROM, _TALL, _LOW = 40, 16, 8
"""Height from which the plots above the list are high, and their lines then and below it."""
_LEAST_NEXT = 6
"""Lines that another list needs below the plots."""
_PERIODS = (90.0, 180.0, 365.0, 30.0)
"""In days."""
_LISTS, _BYS = tuple(ReportList), tuple(By)


class ReportScreen(SessionScreen):
    """A sentence, the plots, and one list at a time; enter shows what the row is about."""

    PLACES = (Where.REPORT, Where.TABLE)
    PANES = (Pane("list", ("#report-list",)), Pane("plots", ("#report-side",)))

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.rows = NO_ROWS
        self.table = RowTable(NO_ROWS, id="report")
        # An attribute, not looked up: a row may be highlighted while the screen is taken apart.
        self._side = Vertical(id="report-side")
        self.plots = CellLines(id="report-plots")
        self._next_title = PaneRule(id="report-next-title")
        self.following = StillTable(NO_ROWS, id="report-next")
        """Below the plots at the right: the next list that has rows, so that nothing is empty there."""
        self._tabs = CellLines(id="report-lists")
        self.read_when_seen(self._read, context.signals.matrix_changed, context.signals.evidence_changed)
        self._reader: ProgressReader | None = None
        self._progress: Progress | None = None
        self._ops = NO_OP_RESULTS
        self._list, self._by, self._days = ReportList.RATES, By.FAMILY, _PERIODS[0]
        self._left_out: frozenset[str] = frozenset()

    def body(self) -> ComposeResult:
        yield Static("", id="report-words", markup=False)
        with Vertical(id="report-panes"):
            with self._side:
                yield self.plots
                yield self._next_title
                yield self.following
            with Vertical(id="report-list"):
                yield self.rule
                yield self._tabs
                yield self.table

    def on_mount(self) -> None:
        self.table.focus()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show_plots())

    @property
    def lists_nothing(self) -> bool:
        return self.table.is_empty

    def lacks(self, need: Need) -> bool:
        row = self._row
        match need:
            case Need.REPORTED:
                return row is None or (not row.test and row.query is None and not row.run)
            case Need.RESULTS:
                return self._progress is None
            case _:
                return super().lacks(need)

    # What is shown

    def _read(self) -> None:
        """Everything anew: the evidence has changed."""
        self._reader = None
        self._count()

    def _count(self) -> None:
        """The numbers of the chosen period and split; what was read for others is not read again."""
        self._say("counting results …" if self._reader else "reading results …")
        known, days, by, without = self._reader, self._days, self._by, self._left_out

        def counted() -> tuple[ProgressReader, Progress, OpReport]:
            evidence = self.session.look().without(without)
            reader = known or evidence.progress_reader()
            progress = reader.progress(now=evidence.now, days=days, by=by, without=without)
            if not evidence.results.has_cases:
                return reader, progress, NO_OP_RESULTS
            return reader, progress, OpReport(evidence.case_numbers(), evidence.nights(progress.since))

        self.context.background.run("report", counted, lambda found: self._take(*found), supersede=True)

    def _take(self, reader: ProgressReader, progress: Progress, ops: OpReport) -> None:
        self._reader, self._progress, self._ops = reader, progress, ops
        if not self.is_mounted:
            return
        self._say()
        words = summary(progress)
        if not progress.measured.total.ran:
            words = f"{words} ttmatrix ingest --from-github downloads the reports of CI."
        self.query_one("#report-words", Static).update(one_line(words))
        self._show()

    def _say(self, *words: str) -> None:
        without = f"without {', '.join(map(one_line, sorted(self._left_out)))}" if self._left_out else ""
        self.title_line(f"{self._days:g} days", f"by {self._by}", without, *words)

    def _show(self) -> None:
        if self._progress is None:
            return
        width = self._tabs.size.width or self.app.size.width
        self._tabs.show([list_tabs(self._progress, self._list, self._ops, width=width - 1)])
        self._say_when()
        key = self.context.keymap.key("report.list")
        self.table.say_when_empty(f"{NOTHING[self._list]} {key} shows the next list.")
        self.rows = report_rows(self._progress, self._list, self._ops)
        self.table.show(self.rows, keep=self.table.cursor_key)
        self.offer()
        self._show_next()

    def _show_next(self) -> None:
        """The next list with rows, below the plots where these leave room."""
        at = _LISTS.index(self._list) + 1
        rest = (*_LISTS[at:], *_LISTS[: at - 1])
        found = ((one, report_rows(self._progress, one, self._ops)) for one in rest) if self._progress else ()
        which, rows = next((one for one in found if len(one[1])), (self._list, NO_ROWS))
        self.following.show(rows)
        self._next_title.say(which, counted(len(rows), "row"))
        self.set_class(self.beside and bool(len(rows)), "nexted")

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        if event.table is not self.table:
            return
        self.show_place(self.table.place)
        self._say_when()
        self._show_plots()

    def _say_when(self) -> None:
        """The day and the time of the row, and what there is to say about the list."""
        if self._progress is not None:
            row, words = self._row, list_words(self._progress, self._list)
            said = " · ".join(filter(None, (moment_text(row.when) if row else "", words)))
            self.messages.rest(list_legend(self._list), [Cell(one_line(said), "dim")])

    def on_resize(self, event: events.Resize) -> None:
        self._show_plots()
        self.call_after_refresh(self.with_widgets(self._show))

    def _show_plots(self) -> None:
        """The plots, as large as there is room for: above the list, or right of it and one above the other."""
        tall = self.app.size.height >= _TALL_FROM
        self.set_class(self.beside, "beside")
        shown = self._progress is not None and bool(self._progress.measured.total.ran)
        self._side.set_class(shown, "shown")
        if self._progress is not None and shown:
            key = (self.table.cursor_key or "") if self._list is ReportList.RATES else ""
            room = self._side.size if self.beside else Size(self.app.size.width, _TALL if tall else _LOW)
            size, letters = Size(max(0, room.width - 2), room.height), self.context.in_letters()
            plots = report_plots(self._progress, key, *size, stacked=self.beside, letters=letters)
            self.plots.styles.height = len(plots)
            self.plots.show(plots)
            self.set_class(self.beside and room.height - len(plots) < _LEAST_NEXT, "filled")
            self.call_after_refresh(self.with_widgets(partial(self._fit_plots, room)))

    def _fit_plots(self, drawn: Size) -> None:
        """Draw the plots again where their place turns out to be another one: only now it has its size."""
        if self.beside and self._side.size != drawn:
            self._show_plots()

    # Actions

    @property
    def _row(self) -> ReportRow | None:
        return self.rows.items[self.table.row] if self.table.row is not None else None

    def page(self) -> Callable[[], Page]:
        """The page of the newest job of the test on the arch of the row, or that of the run."""
        row, session = self._row, self.session
        if row is not None and row.test:
            return self.page_of_tests([row.test], row.arch)
        if row is not None and row.run:
            return partial(_page_of_run, session, row.run)
        return partial(Page, why=f"This row counts many jobs: {self.context.keymap.key('report.go')} shows its tests.")

    @command(
        "report.go",
        Where.REPORT,
        "enter",
        "Go to",
        "Show the test, or the tests of the row",
        footer=True,
        needs=Need.REPORTED,
    )
    def action_go(self) -> None:
        """Show the test of the row, the tests that it counts, or how its run differs from the one before."""
        row = self._row
        if row is not None and row.test:
            self.go_to_test(row.test)
        elif row is not None and row.query is not None:
            self.context.navigation.show_tests(row.query)
        elif row is not None and row.run:
            self.context.navigation.compare_run(row.run)

    @command("report.list", Where.REPORT, "tab,f", "List", "Show the next list", action="next_list(1)", footer=True)
    @command(
        "report.list_before", Where.REPORT, "shift+tab", "List before", "Show the previous list", action="next_list(-1)"
    )
    def action_next_list(self, steps: int) -> None:
        self._list = _LISTS[(_LISTS.index(self._list) + steps) % len(_LISTS)]
        self.table.action_top()
        self._show()

    @command("report.by", Where.REPORT, "b", "By", "Show rates by family, arch, group or loader", footer=True)
    def action_next_by(self) -> None:
        self._by = _BYS[(_BYS.index(self._by) + 1) % len(_BYS)]
        self._list = ReportList.RATES
        self._show()
        self._count()

    @command("report.period", Where.REPORT, "p", "Period", "Change the number of days", footer=True)
    def action_next_period(self) -> None:
        self._days = _PERIODS[(_PERIODS.index(self._days) + 1) % len(_PERIODS)]
        self._count()

    @command("report.host", Where.REPORT, "H", "Host", "Toggle results of machines that fail alone", footer=True)
    def action_leave_out(self) -> None:
        """Count without the machines that failures follow, or with all of them again."""
        if self._progress is None:
            return
        found = {one.host for one in self._progress.measured.hosts if one.suspect} - {*self._progress.without}
        if not self._left_out and not found:
            self.context.notify.info("Failures follow no machine.")
            return
        self._left_out = frozenset() if self._left_out else frozenset(found)
        # Verdicts are others without these machines.
        self._read()

    @command("report.copy", Where.REPORT, "y", "Copy", "Copy the summary of the report", needs=Need.RESULTS)
    def action_copy(self) -> None:
        if self._progress is not None:
            self.context.notify.copy(summary(self._progress))


def _page_of_run(session: Session, run: str) -> Page:
    return session.look().page_of_run(run)
