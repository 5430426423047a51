# SPDX-License-Identifier: Apache-2.0
"""The lower half of the runs screen: the log of the highlighted run or another of its files, or its details."""

import time
from collections.abc import Mapping
from functools import partial

from rich.text import Text
from textual.widget import Widget

from core.base.text import one_line
from core.runs import Age, case_progress, read_case_results, shell_command
from core.runs.log import Arrivals, LogFile, cause_line
from core.runs.planning import Course
from core.runs.store import RunRecord, artefacts, find_artefact, read_provenance
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.list_and_text import title_of_text
from tui.screens.pick import Option, Pick
from tui.view_models import RunGroup, batch_text, batch_words, now_words, run_look, run_text
from tui.widgets import LogPane, LogView, TextPane

_BESIDE_TEXT = 3
"""Cells of a pane that its text does not have: margin, bar."""
_REASON_BYTES = 4 * 1024 * 1024
"""Bytes at the end of a log that are searched for the line that explains the failure."""


class RunLog:
    """Shows one run: its log or, with `detailed`, all that is known about it."""

    def __init__(self, screen: SessionScreen, context: Context) -> None:
        self.record: RunRecord | None = None
        self.detailed = False
        self._screen = screen
        self._context = context
        self.title = title_of_text()
        self.pane = LogPane(copy_key=context.keymap.key("log.copy"), id="text")
        self.detail = TextPane(id="run-detail")
        self._file = ""
        """The name of the file that is shown; empty: the log."""
        self._described: tuple[RunRecord, Age | None, int] | None = None
        """The run whose details are shown, and its age as shown."""
        self.group: RunGroup | None = None
        """The batch that is shown, in place of a run."""

    @property
    def view(self) -> LogView:
        """The lines of the log."""
        return self.pane.view

    @property
    def front(self) -> Widget:
        """The widget that gets the keys."""
        return self.detail if self.detailed or self.group is not None else self.pane.view

    def show(self, record: RunRecord | None) -> None:
        """Show a run; the one that is shown already stays where it is scrolled to."""
        before, self.record = self.record, record
        if self.group is not None:
            self.group, self._described = None, None
        if record is not None and (before is None or before.spec.run_id != record.spec.run_id):
            self._file = ""
            self.pane.open(LogFile(record.log), Arrivals(record.arrivals))
        self.show_title()
        self.show_detail()

    def show_group(self, group: RunGroup, course: Course, last_lines: Mapping[str, str]) -> None:
        """Show a batch and how far it is; while it is the same one, its text stays where it is scrolled to."""
        before, self.group, self.record = self.group, group, None
        width = max(1, self.detail.line_width or self.title.size.width - _BESIDE_TEXT)
        now = time.time()
        text, come = batch_text(group, course, now, last_lines, width), course.at(now)
        same = before is not None and before.key == group.key
        if not same or text != self.detail.shown:
            self.detail.show(text, stay=same)
        self.title.say(group.name, now_words(come) or batch_words(group, come))

    def show_title(self) -> None:
        """Say which run it is, its outcome or state, and what is new in its log."""
        record = self.record
        if record is None:
            if self.group is None:
                self.title.say("")
            return
        view = self.view
        state = f"{view.unseen:,} new lines below" if view.unseen else "following" if view.following else ""
        live = state if record.active else record.summary
        age = self._age(record)
        words = (run_look(record).word, age.text if age else "", one_line(self._file), live)
        # "cancelled" is said once.
        said = tuple(dict.fromkeys(filter(None, words)))
        self.title.say_test(one_line(record.spec.test_id), *said)

    def _age(self, record: RunRecord) -> Age | None:
        return self._screen.session.ages.get(record.spec.run_id)

    def show_detail(self) -> None:
        """Show the details of the run where they are wanted and have changed."""
        record = self.record
        if record is None or not self.detailed:
            return
        age, progress = self._age(record), case_progress(record, time.time())
        described = record, age, progress.done if progress else 0
        if described == self._described:
            return
        self._described = described

        def read() -> Text:
            cases = read_case_results(record.directory) if progress else ()
            return run_text(record, read_provenance(record.directory), age, cases, progress)

        self._context.background.run("run details", read, self.detail.show, supersede=True)

    @property
    def has_files(self) -> bool:
        """Whether the run has files besides its log."""
        return self.record is not None and bool(artefacts(self.record))

    # Actions

    def pick_file(self) -> None:
        """Show another file of the run, which a person picks, in place of its log."""
        record = self.record
        if record is None:
            return
        names = artefacts(record)
        options = [Option("", record.log.name, "what the run printed")]
        options += [Option(name, name, f"{(record.directory / name).stat().st_size:,} bytes") for name in names]
        self._screen.app.push_screen(Pick("Show which file?", options, self._file), partial(self._show_file, record))

    def _show_file(self, record: RunRecord, name: str | None) -> None:
        if name is not None:
            self._file = name
            self.pane.open(LogFile(find_artefact(record, name) if name else record.log))
            self.show_title()

    def copy_command(self) -> None:
        """Copy the exact command of the run."""
        if self.record is not None:
            self._context.notify.copy(shell_command(self.record.spec))

    def copy_reason(self) -> None:
        """Copy the reason of the failure."""
        record = self.record
        if record is not None:
            self._context.background.run("reason", partial(shown_reason, record), self._copy_reason)

    def _copy_reason(self, reason: str) -> None:
        if reason:
            self._context.notify.copy(reason)
        else:
            self._context.notify.info("No line of this log explains the failure.")


def shown_reason(record: RunRecord) -> str:
    """Why a run failed, as lists and evidence have it; of one that is going, the line of its log so far."""
    return record.reason or cause_line(LogFile(record.log).last(_REASON_BYTES))
