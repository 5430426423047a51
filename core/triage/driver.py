# SPDX-License-Identifier: Apache-2.0
"""Take a session from effect to effect until it ends or waits for somebody: a choice, or a device."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import TTMatrixError, UsageError
from core.locks import locked
from core.runs.spec import shell_command
from core.triage.device_result import read_device_result
from core.triage.effects import Answer, Ask, EditLoader, Effect, FindUsers, RevertLoader, RunCpu, RunDevice
from core.triage.loader_code.edit import Edit
from core.triage.perform import (
    World,
    device_command,
    edit_loader,
    find_users,
    revert_loader,
    run_cpu,
    run_device,
)
from core.triage.resolve import case_of
from core.triage.session import Session, resume, start

_LOCK = "triage.lock"


@dataclass(slots=True)
class Given:
    """What a person has brought along."""

    choices: list[int] = field(default_factory=list)
    """Answers to questions in the order in which they come up; numbers from 1."""
    device_result: Path | None = None
    """A JUnit file of the device run, made elsewhere."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a session does not go on by itself."""

    question: Ask | None = None
    command: str = ""
    """What to run on a machine with a device."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a session stands after it was driven."""

    session: Session
    blocked: Blocked | None
    """None: it has ended."""


@contextmanager
def sole_triage(root: Path) -> Iterator[None]:
    """Keep every other triage from editing the loaders of the same checkout; `root` is where its sessions are.

    Raises TTMatrixError that names the holder, or where there can be no lock.
    """
    with locked(root / _LOCK, "triage", wait=0.5):
        yield


def open_session(world: World, root: Path, id: str, name: str, *, again: bool) -> Session:
    """The session on `id` that was left open, where it is wanted `again`; else a new one of the workflow `name`."""
    left = _left_open(root, id, again=again)
    if left is not None and again:
        return left
    if left is not None:
        park(world, left)
    return start(root, name, case_of(world.matrix, world.infos, id))


def _left_open(root: Path, id: str, *, again: bool) -> Session | None:
    try:
        found = resume(root, id)
    except TTMatrixError:
        # What nobody can go on with is in nobody's way.
        if again:
            raise
        return None
    return found if found is not None and not found.closed else None


def drive(world: World, session: Session, given: Given, watch: Callable[[Session], None] = lambda _: None) -> Progress:
    """Perform effects until the session ends or waits. `watch` hears after every step.

    Raises TTMatrixError where one cannot be performed; the session can be driven again then.
    """
    restore_edits(world, session)
    while (effect := session.waiting) is not None:
        watch(session)
        outcome = perform(world, session, effect, given)
        if isinstance(outcome, Blocked):
            return Progress(session, outcome)
        session.answer(outcome)
    watch(session)
    return Progress(session, None)


def park(world: World, session: Session) -> None:
    """Take its edits out of the work tree: they are in the session, and come back when it goes on."""
    for path, edit in reversed(edits_of(session).items()):
        revert_loader(world, session, path, edit)
    if isinstance(pending := session.waiting, EditLoader):
        # It may have been performed, and whoever did it killed before the answer was written down.
        revert_loader(world, session, pending.path, pending.edit)


def edits_of(session: Session) -> dict[str, Edit]:
    """The edits that are a part of the session's state, by path relative to the checkout."""
    report = session.state.report
    return dict(report.edits) if report else {}


def restore_edits(world: World, session: Session) -> None:
    """Put the edits that are a part of the session's state into the work tree."""
    for path, edit in edits_of(session).items():
        edit_loader(world, session, path, edit)


def perform(world: World, session: Session, effect: Effect, given: Given) -> Answer | Blocked:
    """Do what one effect asks for; Blocked where somebody has to bring something first."""
    world.said(effect.title)
    match effect:
        case RunCpu():
            return run_cpu(world, session, effect.ids)
        case EditLoader():
            edit_loader(world, session, effect.path, effect.edit)
            return None
        case RevertLoader():
            revert_loader(world, session, effect.path, effect.edit)
            return None
        case FindUsers():
            return find_users(world, effect.output_class)
        case Ask():
            return _choose(effect, given)
        case RunDevice():
            return _device(world, session, effect, given)


def _choose(effect: Ask, given: Given) -> Answer | Blocked:
    if not given.choices:
        return Blocked(question=effect, why=effect.question)
    number = given.choices.pop(0)
    if not 1 <= number <= len(effect.choices):
        raise UsageError(f"There is no choice {number}", f"{effect.question}: 1 to {len(effect.choices)}.")
    return number


def _device(world: World, session: Session, effect: RunDevice, given: Given) -> Answer | Blocked:
    if given.device_result is not None:
        return read_device_result(given.device_result, effect.ids)
    spec, missing = device_command(world, effect.ids)
    if not missing:
        return run_device(world, session, spec, effect.ids)
    return Blocked(command=shell_command(spec), why=missing) if effect.decisive else None
