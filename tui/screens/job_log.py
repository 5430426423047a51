# SPDX-License-Identifier: Apache-2.0
"""The log of a job of CI: at the line that says why it failed, or at a test; fetched when it is first asked for."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.evidence import JobState, Page, github, store_file
from core.runs.log import LogFile
from tui.commands import Where, command
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.view_models import fetched_words
from tui.widgets import LinesView, LogPane, LogView


class Asked(NamedTuple):
    """A log, and where in it to begin."""

    state: JobState
    test: str
    """The id of a test; empty: at the line that says why the job failed."""


class JobLogScreen(SessionScreen):
    """One log, with the keys of logs of runs."""

    PLACES = (Where.JOB_LOG,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.pane = LogPane(copy_key=context.keymap.key("log.copy"), id="text")
        self._asked: Asked | None = None
        self._transport: github.Transport | None = None
        """The work that fetches now."""
        self._in_use: github.InUse | None = None
        """The log that is being read."""
        self._part: github.LogPart | None = None
        self._where = ""
        """The problem, or the position in the log."""

    def body(self) -> ComposeResult:
        yield self.rule
        yield self.pane

    def on_mount(self) -> None:
        self.set_focus(self.view)
        self.rule.light(True)
        self._say()

    def on_unmount(self) -> None:
        self._stop()

    @property
    def view(self) -> LogView:
        """The lines of the log."""
        return self.pane.view

    def places(self) -> tuple[Where, ...]:
        return (*self.PLACES, *self.view.places())

    # What is shown

    def show_job(self, state: JobState, test: str = "") -> None:
        """Show the log of a job; it is fetched if it is not here."""
        self._stop()
        self._asked, self._part, self._where = Asked(state, test), None, ""
        file = self._file(state)
        whole = github.is_whole(file)
        self.pane.open(LogFile(file), follow=not whole)
        self.set_focus(self.view)
        if whole:
            self._read(file)
            self._find(self._asked)
        else:
            self.action_fetch()
        self._say()

    def page(self) -> Callable[[], Page]:
        url = self._asked.state.job.url if self._asked is not None else ""
        return partial(Page, url, "The page of this job is not known.")

    def spot(self) -> object:
        return self._asked

    def restore(self, spot: object) -> None:
        if isinstance(spot, Asked) and spot is not self._asked:
            self.show_job(*spot)

    def _file(self, state: JobState) -> Path:
        return github.log_file(store_file(self.session.paths.evidence, self.session.checkout.root), state.job)

    def _say(self) -> None:
        asked = self._asked
        if asked is None:
            return
        job, death = asked.state.job, asked.state.death
        fetching = fetched_words(self._part) if self._part is not None and self._transport is not None else ""
        how = str(death.how) if death else job.conclusion
        self.title_line(one_line(job.short), how, fetching, self._where, death.error if death else "")

    def on_lines_view_follow_changed(self, event: LinesView.FollowChanged) -> None:
        self._say()

    def close_one(self) -> bool:
        """First the region, the search, the filters."""
        return self.view.clear()

    # Fetching

    @command("job_log.fetch", Where.JOB_LOG, "r", "Fetch", "Fetch the rest of a log that was interrupted")
    def action_fetch(self) -> None:
        """Fetch what is not here yet of the log."""
        asked = self._asked
        if asked is None or self._transport is not None:
            return
        file = self._file(asked.state)
        if github.is_whole(file):
            self.context.notify.info("The whole log that is stored is here already.")
            return
        self._where, self._part = "fetching …", None
        self._say()
        # Made here, so that it can be stopped from now on.
        transport = self._transport = github.Transport()

        def work() -> None:
            transport.sign_in()
            try:
                github.fetch_log(transport, asked.state.job, file, lambda part: self._tell(transport, part))
            except github.Expired:
                raise TTMatrixError(
                    "GitHub has no log of this job any more", hint="It keeps them for 90 days."
                ) from None

        take, fail = partial(self._fetched, transport, asked), partial(self._failed, transport)
        self.context.background.run("log of a job", work, lambda _: take(), fail=fail)

    def _tell(self, transport: github.Transport, part: github.LogPart) -> None:
        """Called in the thread that fetches."""

        def take() -> None:
            if self._transport is transport:
                self._part, self._where = part, ""
                self._say()

        self.context.background.call(take)

    def _fetched(self, transport: github.Transport, asked: Asked) -> None:
        if self._transport is transport:
            self._transport = None
            self._read(self._file(asked.state))
            # Who has scrolled reads something.
            if self.view.following:
                self._find(asked)
            self._say()

    def _failed(self, transport: github.Transport, error: TTMatrixError) -> None:
        if self._transport is transport:
            self._transport = None
            again = self.context.keymap.key("job_log.fetch")
            self._where = f"{one_line(' '.join(filter(None, (error.title, error.detail))))}: {again} tries again"
            self._say()

    def _read(self, file: Path) -> None:
        """Say that it is being read, so that retention leaves it alone."""
        self._in_use = github.InUse(file)

    def _stop(self) -> None:
        """Fetch no more: what has come stays, and is not fetched again."""
        if self._in_use is not None:
            self._in_use.close()
            self._in_use = None
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.stop()

    # Where in it

    def _find(self, asked: Asked, *, test: str = "") -> None:
        """Go to where one wants to read: the line of a test, else the one that says why the job failed."""
        state, file, wanted = asked.state, self._file(asked.state), test or asked.test

        def work() -> tuple[int, str]:
            lines = github.read_lines(file)
            at = github.line_of_test(lines, wanted) if wanted else 0
            if at:
                return at, "the test"
            return _cause(state, lines), "why it failed"

        def take(found: tuple[int, str]) -> None:
            at, what = found
            if asked is self._asked:
                self._where = f"line {at:,}: {what}" if at else "no line says why"
                if at:
                    self.view.go_to_line(at - 1)
                self._say()

        self.context.background.run("place in a log", work, take, supersede=True)

    @command("job_log.cause", Where.JOB_LOG, "x", "Cause", "Go to the line that says why the job failed", footer=True)
    def action_cause(self) -> None:
        """Go to the line that says why the job failed."""
        if self._asked is not None:
            self._find(self._asked._replace(test=""))

    @command("job_log.test", Where.JOB_LOG, "T", "Test", "Go to the test in question, or that ran last", footer=True)
    def action_test(self) -> None:
        """Go to the test that is asked about, else to the one that ran last."""
        asked = self._asked
        death = asked.state.death if asked else None
        test = (asked.test if asked else "") or (death.test if death else "")
        if asked is not None and test:
            self._find(asked, test=test)
        else:
            self.context.notify.info("No test is known here: the log ends outside of tests, or all have ended.")


def _cause(state: JobState, lines: Sequence[str]) -> int:
    """The line that says why a job failed: the one that was found when its end was read, if it is still that."""
    death = state.death
    if death is not None and death.error and 0 < death.line <= len(lines) and death.error in lines[death.line - 1]:
        return death.line
    return github.line_of_error(lines)
