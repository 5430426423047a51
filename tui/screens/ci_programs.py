# SPDX-License-Identifier: Apache-2.0
"""The programs that CI has left: from a job to the screen of programs, by way of GitHub where they are not here yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.base.text import counted, one_line
from core.evidence import github, store_file
from core.evidence.github import OfJob
from core.runs import planning
from tui.screens.dialogs import Confirm

if TYPE_CHECKING:
    from textual.timer import Timer

    from core.base.errors import TTMatrixError
    from tui.screens.base import SessionScreen

_SAID_SECONDS = 4.0
"""Seconds between two messages about what has come, and for which each stays."""
_NONE = "This job has left no IR: CI keeps it on Sundays and of weekly runs, for 90 days."


def show_programs_of(screen: SessionScreen, find: Callable[[], OfJob | None]) -> None:
    """Show the programs of a job, which `find` names in a thread; what is not here is asked about and fetched."""
    session, background = screen.session, screen.context.background
    store = store_file(session.paths.evidence, session.checkout.root)

    def work() -> tuple[OfJob, Sequence[github.Dump]] | None:
        one = find()
        if one is None or not one.run.repository:
            return None
        here = github.dumps_here(store, one.run, one.job)
        if here:
            return one, here
        actions = github.Actions(github.connect(lambda text: None), one.run.repository)
        return one, github.dumps_of(actions, store, one.run, one.job)

    def take(found: tuple[OfJob, Sequence[github.Dump]] | None) -> None:
        if found is None:
            screen.context.notify.info("No job of CI is known here.")
        elif not found[1]:
            screen.context.notify.info(_NONE)
        elif all(dump.is_here for dump in found[1]):
            _show(screen, *found)
        else:
            _ask(screen, *found)

    background.run("IR of CI", work, take, supersede=True, asks=True)


def _show(screen: SessionScreen, one: OfJob, dumps: Sequence[github.Dump]) -> None:
    screen.context.navigation.show_dumps([dump.directory for dump in dumps], one)


def _ask(screen: SessionScreen, one: OfJob, dumps: Sequence[github.Dump]) -> None:
    size = sum(dump.artefact.bytes for dump in dumps)
    body = f"{counted(len(dumps), 'artefact')} of {one_line(one.words)}, {planning.size_text(size)}."

    def answered(yes: bool | None) -> None:
        if yes:
            _Fetch(screen, one, dumps).begin()

    screen.app.push_screen(Confirm("Fetch the IR of this job?", body, verb="fetch"), answered)


class _Fetch:
    """Programs that are coming; as long as they are, the screen says how much has come."""

    def __init__(self, screen: SessionScreen, one: OfJob, dumps: Sequence[github.Dump]) -> None:
        self._screen, self._one, self._dumps = screen, one, dumps
        self._come = {dump.artefact.id: 0 for dump in dumps}
        """The bytes of each artefact that have come. The thread that fetches adds none: here they are counted."""
        self._saying: Timer | None = None

    def begin(self) -> None:
        """Fetch in a thread."""
        self._say()
        self._saying = self._screen.app.set_interval(_SAID_SECONDS, self._say)
        self._screen.context.background.run("fetch IR of CI", self._fetch, self._show, fail=self._fail)

    def _fetch(self) -> None:
        transport = github.connect(lambda text: None)
        for dump in self._dumps:
            dump.fetch(transport, partial(self._take_in, dump.artefact.id))

    def _take_in(self, id: int, done: int, _: int) -> None:
        self._come[id] = done

    def _say(self) -> None:
        come, all_ = sum(self._come.values()), sum(dump.artefact.bytes for dump in self._dumps)
        amount = f"{planning.size_text(come)} of {planning.size_text(all_)}" if come else "GitHub has not answered yet"
        words = "it is unpacked" if come >= all_ > 0 else amount
        self._screen.context.notify.info(f"Fetching the IR … {words}", timeout=_SAID_SECONDS)

    def _show(self, _: None) -> None:
        self._end()
        _show(self._screen, self._one, self._dumps)

    def _fail(self, error: TTMatrixError) -> None:
        self._end()
        self._screen.context.notify.error(error)

    def _end(self) -> None:
        if self._saying is not None:
            self._saying.stop()
