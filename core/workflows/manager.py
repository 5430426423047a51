# SPDX-License-Identifier: Apache-2.0
"""The workflows of one checkout that somebody looks at: threads move them on, and what is shown is a snapshot."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core.edits import Operation
from core.errors import TTMatrixError
from core.workflows.batch import look_first
from core.workflows.driver import Blocked, Given, Progress, drive, open_session, park, restore_edits, sole_triage
from core.workflows.effects import Abort, Propose
from core.workflows.perform import World
from core.workflows.procedures import AUTO
from core.workflows.session import Session, left_open


class Standing(StrEnum):
    """Where a workflow stands, in a word."""

    WAITS = "waits"
    """For its turn."""
    RUNS = "runs"
    STOPPED = "stopped"
    """It can go on."""
    ASKS = "asks"
    DEVICE = "needs a device"
    READY = "ready"
    """To be accepted."""
    ABORTED = "aborted"
    FAILED = "failed"
    """An effect could not be performed."""


@dataclass(frozen=True, slots=True)
class Item:
    """One workflow, as it stood when somebody looked."""

    id: str
    standing: Standing
    session: Session | None = None
    blocked: Blocked | None = None
    error: TTMatrixError | None = None

    @property
    def progress(self) -> Progress | None:
        return Progress(self.session, self.blocked) if self.session else None


class Board:
    """All that is on the board. Its methods that act block, and are called in threads, one at a time."""

    def __init__(self, root: Path) -> None:
        """`root` is where the sessions of the checkout are."""
        self._root = root
        self._items: dict[str, Item] = {}
        self._lock = threading.Lock()
        self._acting = threading.Lock()

    @property
    def items(self) -> list[Item]:
        """In the order in which they came."""
        with self._lock:
            return list(self._items.values())

    def look(self) -> None:
        """Put up what was left open by others and before."""
        for session in left_open(self._root):
            id = session.state.case.id
            if id not in self._items:
                self._put(Item(id, _standing(session, None), session))

    def begin(self, world: World, ids: Sequence[str]) -> None:
        """A new workflow on each of `ids`, one after the other; their CPU repros side by side before."""
        for id in ids:
            self._put(Item(id, Standing.WAITS))
        with self._acting, sole_triage(self._root):
            look_first(world, self._root, ids)
            for id in ids:
                self._act(id, lambda id=id: self._drive(world, id, Given(), again=False))  # type: ignore[misc]

    def go_on(self, world: World, id: str, given: Given) -> None:
        """Take a workflow on from where it stopped, with what somebody has brought along."""
        with self._acting, sole_triage(self._root):
            self._act(id, lambda: self._drive(world, id, given, again=True))

    def accept(self, world: World, id: str) -> Sequence[Operation]:
        """Keep the edits in the work tree, and say what is to be changed; at its end, nobody goes on with it.

        Of one that needs a device the edits are kept alone: what is run then must have them.
        """
        item = self._items[id]
        if item.session is None:
            return ()
        with self._acting, sole_triage(self._root):
            restore_edits(world, item.session)
            end = item.session.state.end
            if not isinstance(end, Propose):
                return ()
            item.session.close()
        self._forget(id)
        return end.operations

    def drop(self, world: World, id: str) -> None:
        """Forget a workflow, with its edits taken out of the work tree."""
        item = self._items[id]
        if item.session is not None:
            with self._acting, sole_triage(self._root):
                park(world, item.session)
                item.session.close()
        self._forget(id)

    def _drive(self, world: World, id: str, given: Given, *, again: bool) -> Item:
        session = open_session(world, self._root, id, AUTO, again=again)
        self._put(Item(id, Standing.RUNS, session))
        progress = drive(world, session, given)
        park(world, session)
        return Item(id, _standing(session, progress.blocked), session, progress.blocked)

    def _act(self, id: str, act: Callable[[], Item]) -> None:
        try:
            self._put(act())
        except TTMatrixError as error:
            self._put(replace(self._items[id], standing=Standing.FAILED, error=error))

    def _put(self, item: Item) -> None:
        with self._lock:
            self._items[item.id] = item

    def _forget(self, id: str) -> None:
        with self._lock:
            self._items.pop(id, None)


def _standing(session: Session, blocked: Blocked | None) -> Standing:
    match session.state.end:
        case Propose():
            return Standing.READY
        case Abort():
            return Standing.ABORTED
    if blocked is None:
        return Standing.STOPPED
    return Standing.ASKS if blocked.question else Standing.DEVICE
