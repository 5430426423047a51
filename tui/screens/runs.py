# SPDX-License-Identifier: Apache-2.0
"""Runs and their logs: what is running, how runs ended, and what they print, live."""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from textual.app import ComposeResult
from textual.widget import Widget

from core.base.text import counted, one_line
from core.evidence import Page
from core.runs.store import RunRecord
from tui.commands import Changes, Need, Where, command
from tui.keymap import advice
from tui.protocol import Context
from tui.screens.list_and_text import ListAndText
from tui.screens.panes import Pane
from tui.screens.run_list import RunList
from tui.screens.run_log import RunLog
from tui.view_models import Cell, progress_text
from tui.widgets import LinesView, LogView, RunTable

_TICK_SECONDS = 1.0
_NONE = "No runs yet: {matrix.run} in the matrix starts one."


class RunsPlace(NamedTuple):
    """The run under the cursor, and the pane that has the whole screen."""

    key: str | None
    zoomed: str


class RunsScreen(ListAndText[RunRecord]):
    """The runs above, in batches; below the log of the highlighted one, or what there is to say about a batch."""

    PLACES = (Where.RUNS,)
    PURPOSE = "Runs of tests, here and on other machines: what runs, what waits, how it ended, and the log, live."
    PANES = (Pane("list", ("#list-box",)), Pane("log", ("#text-box",)))
    OFFERED = ("runs.cancel",)

    table: RunTable

    def __init__(self, context: Context) -> None:
        self.log_pane = RunLog(self, context)
        super().__init__(context, RunTable(self._focus_log, id="runs"), self.log_pane.pane, title=self.log_pane.title)
        self.runs = RunList(self, self.table)
        self._shown_start = context.session.last_started

    def instead(self) -> ComposeResult:
        yield self.log_pane.detail

    def on_mount(self) -> None:
        self.follow(self.context.signals.runs_changed, self._runs_changed)
        self._runs_changed()
        self.panes.zoom(self.panes.zoomed)
        self.every(_TICK_SECONDS, self._tick)

    @property
    def first_focus(self) -> Widget:
        return self.log_view if self.panes.zoomed else self.table

    @property
    def front(self) -> Widget:
        return self.log_pane.front

    @property
    def tab(self) -> str:
        return "log" if self.panes.zoomed == "log" else super().tab

    @property
    def log_view(self) -> LogView:
        """The lines of the log."""
        return self.log_pane.view

    # What is shown

    def _runs_changed(self) -> None:
        started, before = self.session.last_started, self._shown_start
        self._shown_start = started
        # What a person has just started is what they want to see.
        self.runs.show(started if started != before else self.table.cursor_key)
        if started != before:
            self._show_below()
        self.runs.read_last_lines()
        self._say_where()

    def _say_where(self) -> None:
        session, listed = self.session, self.runs.listed
        self.fit_list()
        others = len(session.all_runs) - len(session.runs)
        key = self.context.keymap.key("runs.everywhere")
        self.title_line(
            counted(len(listed), "run"),
            f"{len(self.table.marks):,} marked" if self.table.marks else "",
            f"{others:,} of other checkouts" if others and self.runs.everywhere else "",
            keyed=[f"{key} shows {others:,} of other checkouts"] if others and not self.runs.everywhere else (),
        )
        self.table.say_when_empty(self.first_step(_NONE))

    def _rest(self) -> None:
        """On the line of messages: progress, or in place of a log that there are no runs; the list says that itself."""
        session = self.session
        come = session.course.at(time.time()) if session.course is not None else None
        nothing = self.panes.zoomed == "log" and not self.runs.listed
        none = advice(_NONE, self.context.keymap, read_only=session.read_only) if nothing else ""
        said = none or (progress_text(come) if come is not None and come.left else "")
        self.messages.rest([Cell(one_line(said), "dim" if none else "running")] if said else ())

    def show_title(self) -> None:
        super().show_title()
        self._rest()

    def _tick(self) -> None:
        """Running runs have taken longer by now, and may have printed something."""
        if self.is_current and any(record.active for record in self.session.runs):
            self.table.repaint_rows()
            self.runs.read_last_lines()
            self._say_where()
            if self.runs.group is not None:
                self._show_below()

    def show_text(self) -> None:
        self._show_below()
        self.offer()

    def _show_below(self) -> None:
        """Show the log of the run under the cursor, or what there is to say about the batch."""
        group = self.runs.group
        if group is not None:
            self.log_pane.show_group(group, self.table.rows.course(group), self.table.last_lines)
        else:
            self.log_pane.show(self.runs.current)
        self.set_class(self.front is not self.log_view, "detailed")
        if self.focused in (self.log_view, self.log_pane.detail):
            # The one that had the keys may be hidden now.
            self.set_focus(self.front)

    def on_run_table_marked(self, event: RunTable.Marked) -> None:
        self._say_where()

    def on_lines_view_follow_changed(self, event: LinesView.FollowChanged) -> None:
        self.log_pane.show_title()

    # Between table and log

    def show_run(self, run_id: str, *, zoomed: bool = False) -> None:
        """Put the cursor on a run and follow its log; one of another checkout has all runs listed."""
        if all(one.spec.run_id != run_id for one in self.runs.listed):
            self.runs.everywhere = True
        self.runs.show(run_id)
        self.table.reveal(run_id)
        self.panes.zoom("log" if zoomed else "")
        self._show_below()
        self.set_focus(self.log_view if zoomed else self.table)

    def show_log(self) -> None:
        """Give the log of the highlighted run the whole screen, and the keys; on a heading, that of a run below it."""
        self.runs.to_a_log()
        self.panes.zoom("log")
        if self.is_mounted:
            self._focus_log()

    def show_table(self) -> None:
        """Show the runs above the log again, and give them the keys."""
        if self.panes.zoomed:
            self.panes.zoom("")
            self.set_focus(self.table)

    def spot(self) -> object:
        return RunsPlace(self.table.cursor_key, self.panes.zoomed) if self.is_mounted else None

    def restore(self, spot: object) -> None:
        if isinstance(spot, RunsPlace):
            self.runs.show(spot.key)
            self.panes.zoom(spot.zoomed)
            self._show_below()
            self.set_focus(self.front if spot.zoomed == "log" else self.table)

    def stop_following(self) -> None:
        """Leave the log where it is."""
        if self.is_mounted:
            self.log_view.following = False

    def _focus_log(self) -> LogView:
        """Give the keys to the log."""
        self._show_details(False)
        # At once: what is typed right after the key is for the log.
        self.set_focus(self.log_view)
        return self.log_view

    def _show_details(self, detailed: bool) -> None:
        self.log_pane.detailed = detailed
        self._show_below()

    def page(self) -> Callable[[], Page]:
        listed = not self.runs.missing_for(Need.RUNS)
        return partial(Page, why="Runs that were started from here have no job of CI." if listed else Need.RUNS.value)

    def lacks(self, need: Need) -> bool:
        look = self.log_view.look
        match need:
            case Need.FILTERS:
                return look is None or not look.filters
            case Need.RUN_FILES:
                return self.runs.current is None or not self.log_pane.has_files
            case _:
                missing = self.runs.missing_for(need)
                return super().lacks(need) if missing is None else missing

    def go_back(self) -> None:
        """First what is searched for, then the whole screen, the log, the details, then where one came from."""
        current = self.runs.current
        if self.log_view.has_focus and self.log_view.clear():
            return
        if self.panes.zoomed == "log" and current and current.spec.run_id == self.context.navigation.base:
            # This log is what was asked for elsewhere: behind it is not the list of runs.
            self.context.navigation.back()
        elif self.panes.zoomed:
            self.panes.leave()
            self.set_focus(self.table)
        elif not self.table.has_focus:
            self.set_focus(self.table)
        elif self.log_pane.detailed:
            self.action_detail()
        else:
            super().go_back()

    def _on_current(self) -> RunLog:
        """The log pane, on the run under the cursor: a key may be ahead of the message that the cursor has moved."""
        self._show_below()
        return self.log_pane

    # Actions

    def on_run_table_opened(self, event: RunTable.Opened) -> None:
        if self.runs.current is not None:
            self.show_log()

    @command(
        "runs.cancel",
        Where.RUNS,
        "S",
        "Stop run",
        "Stop the marked runs, or this one; asks first",
        footer=True,
        needs=Need.RUNNING,
        changes=Changes.RUNS,
        aliases="kill abort",
    )
    def action_cancel_run(self) -> None:
        self.runs.cancel()

    @command(
        "runs.again",
        Where.RUNS,
        "r",
        "Run again",
        "Start the marked runs, or this one, again",
        footer=True,
        needs=Need.RUNS,
        changes=Changes.RUNS,
        aliases="rerun restart",
    )
    def action_run_again(self) -> None:
        self.runs.run_again()

    @command(
        "runs.rest",
        Where.RUNS,
        "R",
        "Run rest",
        "Run what failed or did not run of the batch",
        changes=Changes.RUNS,
    )
    def action_run_rest(self) -> None:
        self.context.runs.start_rest(self.runs.batch)

    @command(
        "runs.compare",
        Where.RUNS,
        "c",
        "Compare",
        "Compare the logs of two marked runs",
        footer=True,
        needs=Need.TWO_RUNS,
    )
    def action_compare(self) -> None:
        self.runs.compare()

    @command(
        "runs.everywhere",
        Where.RUNS,
        "a",
        "All",
        "Show runs of every checkout, or only of this one",
        needs=Need.OTHER_CHECKOUTS,
    )
    def action_everywhere(self) -> None:
        """Show runs of every checkout, or only of this one."""
        self.runs.everywhere = not self.runs.everywhere
        self._runs_changed()

    @command("runs.detail", Where.RUNS, "d", "Detail", "Toggle run details / log", needs=Need.RUN)
    def action_detail(self) -> None:
        """Show the details of the run below, or its log again."""
        self._show_details(not self.log_pane.detailed)
        self.log_pane.show_detail()
        if not self.table.has_focus:
            self.set_focus(self.front)

    @command("runs.entry", Where.RUNS, "m", "Entry", "Show the test of the run, or those of the batch", needs=Need.RUNS)
    def action_entry(self) -> None:
        self.runs.show_tests()

    @command(
        "runs.hold", Where.RUNS, "h", "Hold", "Hold or release queued runs", needs=Need.QUEUED, changes=Changes.RUNS
    )
    def action_hold(self) -> None:
        self.runs.hold()

    @command(
        "runs.first",
        Where.RUNS,
        "T",
        "First",
        "Move queued runs to the front of the queue",
        needs=Need.QUEUED,
        changes=Changes.RUNS,
    )
    def action_put_first(self) -> None:
        self.runs.put_first()

    @command(
        "runs.last",
        Where.RUNS,
        "B",
        "Last",
        "Move queued runs to the end of the queue",
        needs=Need.QUEUED,
        changes=Changes.RUNS,
    )
    def action_put_last(self) -> None:
        self.runs.put_last()

    @command("runs.files", Where.RUNS, "f", "Files", "Show another file of the run, or its log", needs=Need.RUN_FILES)
    def action_pick_file(self) -> None:
        self._on_current().pick_file()

    @command(
        "runs.programs",
        Where.RUNS,
        "i",
        "IR",
        "Show the IR programs that the run wrote",
        needs=Need.RUN,
        aliases="ir mlir stablehlo fx graph",
    )
    def action_programs(self) -> None:
        """Show the programs that the run has left."""
        if self.runs.current is not None:
            self.context.navigation.show_programs(self.runs.current.spec.run_id)

    @command(
        "runs.profiles",
        Where.RUNS,
        "p",
        "Profiles",
        "Show the batch of the run by profile",
        needs=Need.RUNS,
        aliases="compare options",
    )
    def action_profiles(self) -> None:
        """Show the batch of the run by profile."""
        batch = self.runs.batch or (self.runs.current.spec.batch if self.runs.current is not None else "")
        if batch or self.runs.current is not None:
            self.context.navigation.show_profiles(batch)

    @command(
        "runs.source",
        Where.RUNS,
        "s",
        "Source",
        "Open $EDITOR at the bisected line or extracted ops",
        needs=Need.SOURCE,
        changes=Changes.FILES,
    )
    def action_open_source(self) -> None:
        self.runs.open_source()

    @command(
        "runs.copy", Where.RUNS, "y", "Copy", "Copy the exact command of the run or batch", footer=True, needs=Need.RUNS
    )
    def action_copy_command(self) -> None:
        if command := self.runs.command:
            self.context.notify.copy(command)
        else:
            self._on_current().copy_command()

    @command("runs.reason", Where.RUNS, "Y", "Copy why", "Copy the line that explains the failure", needs=Need.FAILURE)
    def action_copy_reason(self) -> None:
        if reasons := self.runs.reasons:
            self.context.notify.copy(reasons)
        else:
            self._on_current().copy_reason()
