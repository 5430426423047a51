# SPDX-License-Identifier: Apache-2.0
"""The commits that changed the entry of a test, and what each did to it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget

from core import history
from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.evidence import Page
from core.history import Step, Timeline
from core.sources import Checkout, Commit
from tui.protocol import Context
from tui.screens.dialogs import DialogKey
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import diff_style, moment_text, step_rows
from tui.widgets import LinesView, PaneRule, RowTable, TextLines


class EntryCommits(WholeDialog[None]):
    """Commits above, and below what the one under the cursor did; enter shows the whole commit."""

    KEYS = (
        DialogKey("enter", "whole", "whole commit"),
        DialogKey("tab", "other_pane", "scroll", "Pane"),
        DialogKey("o", "open_page", "page", "Open its page, or copy the address"),
        DialogKey("y", "copy_id", "copy id"),
        DialogKey("p", "copy_pr", "PR text", "Copy PR text"),
        DialogKey("q", "leave", "", "Close"),
    )

    def __init__(self, context: Context, id: str) -> None:
        super().__init__()
        self.context = context
        self._test = id
        # Attributes, not looked up: what follows the cursor may come due while the dialog is taken apart.
        self._table = RowTable(step_rows((), 0.0))
        self._lines = LinesView(diff_style, id="text")
        self._title_of_lines = PaneRule()
        self._steps: Sequence[Step] = ()
        self._whole = False
        """Whether all of the commit is shown, and not only what it did to the entry."""

    def body(self) -> ComposeResult:
        yield self.rule
        yield self._table
        yield self._title_of_lines
        yield self._lines

    def rules(self) -> Mapping[Widget, PaneRule]:
        return {self._table: self.rule, self._lines: self._title_of_lines}

    def on_mount(self) -> None:
        self.rule.say_test(one_line(self._test))
        self._table.focus()
        self._show_lines("", ["reading the history of the entries …"])
        self.context.background.run("entry history", self._read, self.take, supersede=True)

    def _read(self) -> Sequence[Timeline] | str:
        try:
            return self.context.session.workspace.history.of(self._test)
        except TTMatrixError as error:
            return one_line(error.title)

    def take(self, found: Sequence[Timeline] | str) -> None:
        """Show what was read, or why it cannot be."""
        if not self.is_attached:
            return
        if isinstance(found, str):
            self._show_lines("", [found])
            return
        self._steps = [step for one in found for step in one.steps]
        self._table.show(step_rows(self._steps, time.time()))
        # With its heads; the style sheet has the most that it gets.
        self._table.styles.height = len(self._steps) + 1
        self._show()

    @property
    def _step(self) -> Step | None:
        """The step under the cursor."""
        return self._steps[self._table.cursor] if self._table.cursor < len(self._steps) else None

    def on_row_table_highlighted(self) -> None:
        self._whole = False
        if self._steps and self.is_attached:
            self._show()

    def _show(self) -> None:
        step = self._step
        if step is None:
            self._show_lines("", ["No commit and no file here has an entry with this id."])
        else:
            self._show_lines("what it did to the entry", (*_when(step), *history.step_lines(step)))

    def _show_lines(self, title: str, lines: Sequence[str]) -> None:
        self._title_of_lines.say(title)
        self._lines.show(TextLines([one_line(line) for line in lines]))
        self.show_places()

    def action_whole(self) -> None:
        """The whole commit, or again what it did to the entry."""
        step = self._step
        if step is None or step.commit is None or self._whole:
            self._whole = False
            self._show()
            return
        self._whole = True
        work = partial(history.show_commit, self.context.session.checkout, step.commit.id)
        self.context.background.run("whole commit", work, partial(self._show_whole, step), supersede=True)

    def _show_whole(self, step: Step, lines: Sequence[str]) -> None:
        if self.is_attached and self._whole and step == self._step:
            self._show_lines("the whole commit", lines)

    def action_other_pane(self) -> None:
        (self._lines if self._table.has_focus else self._table).focus()

    def action_copy_id(self) -> None:
        if self._step and self._step.commit:
            self.context.notify.copy(self._step.commit.id)

    def action_copy_pr(self) -> None:
        """Copy the text of a pull request of the whole commit."""
        commit = self._step.commit if self._step else None
        if commit is None:
            self.context.notify.info("Nothing to copy: this is not committed yet.")
            return
        work = partial(self.context.session.pull_request, commit.id)
        self.context.background.run("text of a pull request", work, self.context.notify.copy, supersede=True)

    def action_open_page(self) -> None:
        """Open the page of the commit, or copy its address."""
        commit = self._step.commit if self._step else None
        work = partial(_page_of, self.context.session.checkout, commit)
        self.context.background.run("page of a commit", work, self.context.notify.open_page, supersede=True)


def _page_of(checkout: Checkout, commit: Commit | None) -> Page:
    if commit is None:
        return Page(why="There is no page of this: it is not committed yet.")
    why = "The remote of this clone has no page on the web: y copies the id of the commit."
    return Page(history.commit_link(checkout, commit.id), why)


def _when(step: Step) -> Sequence[str]:
    commit = step.commit
    return [f"{moment_text(commit.time)}, {commit.author}"] if commit else []
