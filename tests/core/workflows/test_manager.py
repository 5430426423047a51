# SPDX-License-Identifier: Apache-2.0
"""core.workflows.manager: it lists workflows begun here and those left open before; failed ones stay, with the reason."""

import threading
import time
from pathlib import Path
from unittest import mock

import pytest

from core.base.settings import paths
from core.workflows import (
    Ask,
    UserInput,
    WorkflowContext,
    WorkflowManager,
    WorkflowSession,
    WorkflowState,
    driver,
    perform,
    sessions_directory,
)
from tests.support.triage_checkout import LARGE, LOADER, LOADER_FILE, SMALL, device_xml


@pytest.fixture
def board(world: WorkflowContext) -> WorkflowManager:
    return WorkflowManager(sessions_directory(paths().state, world.root))


def states(board: WorkflowManager) -> list[WorkflowState]:
    return [item.state for item in board.items]


def test_from_begin_to_accept(world: WorkflowContext, board: WorkflowManager, tmp_path: Path) -> None:
    board.begin(world, [SMALL])
    assert states(board) == [WorkflowState.DEVICE]
    assert (world.root / LOADER_FILE).read_text() == LOADER
    assert board.accept(world, SMALL) == ()
    assert (world.root / LOADER_FILE).read_text() != LOADER
    board.go_on(world, SMALL, UserInput(device_result=device_xml(tmp_path / "junit.xml")))
    assert states(board) == [WorkflowState.READY]
    assert {op.id for op in board.accept(world, SMALL)} == {SMALL, LARGE}
    assert board.items == []
    assert (world.root / LOADER_FILE).read_text() != LOADER


def test_after_a_restart_it_waits_as_before_and_goes_on(
    world: WorkflowContext, board: WorkflowManager, tmp_path: Path
) -> None:
    board.begin(world, [SMALL])
    (before,) = board.items
    other = WorkflowManager(sessions_directory(paths().state, world.root))
    other.look(lambda: world)
    (after,) = other.items
    assert before.blocked is not None and after.blocked is not None
    assert (after.state, after.blocked.go_on) == (WorkflowState.DEVICE, before.blocked.go_on)
    assert (after.blocked.why, after.blocked.report) == (before.blocked.why, before.blocked.report)
    other.go_on(world, SMALL, UserInput(device_result=device_xml(tmp_path / "junit.xml")))
    assert states(other) == [WorkflowState.READY]


@pytest.mark.parametrize("device", [False, True])
def test_after_a_restart_only_what_needs_a_person_waits(
    world: WorkflowContext, board: WorkflowManager, monkeypatch: pytest.MonkeyPatch, device: bool
) -> None:
    board.begin(world, [SMALL])
    other = WorkflowManager(sessions_directory(paths().state, world.root))
    if device:
        # One has come meanwhile.
        monkeypatch.setattr(driver, "device_command", lambda *_: (None, ""))
    else:
        question = Ask("which?", ("a", "b"))
        monkeypatch.setattr(WorkflowSession, "waiting", property(lambda _: question))
    other.look(lambda: world)
    assert states(other) == [WorkflowState.STOPPED if device else WorkflowState.ASKS]
    (item,) = other.items
    assert device or (item.blocked is not None and item.blocked.question == Ask("which?", ("a", "b")))


def test_dropping_leaves_nothing_for_the_next_look(world: WorkflowContext, board: WorkflowManager) -> None:
    board.begin(world, [SMALL])
    other = WorkflowManager(sessions_directory(paths().state, world.root))
    other.look(lambda: world)
    assert states(other) == [WorkflowState.DEVICE]
    board.drop(world, SMALL)
    assert board.items == []
    other = WorkflowManager(sessions_directory(paths().state, world.root))
    other.look(lambda: world)
    assert other.items == []


def test_one_that_cannot_be_performed_says_so_and_the_next_goes_on(
    world: WorkflowContext, board: WorkflowManager
) -> None:
    wrong = UserInput(device_result=world.root / "absent.xml")
    board.begin(world, [SMALL])
    board.go_on(world, SMALL, wrong)
    (item,) = board.items
    assert item.state is WorkflowState.FAILED
    assert item.error is not None
    board.go_on(world, SMALL, UserInput())
    assert states(board) == [WorkflowState.DEVICE]


def test_an_item_has_what_its_workflow_does_as_it_happens(world: WorkflowContext, board: WorkflowManager) -> None:
    script, heard = world.root.parent / "python", world.root.parent / "heard"
    waits = f"""\
    print('Fetching 3 files:  33%', flush=True)
    while not pathlib.Path({str(heard)!r}).exists():
        time.sleep(0.02)
    payload()
"""
    script.write_text(script.read_text().replace("    payload()\n", waits))
    seen: list[str] = []

    def look() -> None:
        while not heard.exists():
            seen.extend(item.latest for item in board.items)
            if any("Fetching 3 files:  33%" in line for line in seen):
                heard.touch()
            time.sleep(0.02)

    looker = threading.Thread(target=look)
    looker.start()
    with mock.patch.object(perform, "_LOOK_SECONDS", 0.05):
        board.begin(world, [SMALL])
    looker.join()
    assert any("at most 1800 s (cpu_timeout)" in line for line in seen)
    assert [item.latest for item in board.items] == [""]
