# SPDX-License-Identifier: Apache-2.0
"""The workflows of one checkout for a screen: threads drive them, screens show snapshots."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.edits import Operation
from core.workflows.batch import run_cpu_first
from core.workflows.driver import (
    Blocked,
    Progress,
    UserInput,
    blocked_by,
    drive,
    open_session,
    restore_edits,
    suspend,
    workflow_lock,
)
from core.workflows.perform import WorkflowContext
from core.workflows.procedures import AUTO
from core.workflows.requests import Abort, Propose
from core.workflows.session import WorkflowSession, left_open


class WorkflowState(StrEnum):
    """The state of a workflow."""

    WAITS = "waits"
    """In the queue."""
    RUNS = "runs"
    STOPPED = "stopped"
    """It can be resumed."""
    ASKS = "asks"
    DEVICE = "needs a device"
    READY = "ready"
    """To be accepted."""
    ABORTED = "aborted"
    FAILED = "failed"
    """An effect could not be performed."""


@dataclass(frozen=True, slots=True)
class WorkflowItem:
    """A snapshot of one workflow."""

    id: str
    state: WorkflowState
    session: WorkflowSession | None = None
    blocked: Blocked | None = None
    error: TTMatrixError | None = None
    latest: str = ""
    """What it does now, in a line: a run with its limit and what that printed last."""

    @property
    def progress(self) -> Progress | None:
        return Progress(self.session, self.blocked) if self.session else None


class WorkflowManager:
    """All workflows of a checkout. Methods that drive one block; call them in threads, where they take turns."""

    def __init__(self, root: Path) -> None:
        """`root` is the directory of the checkout's sessions."""
        self._root = root
        self._items: dict[str, WorkflowItem] = {}
        self._lock = threading.Lock()
        self._acting = threading.Lock()

    @property
    def items(self) -> list[WorkflowItem]:
        """Snapshots in the order in which the workflows were added."""
        with self._lock:
            return list(self._items.values())

    def look(self, world: Callable[[], WorkflowContext]) -> None:
        """Add the open sessions on disk; `world` is asked where one may wait for a device."""
        for session in left_open(self._root):
            id = session.state.case.id
            if id not in self._items:
                blocked = blocked_by(session, world)
                self._put(WorkflowItem(id, _state(session, blocked), session, blocked))

    def begin(self, world: WorkflowContext, ids: Sequence[str]) -> None:
        """Run a new workflow on each of `ids`, one after the other, after running their CPU repros in parallel."""
        for id in ids:
            self._put(WorkflowItem(id, WorkflowState.WAITS))
        with self._acting, workflow_lock(self._root):
            world.said = lambda line: self._say(ids, line)
            run_cpu_first(world, self._root, ids)
            for id in ids:
                self._act(id, lambda id=id: self._drive(world, id, UserInput(), again=False))  # type: ignore[misc]

    def go_on(self, world: WorkflowContext, id: str, given: UserInput) -> None:
        """Resume a workflow, with what the person has given."""
        with self._acting, workflow_lock(self._root):
            self._act(id, lambda: self._drive(world, id, given, again=True))

    def accept(self, world: WorkflowContext, id: str) -> Sequence[Operation]:
        """Leave the edits in the work tree and return the operations; a session at its end is closed.

        If it waits for a device, only the edits stay: the device run needs them.
        """
        item = self._items[id]
        if item.session is None:
            return ()
        with self._acting, workflow_lock(self._root):
            restore_edits(world, item.session)
            end = item.session.state.end
            if not isinstance(end, Propose):
                return ()
            item.session.close()
        self._forget(id)
        return end.operations

    def drop(self, world: WorkflowContext, id: str) -> None:
        """Forget a workflow and take its edits out of the work tree."""
        item = self._items[id]
        if item.session is not None:
            with self._acting, workflow_lock(self._root):
                suspend(world, item.session)
                item.session.close()
        self._forget(id)

    def _drive(self, world: WorkflowContext, id: str, given: UserInput, *, again: bool) -> WorkflowItem:
        session = open_session(world, self._root, id, AUTO, again=again)
        self._put(WorkflowItem(id, WorkflowState.RUNS, session))
        world.said = lambda line: self._say([id], line)
        progress = drive(world, session, given)
        suspend(world, session)
        return WorkflowItem(id, _state(session, progress.blocked), session, progress.blocked)

    def _act(self, id: str, act: Callable[[], WorkflowItem]) -> None:
        try:
            self._put(act())
        except TTMatrixError as error:
            self._put(replace(self._items[id], state=WorkflowState.FAILED, error=error))

    def _say(self, ids: Sequence[str], line: str) -> None:
        with self._lock:
            self._items |= {id: replace(self._items[id], latest=line) for id in ids if id in self._items}

    def _put(self, item: WorkflowItem) -> None:
        with self._lock:
            self._items[item.id] = item

    def _forget(self, id: str) -> None:
        with self._lock:
            self._items.pop(id, None)


def _state(session: WorkflowSession, blocked: Blocked | None) -> WorkflowState:
    match session.state.end:
        case Propose():
            return WorkflowState.READY
        case Abort():
            return WorkflowState.ABORTED
    if blocked is None:
        return WorkflowState.STOPPED
    return WorkflowState.ASKS if blocked.question else WorkflowState.DEVICE
