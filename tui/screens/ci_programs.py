# SPDX-License-Identifier: Apache-2.0
"""The programs that CI has left: from a job to the screen of programs, by way of GitHub where they are not here yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.base.text import counted, one_line
from core.evidence import github, store_file
from core.evidence.github import OfJob
from tui.screens.dialogs import Confirm

if TYPE_CHECKING:
    from tui.screens.base import SessionScreen

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
    body = f"{counted(len(dumps), 'artefact')} of {one_line(one.words)}, {size / 1e6:,.1f} MB."

    def fetch() -> None:
        transport = github.connect(lambda text: None)
        for dump in dumps:
            dump.fetch(transport)

    def answered(yes: bool | None) -> None:
        if yes:
            screen.context.notify.info("Fetching the IR …")
            show = partial(_show, screen, one, dumps)
            screen.context.background.run("fetch IR of CI", fetch, lambda _: show())

    screen.app.push_screen(Confirm("Fetch the IR of this job?", body, verb="fetch"), answered)
