# SPDX-License-Identifier: Apache-2.0
"""Drive a session from effect to effect until it ends or waits for a person's choice or for a device."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.locks import locked
from core.edits import EditPlan, Operation, plan
from core.edits.pending import Workbench
from core.matrix import Matrix
from core.runs import RunSpec
from core.workflows.device import by_hand
from core.workflows.loader_code.edits import EditedFile, SourceEdit, edited_files
from core.workflows.perform import (
    WorkflowContext,
    code_of,
    device_command,
    edit_loader,
    find_users,
    read_report,
    revert_loader,
    run_cpu,
    run_device,
)
from core.workflows.requests import Answer, Ask, EditLoader, Effect, FindUsers, Propose, RevertLoader, RunCpu, RunDevice
from core.workflows.resolve import case_of
from core.workflows.session import WorkflowSession, resume, start

_LOCK = "triage.lock"
_DEVICE_FILE = "device.xml"
"""Where the command for a device machine writes its report, beside the journal."""


@dataclass(slots=True)
class UserInput:
    """What the person has given: choices and a device result."""

    choices: list[int] = field(default_factory=list)
    """Answers to questions in the order in which they are asked; numbers from 1."""
    device_result: Path | None = None
    """A JUnit file of a device run made elsewhere."""
    used: bool = False
    """Whether an effect has asked for the file."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a session waits."""

    question: Ask | None = None
    command: str = ""
    """What to run on a machine with a device, with the edits of the session in place."""
    root: Path = Path()
    """The checkout in which it is run."""
    report: Path | None = None
    """Where that command writes its JUnit file."""
    go_on: str = ""
    """The command to run after that."""
    why: str = ""
    """What is missing here."""
    stand_in: bool = False
    """The policy of the checkout accepts a CPU in place of a device, so that the command can be run here."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session has come after it was driven."""

    session: WorkflowSession
    blocked: Blocked | None
    """None: the session has ended."""


@contextmanager
def workflow_lock(root: Path) -> Iterator[None]:
    """Lock the loaders of a checkout against other workflows; `root` holds its sessions.

    Raises TTMatrixError that names the holder, or that says why nothing can be locked.
    """
    with locked(root / _LOCK, "triage", wait=0.5):
        yield


def open_session(world: WorkflowContext, root: Path, id: str, name: str, *, again: bool) -> WorkflowSession:
    """With `again`, the session on `id` unless it was dropped; else a new session of the workflow `name`."""
    left = _left_open(root, id, again=again)
    if left is not None and again:
        return left
    if left is not None:
        suspend(world, left)
    return start(root, name, case_of(world.matrix, world.infos, id))


def _left_open(root: Path, id: str, *, again: bool) -> WorkflowSession | None:
    try:
        found = resume(root, id)
    except TTMatrixError:
        # An unreadable session blocks nobody.
        if again:
            raise
        return None
    return found if found is not None and (not found.closed or (again and found.applied)) else None


def drive(
    world: WorkflowContext,
    session: WorkflowSession,
    given: UserInput,
    watch: Callable[[WorkflowSession], None] = lambda _: None,
) -> Progress:
    """Perform effects until the session ends or waits. `watch` is called after every step.

    A given device result takes precedence, even if the device question was answered before. Raises TTMatrixError where
    an effect cannot be performed; the session can then be driven again.
    """
    if session.closed:
        _refuse_applied(session, given)
        return Progress(session, None)
    if given.device_result is not None and not isinstance(session.waiting, RunDevice):
        _answer_device_anew(world, session, given.device_result)
    restore_edits(world, session)
    while (effect := session.waiting) is not None:
        watch(session)
        outcome = perform(world, session, effect, given)
        if isinstance(outcome, Blocked):
            return Progress(session, outcome)
        session.answer(outcome)
    watch(session)
    return Progress(session, None)


def _refuse_applied(session: WorkflowSession, given: UserInput) -> None:
    if given.device_result is not None or given.choices:
        title = f"The triage of {session.state.case.id} was applied already"
        raise UsageError(title, "Nothing was changed.", "Start over without --resume, --choose and --device-result.")


def _answer_device_anew(world: WorkflowContext, session: WorkflowSession, file: Path) -> None:
    """Forget the earlier device answer and everything that followed from it."""
    devices = [effect for effect in session.state.asked if isinstance(effect, RunDevice)]
    if devices:
        # The file must be a result of the edited loader. An unusable one changes nothing: this raises first.
        was_there = in_work_tree(session)
        restore_edits(world, session)
        try:
            read_report(world, session, file, devices[-1].ids)
        except TTMatrixError:
            if not was_there:
                suspend(world, session)
            raise
        suspend(world, session)
        session.forget_device()


