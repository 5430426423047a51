# SPDX-License-Identifier: Apache-2.0
"""Runs and their logs: what runs, what came of it, and what it printed, live."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Footer, Static

from core.runs.artefacts import artefacts, find_artefact
from core.runs.log_signs import telling_line
from core.runs.record import RunRecord, RunState
from core.runs.spec import shell_command
from core.runs.tail import LogFile
from core.text import one_line
from tui.commands import Where, bindings
from tui.presentation import counted, run_look, seconds_text
from tui.run_rows import RunRows
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.pick import Option, Pick
from tui.widgets.lines_view import LinesView
from tui.widgets.log_pane import LogPane
from tui.widgets.log_view import LogView
from tui.widgets.row_table import RowTable

_REASON_BYTES = 4 * 1024 * 1024
"""How much of the end of a log is looked through for the line that tells most."""


class RunTable(RowTable):
    """The table of runs, with the keys of a table."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.TABLE)


class RunsScreen(SessionScreen):
    """The runs above, the log of the highlighted one below."""

    PLACES = (Where.RUNS, Where.TABLE, Where.LINES, Where.LOG)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.RUNS)

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        with Vertical(id="runs-box"):
            yield RunTable(RunRows(self.session.runs), id="runs")
        yield Static("", id="log-title", markup=False)
        yield LogPane(id="log-pane")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._shown = self._file = ""
        self.follow(self.host.runs_changed, self._runs_changed)
        self.follow(self.host.pending_changed, self._say)
        self.table.focus()
        self._say()

    @property
    def table(self) -> RunTable:
        return self.query_one(RunTable)

    @property
    def log_view(self) -> LogView:
        return self.query_one(LogView)

    @property
    def current(self) -> RunRecord | None:
        """The highlighted run."""
        key = self.table.cursor_key
        return next((record for record in self.session.runs if record.spec.run_id == key), None)

    def show_run(self, run_id: str, *, zoomed: bool = False) -> None:
        """Put the cursor on a run and follow its log."""
        self.table.show(RunRows(self.session.runs), keep=run_id)
        self.set_class(zoomed, "zoomed")
        self._open_log()
        (self.log_view if zoomed else self.table).focus()

    def stop_following(self) -> None:
        """Leave the log where it is."""
        if self.is_mounted:
            self.log_view.following = False

    def _runs_changed(self) -> None:
        self.table.show(RunRows(self.session.runs), keep=self.table.cursor_key)
        self._say()

    def _say(self) -> None:
        self.fit_list("#runs-box", len(self.session.runs))
        count, progress = len(self.session.runs), self.session.progress()
        told = counted(count, "run") if count else "none yet: r in the matrix starts one"
        if progress.left:
            eta = f", about {seconds_text(progress.seconds)} left" if progress.seconds else ""
            told = f"{progress.total - progress.left:,} of {progress.total:,} done{eta} · {told}"
        self.title_line(told)

    # The log

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._open_log()

    def _open_log(self) -> None:
        record = self.current
        shown = record.spec.run_id if record else ""
        if shown != self._shown:
            self._shown, self._file = shown, ""
            if record is not None:
                self.query_one(LogPane).open(LogFile(record.log))
        self._say_log()

    def on_log_pane_failed(self, event: LogPane.Failed) -> None:
        self.host.tell(event.error)

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
        words = (one_line(record.spec.test_id), run_look(record).word, one_line(self._file), live)
        title.update("   ".join(filter(None, words)))

    # Actions

    def action_other_pane(self) -> None:
        (self.table if self.log_view.has_focus else self.log_view).focus()

    def action_zoom(self) -> None:
        self.toggle_class("zoomed")
        (self.log_view if self.has_class("zoomed") else self.table).focus()

    def go_back(self) -> None:
        if self.log_view.has_focus and self.log_view.clear():
            return
        if self.has_class("zoomed"):
            self.action_zoom()
        elif self.log_view.has_focus:
            self.table.focus()
        else:
            super().go_back()

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
        if record is not None:
            self.host.in_thread(
                "reason", lambda: telling_line(LogFile(record.log).last(_REASON_BYTES)), self._copy_reason
            )

    def _copy_reason(self, reason: str) -> None:
        if reason:
            self.host.copy(reason)
        else:
            self.host.say("No line of this log tells why it failed.")

    def action_run_again(self) -> None:
        if self.current is not None:
            self.host.start_runs([self.current.spec.test_id])

    def action_run_rest(self) -> None:
        self.host.run_rest()

    def action_hold(self) -> None:
        record = self._queued()
        if record is not None:
            self.host.change_queue(lambda queue: queue.hold(record.spec.run_id, not record.held))

    def action_put_first(self) -> None:
        record = self._queued()
        if record is not None:
            self.host.change_queue(lambda queue: queue.put_first(record.spec.run_id))

    def _queued(self) -> RunRecord | None:
        """The highlighted run, if it waits; else a word about that."""
        if self.current is None or self.current.state is not RunState.QUEUED:
            self.host.say("This run does not wait any more.")
            return None
        return self.current

    def action_cancel_run(self) -> None:
        record = self.current
        if record is None or not record.active:
            self.host.say("This run is over.")
            return
        question = Confirm(f"Stop run {record.spec.run_id}?", record.spec.test_id, verb="stop it")
        self.app.push_screen(question, lambda yes: self.host.cancel_run(record.spec.run_id) if yes else None)
