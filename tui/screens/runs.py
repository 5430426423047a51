# SPDX-License-Identifier: Apache-2.0
"""Runs and their logs: what runs, what came of it, and what it printed, live."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from core.runs import Age, Outcome, shell_command
from core.runs.log import Arrivals, LogFile, telling_line
from core.runs.store import RunRecord, artefacts, find_artefact, read_provenance
from core.text import one_line
from tui.commands import Where, bindings
from tui.screens.pick import Option, Pick
from tui.screens.run_acts import RunActs
from tui.view_models import counted, progress_text, run_look, run_text
from tui.widgets import KeptText, KeyLine, LinesView, LogPane, LogView, RowTable, RunTable, TextPane

_TICK_SECONDS = 1.0
_REASON_BYTES = 4 * 1024 * 1024
"""How much of the end of a log is looked through for the line that tells most."""


class RunsScreen(RunActs):
    """The runs above, the log of the highlighted one below."""

    PLACES = (Where.RUNS, Where.RUN_TABLE, Where.TABLE, Where.LINES, Where.LOG)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.RUNS)

    def compose(self) -> ComposeResult:
        yield KeptText("", id="title", markup=False)
        yield Static("", id="progress", markup=False)
        with Vertical(id="runs-box"):
            yield RunTable(self._to_log, id="runs")
        yield Static("", id="log-title", markup=False)
        yield LogPane(id="log-pane")
        yield TextPane(id="run-detail")
        yield KeyLine()

    def on_mount(self) -> None:
        self._shown = self._file = ""
        self._told: tuple[RunRecord, Age | None] | None = None
        """The run of which all is told, and how old it was said to be."""
        self.follow(self.host.runs_changed, self._runs_changed)
        self.follow(self.host.pending_changed, self._say)
        self._show_runs(None)
        self.set_focus(self.log_view if self.has_class("zoomed") else self.table)
        self.set_interval(_TICK_SECONDS, self._tick)
        self._say()

    def places(self) -> tuple[Where, ...]:
        own = (Where.RUN_TABLE, Where.TABLE) if self.table.has_focus else (Where.LINES, Where.LOG)
        return (Where.RUNS, *own)

    @property
    def log_view(self) -> LogView:
        return self.query_one(LogView)

    def show_run(self, run_id: str, *, zoomed: bool = False) -> None:
        """Put the cursor on a run and follow its log."""
        self._show_runs(run_id)
        self.set_class(zoomed, "zoomed")
        self._open_log()
        self.set_focus(self.log_view if zoomed else self.table)

    def _show_runs(self, keep: str | None) -> None:
        self.table.show_runs(self.shown_runs, keep, self.session.ages, with_checkout=self.everywhere)

    def action_everywhere(self) -> None:
        """Show runs of every checkout, or only of this one."""
        self.everywhere = not self.everywhere
        self._show_runs(self.table.cursor_key)
        self._say()

    def show_log(self) -> None:
        """Give the log of the highlighted run the whole screen, and the keys."""
        self.set_class(True, "zoomed")
        if self.is_mounted:
            self._to_log()

    def show_table(self) -> None:
        """Show the runs above the log, with the keys for the one that had them."""
        if self.has_class("zoomed"):
            self.set_class(False, "zoomed")
            self.set_focus(self.table)

    def _to_log(self) -> LogView:
        """Hand the keys to the log."""
        self.set_class(False, "detailed")
        # At once: what is typed right after the key is for the log.
        self.set_focus(self.log_view)
        return self.log_view

    def stop_following(self) -> None:
        """Leave the log where it is."""
        if self.is_mounted:
            self.log_view.following = False

    def _runs_changed(self) -> None:
        self._show_runs(self.table.cursor_key)
        self._say()

    def _say(self) -> None:
        self.fit_list("#runs-box", len(self.shown_runs))
        count, progress = len(self.shown_runs), self.session.progress()
        told = counted(count, "run") if count else "none yet: r in the matrix starts one"
        others = len(self.session.all_runs) - len(self.session.runs)
        if others:
            told += f" · {others:,} of other checkouts{'' if self.everywhere else ': a shows them'}"
        if self.table.marks:
            told += f" · {len(self.table.marks):,} marked"
        self.title_line(told)
        line = self.query_one("#progress", Static)
        line.set_class(bool(progress.left), "shown")
        text = Text(progress_text(progress, self.session.runs), no_wrap=True, overflow="ellipsis")
        line.update(text, layout=False)

    def _tick(self) -> None:
        """What goes on has taken longer by now, and may have printed something."""
        if self.is_current and any(record.active for record in self.session.runs):
            self.table.repaint_rows()
            self._say()

    # The log

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._open_log()

    def _open_log(self) -> None:
        record = self.current
        shown = record.spec.run_id if record else ""
        if shown != self._shown:
            self._shown, self._file = shown, ""
            if record is not None:
                self.query_one(LogPane).open(LogFile(record.log), Arrivals(record.arrivals))
        self._say_log()
        self._show_detail()

    def on_log_pane_failed(self, event: LogPane.Failed) -> None:
        self.host.tell(event.error)

    def on_log_view_copied(self, event: LogView.Copied) -> None:
        self.host.copy(event.text)

    def on_lines_view_follow_changed(self, event: LinesView.FollowChanged) -> None:
        self._say_log()

    def _say_log(self) -> None:
        title, record = self.query_one("#log-title", Static), self.current
        if record is None:
            title.update("")
            return
        view = self.log_view
        state = f"{view.unseen:,} new lines below" if view.unseen else "following" if view.following else ""
        live = state if record.active else record.summary
        age = self.session.ages.get(record.spec.run_id)
        look, old = run_look(record).word, age.text if age else ""
        words = (one_line(record.spec.test_id), look, old, one_line(self._file), live)
        title.update("   ".join(filter(None, words)))

    # Actions

    def action_other_pane(self) -> None:
        self.set_focus(self._lower if self.table.has_focus else self.table)

    def action_zoom(self) -> None:
        self.toggle_class("zoomed")
        self.set_focus(self._lower if self.has_class("zoomed") else self.table)

    def go_back(self) -> None:
        if self.log_view.has_focus and self.log_view.clear():
            return
        if self.has_class("zoomed"):
            self.action_zoom()
        elif not self.table.has_focus:
            self.set_focus(self.table)
        elif self.has_class("detailed"):
            self.action_detail()
        else:
            super().go_back()

    def on_run_table_marked(self, event: RunTable.Marked) -> None:
        self._say()

    def on_run_table_opened(self, event: RunTable.Opened) -> None:
        if self.current is not None:
            self.show_log()

    def action_detail(self) -> None:
        """The lower pane tells all about the run, or shows its log again."""
        self.toggle_class("detailed")
        self._show_detail()
        if not self.table.has_focus:
            self.set_focus(self._lower)

    @property
    def _lower(self) -> Widget:
        return self.query_one(TextPane) if self.has_class("detailed") else self.log_view

    def _show_detail(self) -> None:
        record = self.current
        if record is None or not self.has_class("detailed"):
            return
        told = record, self.session.ages.get(record.spec.run_id)
        if told != self._told:
            self._told = told
            self.query_one(TextPane).show(run_text(record, read_provenance(record.directory), told[1]))

    def action_pick_file(self) -> None:
        record = self.current
        if record is None:
            return
        names = artefacts(record)
        if not names:
            self.host.say("This run kept no files beside its log.")
            return
        options = [Option("", record.log.name, "what the run printed")]
        options += [Option(name, name, f"{(record.directory / name).stat().st_size:,} bytes") for name in names]
        self.app.push_screen(Pick("Show which file?", options, self._file), self._show_file)

    def _show_file(self, name: str | None) -> None:
        record = self.current
        if name is not None and record is not None:
            self._file = name
            self.query_one(LogPane).open(LogFile(find_artefact(record, name) if name else record.log))
            self._say_log()

    def action_copy_command(self) -> None:
        if self.current is not None:
            self.host.copy(shell_command(self.current.spec))

    def action_copy_reason(self) -> None:
        record = self.current
        if record is not None and record.outcome is Outcome.PASS:
            self.host.say("This run has passed: there is no failure to give a reason for.")
        elif record is not None:
            self.host.in_thread(
                "reason", lambda: telling_line(LogFile(record.log).last(_REASON_BYTES)), self._copy_reason
            )

    def _copy_reason(self, reason: str) -> None:
        if reason:
            self.host.copy(reason)
        else:
            self.host.say("No line of this log tells why it failed.")
