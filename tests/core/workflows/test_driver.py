# SPDX-License-Identifier: Apache-2.0
"""core.workflows.driver: effects are performed across stops and resumes; nothing remains unless it should."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.processes import own_identity
from core.base.settings import paths
from core.runs import TreeReader
from core.runs.planning import plan_test
from core.runs.store import EVENTS, Started, append_event
from core.sources import Checkout
from core.workflows import (
    Ask,
    Blocked,
    Progress,
    UserInput,
    WorkflowContext,
    WorkflowSession,
    device_steps,
    drive,
    open_session,
    sessions_directory,
    workflow_lock,
)
from core.workflows.driver import perform, suspend
from core.workflows.requests import Effect
from tests.support.triage_checkout import LARGE, LOADER, LOADER_FILE, SMALL, device_xml

pytestmark = pytest.mark.slow("workflows are killed and resumed at every step")


@pytest.fixture
def root(checkout: Checkout) -> Path:
    return sessions_directory(paths().state, checkout.root)


def opened(world: WorkflowContext, root: Path, *, again: bool = False) -> WorkflowSession:
    return open_session(world, root, SMALL, "auto", again=again)


def loader_of(world: WorkflowContext) -> str:
    return (world.root / LOADER_FILE).read_text()


def calls(world: WorkflowContext) -> int:
    return len((world.root.parent / "calls").read_text().splitlines())


def driven(world: WorkflowContext, root: Path, given: UserInput | None = None, *, again: bool = False) -> Progress:
    return drive(world, opened(world, root, again=again), given or UserInput())


def test_without_a_device_it_stops_with_the_command_for_all_and_the_edit_in_place(
    world: WorkflowContext, root: Path
) -> None:
    progress = driven(world, root)
    assert progress.blocked is not None
    assert "--force-run --runxfail" in progress.blocked.command
    assert f"[{SMALL}]" in progress.blocked.command
    assert f"[{LARGE}]" in progress.blocked.command
    assert "torch.zeros(batch_size, 6, dtype=dtype_override)" in loader_of(world)
    suspend(world, progress.session)
    assert loader_of(world) == LOADER


def test_it_goes_on_from_a_device_result_without_running_anything_again(
    world: WorkflowContext, root: Path, tmp_path: Path
) -> None:
    suspend(world, driven(world, root).session)
    before = calls(world)
    given = UserInput(device_result=device_xml(tmp_path / "junit.xml", Large="error: 'ttir.sum' op no"))
    progress = driven(world, root, given, again=True)
    report = progress.session.state.report
    assert (progress.blocked, calls(world)) == (None, before)
    assert report is not None
    assert {op.value for op in report.operations if op.path == ("status",) and op.id == SMALL} == {"EXPECTED_PASSING"}
    assert "FAILED_TTMLIR_COMPILATION" in {op.value for op in report.operations if op.id == LARGE}


def test_beginning_anew_takes_out_what_was_left(world: WorkflowContext, root: Path) -> None:
    driven(world, root)
    assert loader_of(world) != LOADER
    assert opened(world, root).state.case.sources[LOADER_FILE] == LOADER


class Killed(Exception):
    pass


def _killed_at(at: int, when: str) -> Callable[[WorkflowSession], None]:
    seen = 0

    def watch(_: WorkflowSession) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            raise Killed(when)

    return watch


@pytest.mark.parametrize("at", range(1, 6))
def test_stopped_before_any_effect_and_resumed_it_ends_the_same(
    world: WorkflowContext, root: Path, tmp_path: Path, at: int
) -> None:
    xml = device_xml(tmp_path / "junit.xml")
    with pytest.raises(Killed):
        drive(world, opened(world, root), UserInput(device_result=xml), _killed_at(at, "before"))
    progress = driven(world, root, UserInput(device_result=xml), again=True)
    report = progress.session.state.report
    assert report is not None
    assert (progress.blocked, report.decision) == (None, "fixed")
    assert {op.id for op in report.operations} == {SMALL, LARGE}
    # Nothing ran twice: one run each of two variants before and after the edit.
    assert calls(world) == 4
    suspend(world, progress.session)
    assert loader_of(world) == LOADER


@pytest.mark.parametrize("nth", range(1, 6))
def test_killed_after_an_effect_and_before_its_answer_is_stored(
    world: WorkflowContext, root: Path, tmp_path: Path, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    xml = device_xml(tmp_path / "junit.xml")
    answer, count = WorkflowSession.answer, 0

    def killed(self: WorkflowSession, value: object) -> None:
        nonlocal count
        count += 1
        if count == nth:
            raise Killed
        answer(self, value)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(WorkflowSession, "answer", killed)
        driven(world, root, UserInput(device_result=xml))
    progress = driven(world, root, UserInput(device_result=xml), again=True)
    report = progress.session.state.report
    assert report is not None
    assert (report.decision, calls(world)) == ("fixed", 4)
    suspend(world, progress.session)
    assert loader_of(world) == LOADER


def test_a_loader_that_somebody_changed_meanwhile_is_left_to_them(world: WorkflowContext, root: Path) -> None:
    session = driven(world, root).session
    path = world.root / LOADER_FILE
    path.write_text(path.read_text() + "# mine\n")
    with pytest.raises(TTMatrixError):
        suspend(world, session)
    assert path.read_text().endswith("# mine\n")


def test_a_choice_that_there_is_none_of_is_refused(world: WorkflowContext, root: Path) -> None:
    question: Effect = Ask("which?", ("a", "b"))
    session = opened(world, root)
    assert perform(world, session, question, UserInput([2])) == 2
    assert isinstance(perform(world, session, question, UserInput()), Blocked)
    with pytest.raises(UsageError, match="no choice 3"):
        perform(world, session, question, UserInput([3]))


def test_one_triage_a_checkout(root: Path) -> None:
    with workflow_lock(root), pytest.raises(TTMatrixError, match="Another ttmatrix"), workflow_lock(root):
        pass


def _pasted(steps: str, world: WorkflowContext, seen: Path) -> Path:
    """The report of the printed steps, run by a shell; instead of pytest, a script copies the loader it finds."""
    fake = world.root.parent / "bin"
    fake.mkdir(exist_ok=True)
    script = fake / "pytest"
    script.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, re, sys\n"
        f"pathlib.Path({str(seen)!r}).write_text(pathlib.Path({LOADER_FILE!r}).read_text())\n"
        "line = '\\n'.join(sys.argv)\n"
        "name = re.search('^junit_suite_name=(.*)', line, re.M)[1]\n"
        "cases = ''.join(f'<testcase name=\"{one}\"/>' for one in re.findall(r'::(\\S+)', line))\n"
        "report = pathlib.Path(re.search('^--junitxml=(.*)', line, re.M)[1])\n"
        "report.write_text(f'<testsuites><testsuite name=\"{name}\">{cases}</testsuite></testsuites>')\n"
    )
    script.chmod(0o755)
    words = steps.replace(f"{world.root.parent / 'python'} -m pytest", str(script))
    assert str(script) in words
    done = subprocess.run(["/bin/sh"], input=words, text=True, capture_output=True, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")
    return seen


def test_the_printed_steps_run_on_the_edited_loader_and_leave_the_other_one(
    world: WorkflowContext, root: Path, tmp_path: Path
) -> None:
    progress = driven(world, root)
    suspend(world, progress.session)
    assert progress.blocked is not None
    _pasted(device_steps(progress), world, tmp_path / "seen")
    assert "dtype=dtype_override" in (tmp_path / "seen").read_text()
    assert loader_of(world) == LOADER
    ended = driven(world, root, UserInput(device_result=progress.blocked.report), again=True)
    report = ended.session.state.report
    assert report is not None
    assert (ended.blocked, report.decision) == (None, "fixed")


def test_with_the_edit_in_place_the_steps_leave_it_there(world: WorkflowContext, root: Path, tmp_path: Path) -> None:
    progress = driven(world, root)
    assert "git" not in device_steps(progress)
    _pasted(device_steps(progress), world, tmp_path / "seen")
    assert "dtype=dtype_override" in (tmp_path / "seen").read_text()
    assert "dtype=dtype_override" in loader_of(world)


@pytest.mark.parametrize("answered", [False, True])
def test_a_result_of_the_loader_without_the_edit_is_refused(
    world: WorkflowContext, root: Path, tmp_path: Path, answered: bool
) -> None:
    progress = driven(world, root)
    suspend(world, progress.session)
    assert progress.blocked is not None and progress.blocked.report is not None
    if answered:
        driven(world, root, UserInput(device_result=device_xml(tmp_path / "junit.xml")), again=True)
        suspend(world, opened(world, root, again=True))
    _pasted(progress.blocked.command, world, tmp_path / "seen")
    assert (tmp_path / "seen").read_text() == LOADER
    given = UserInput(device_result=progress.blocked.report)
    with pytest.raises(UsageError, match="is the result of other code"):
        driven(world, root, given, again=True)
    suspend(world, opened(world, root, again=True))
    assert loader_of(world) == LOADER


def test_a_run_here_of_the_loader_without_the_edit_is_refused(
    world: WorkflowContext, root: Path, tmp_path: Path
) -> None:
    suspend(world, driven(world, root).session)
    spec = plan_test(world.matrix, SMALL, world.settings, runs=world.store.root, kind="device")
    directory = world.store.create(spec)
    state = TreeReader(world.matrix.checkout).state(SMALL)
    append_event(directory / EVENTS, Started(1.0, own_identity(), spec.command, state))
    given = UserInput(device_result=device_xml(directory / "junit.xml"))
    with pytest.raises(UsageError, match=f"Run {spec.run_id} is the result of other code"):
        driven(world, root, given, again=True)
