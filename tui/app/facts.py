# SPDX-License-Identifier: Apache-2.0
"""Values that providers compute in the background, each requested once per matrix, and verdicts on all results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from core.providers import PROVIDERS, RUNS
from core.workspace import Workspace, once
from tui.protocol import Background, Notify, Signals
from tui.session import Session

if TYPE_CHECKING:
    from core.base.errors import TTMatrixError
    from core.evidence.verdicts import Verdicts
    from core.matrix.query import Learned
    from core.sources import Lacking


T = TypeVar("T")
_AGAIN_SECONDS = 5.0
"""Seconds after a failure in which facts are not read again."""


class FactRequests:
    """Remembers the requests; answers go to the session, and `facts_changed` reports them."""

    def __init__(self, session: Session, signals: Signals, notify: Notify, background: Background) -> None:
        self._session = session
        self._signals = signals
        self._notify = notify
        self._background = background
        self._requested: set[str] = set()
        self._numbers = count(1)
        self._answered: dict[str, int] = {}
        """By name the number of the last request that was answered: answers to earlier ones come too late."""
        self._failed: dict[str, tuple[TTMatrixError, float]] = {}
        """Why facts could not be read, and when."""
        self._verdicts_wanted = False

    def request(self, names: Iterable[str]) -> None:
        """Have providers compute the named facts, unless they were asked before."""
        session, workspace = self._session, self._session.workspace

        def take(name: str, number: int, learned: Learned) -> None:
            if session.workspace is workspace and number > self._answered.get(name, 0):
                self._answered[name] = number
                self._failed.pop(name, None)
                session.view.learn(learned)
                self._signals.facts_changed.publish(None)

        for name in [name for name in names if self._to_be_read(name)]:
            self._requested.add(name)
            number = next(self._numbers)
            if name in self._failed:
                self._failed[name] = self._failed[name][0], time.monotonic()
            work = partial(session.compute_columns, workspace, (name,))
            answer, fail = partial(take, name, number), partial(self._fail, workspace, name)
            self._background.run(f"facts {name}", work, answer, fail=fail)

    def _to_be_read(self, name: str) -> bool:
        if name not in self._failed:
            return name not in self._requested
        return time.monotonic() - self._failed[name][1] > _AGAIN_SECONDS

    def _fail(self, workspace: Workspace, name: str, error: TTMatrixError) -> None:
        """Say it where the facts are waited for, and once in a message: a dialog would take the keys of who types."""
        if self._session.workspace is not workspace:
            return
        before = self._failed.get(name)
        self._failed[name] = error, time.monotonic()
        if before is None or str(before[0]) != str(error):
            self._notify.warn(error)
        self._signals.facts_changed.publish(None)

    def failure(self, name: str) -> str:
        """Why a provider's facts could not be read; empty: they can be, as far as is known."""
        return f"{PROVIDERS[name]} cannot be read: {self._failed[name][0].title}" if name in self._failed else ""

    def matrix_replaced(self, learned: Learned) -> None:
        """Start over with another matrix, of which only `learned` is known."""
        self._requested = set(learned)
        self._failed.clear()
        self.read_verdicts()

    def results_changed(self) -> None:
        """Compute again the values that runs and reports decide."""
        if RUNS in self._requested:
            self._requested.remove(RUNS)
            self._failed.pop(RUNS, None)
            self.request([RUNS])

    def request_details(self, values: Iterable[once[Any]]) -> None:
        """Read these values of the workspace, unless they are known."""
        for value in values:
            if self._unknown(value):
                self._background.run(f"workspace {value.name}", self._read(value), self._publish, supersede=True)

    def lacking(self) -> Lacking | None:
        """The files that git tracks and the work tree lacks; None until they were looked for, which this requests."""
        if self._unknown(Workspace.lacking):
            self._background.run("absent files", self._read(Workspace.lacking), self._publish, supersede=True)
        return self._session.workspace.known(Workspace.lacking)

    def _unknown(self, value: once[Any]) -> bool:
        return self._session.workspace.known(value) is None

    def _read(self, value: once[T]) -> Callable[[], T]:
        return partial(self._session.workspace.read, value)

    def _publish(self, _: object) -> None:
        self._signals.facts_changed.publish(None)

    def request_fetched(self, id: str) -> None:
        """Read what the loader of a test downloads, unless that is known. Of several requests the last one counts."""
        if self._session.workspace.known_fetched(id) is None:
            publish = self._signals.downloads_read.publish
            work = partial(self._session.workspace.fetched, id)
            self._background.run("downloads of a loader", work, lambda _: publish(None), supersede=True)

    def request_verdicts(self) -> None:
        """Read all results now, and again whenever there are new ones."""
        if not self._verdicts_wanted:
            self._verdicts_wanted = True
            self.read_verdicts()

    def read_verdicts(self) -> None:
        """Read all results again, if verdicts have been requested."""
        session = self._session

        def take(verdicts: Verdicts) -> None:
            session.verdicts = verdicts
            self._signals.facts_changed.publish(None)

        if self._verdicts_wanted:
            self._background.run("results", lambda: session.look().all_verdicts, take, supersede=True)