def suspend(world: WorkflowContext, session: WorkflowSession) -> None:
    """Take the edits of an open session out of the work tree; the session has them and puts them back when resumed.

    The edits of a closed session stay.
    """
    if session.closed:
        return
    for path, edit in reversed(edits_of(session).items()):
        revert_loader(world, session, path, edit)
    if isinstance(pending := session.waiting, EditLoader):
        # A process that was killed before it recorded the answer may have performed the edit.
        revert_loader(world, session, pending.path, pending.edit)


def edits_of(session: WorkflowSession) -> dict[str, SourceEdit]:
    """The edits that are a part of the session's state, by path relative to the checkout."""
    report = session.state.report
    return dict(report.edits) if report else {}


def restore_edits(world: WorkflowContext, session: WorkflowSession) -> None:
    """Put the edits that are a part of the session's state into the work tree."""
    for path, edit in edits_of(session).items():
        edit_loader(world, session, path, edit)


def in_work_tree(session: WorkflowSession) -> bool:
    """Whether an edit of the session is in the work tree now."""
    return bool(_in_place(session))


def is_committed(session: WorkflowSession) -> bool:
    """Whether the edits of the session that are in the work tree are in its commit, too."""
    return all(one.is_committed for one in _in_place(session))


def _in_place(session: WorkflowSession) -> list[EditedFile]:
    mine = list(edits_of(session).values())
    return [one for one in edited_files(session.edits) if one.edit in mine and one.in_place]


def perform(world: WorkflowContext, session: WorkflowSession, effect: Effect, given: UserInput) -> Answer | Blocked:
    """Do what one effect asks for; Blocked where it needs a choice or a device first."""
    if not isinstance(effect, RunDevice):
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


def blocked_by(session: WorkflowSession, world: Callable[[], WorkflowContext]) -> Blocked | None:
    """Why an open session waits for a person; None: driven, it goes on. `world` is asked only where that matters."""
    match session.waiting:
        case Ask() as effect:
            return _asking(effect)
        case RunDevice() as effect if effect.decisive:
            around = world()
            spec, missing = device_command(around, effect.ids)
            return _without_device(around, session, spec, missing) if missing else None
    return None


def _asking(effect: Ask) -> Blocked:
    return Blocked(question=effect, why=effect.question)


def _choose(effect: Ask, given: UserInput) -> Answer | Blocked:
    if not given.choices:
        return _asking(effect)
    number = given.choices.pop(0)
    if not 1 <= number <= len(effect.choices):
        raise UsageError(f"There is no choice {number}", f"{effect.question}: 1 to {len(effect.choices)}.")
    return number


def _device(world: WorkflowContext, session: WorkflowSession, effect: RunDevice, given: UserInput) -> Answer | Blocked:
    if given.device_result is not None:
        given.used = True
        world.said(f"reading {given.device_result}")
        return read_report(world, session, given.device_result, effect.ids)
    spec, missing = device_command(world, effect.ids)
    if not missing:
        world.said(effect.title)
        return run_device(world, session, spec, effect.ids)
    return _without_device(world, session, spec, missing) if effect.decisive else None


def _without_device(world: WorkflowContext, session: WorkflowSession, spec: RunSpec, missing: str) -> Blocked:
    file = session.directory / _DEVICE_FILE
    go_on = shlex.join(["ttmatrix", "triage", session.state.case.id, "--device-result", str(file)])
    command = by_hand(spec, file, code_of(session))
    return Blocked(command=command, root=world.root, report=file, go_on=go_on, why=missing, stand_in=world.stand_in)


def operations_of(progress: Progress) -> tuple[Operation, ...]:
    """What the workflow proposes; nothing before its end, and nothing where it aborted."""
    end = progress.session.state.end
    return end.operations if isinstance(end, Propose) else ()


def plan_of(matrix: Matrix, operations: Sequence[Operation]) -> EditPlan:
    """What operations come to in the expectation files as they are."""
    return plan(matrix.checkout.test_config, operations, matrix.schema)


def leave(world: WorkflowContext, progress: Progress) -> None:
    """Leave nothing in the checkout; a session that has not ended can be resumed later."""
    suspend(world, progress.session)


def take(world: WorkflowContext, bench: Workbench, done: Sequence[Progress], planned: EditPlan) -> None:
    """Keep the edits in the work tree and write the expectations. The caller must be the only writer.

    Raises TTMatrixError, with nothing written and no edit left in place, where a file has changed.
    """
    fresh = [progress for progress in done if not progress.session.closed]
    try:
        for progress in fresh:
            restore_edits(world, progress.session)
        bench.write_plan(planned)
    except TTMatrixError:
        leave_all(world, fresh)
        raise
    for progress in fresh:
        progress.session.close(applied=isinstance(progress.session.state.end, Propose))


def leave_all(world: WorkflowContext, done: Sequence[Progress]) -> None:
    """`leave` each session of `done` that has ended, newest first; a file that was changed since stays as it is."""
    for progress in reversed(done):
        if not progress.session.closed and progress.blocked is None:
            with suppress(TTMatrixError):
                leave(world, progress)
