# SPDX-License-Identifier: Apache-2.0
"""core.workflows.batch: advance repros are run once, and entries that belong together are decided once."""

from pathlib import Path

from core.base.settings import paths
from core.workflows import (
    Progress,
    UserInput,
    WorkflowContext,
    drive_all,
    forget_edited,
    run_cpu_first,
    sessions_directory,
)
from core.workflows.driver import suspend
from tests.support.triage_checkout import LARGE, SMALL, device_xml


def calls(world: WorkflowContext) -> int:
    return len((world.root.parent / "calls").read_text().splitlines())


def test_repros_that_were_made_first_are_not_made_again(world: WorkflowContext, tmp_path: Path) -> None:
    root = sessions_directory(paths().state, world.root)
    run_cpu_first(world, root, [SMALL, LARGE])
    assert (calls(world), set(world.known)) == (2, {SMALL, LARGE})
    seen: list[Progress] = []
    given = UserInput(device_result=device_xml(tmp_path / "junit.xml"))
    done = list(drive_all(world, root, [SMALL, LARGE], "auto", given, seen.append, again=False))
    # The second is decided with the first: only the two reruns after the edit are new.
    assert (len(done), done, calls(world)) == (1, seen, 4)
    forget_edited(world, root, done[0])
    assert world.known == {}
    suspend(world, done[0].session)


def test_what_was_started_before_is_waited_for_and_not_started_again(world: WorkflowContext) -> None:
    root = sessions_directory(paths().state, world.root)
    run_cpu_first(world, root, [SMALL, LARGE])
    runs = {id: record.spec.run_id for id, record in world.known.items()}
    world.known.clear()
    run_cpu_first(world, root, [LARGE], again=True)
    assert {id: record.spec.run_id for id, record in world.known.items()} == runs
    assert calls(world) == 2
    # A new start runs the repros again.
    world.known.clear()
    run_cpu_first(world, root, [SMALL])
    run_cpu_first(world, root, [LARGE], again=True)
    assert world.known == {}


def test_a_round_that_cannot_be_read_is_none(world: WorkflowContext) -> None:
    root = sessions_directory(paths().state, world.root)
    root.mkdir(parents=True)
    (root / "round.json").write_text("[1")
    run_cpu_first(world, root, [SMALL], again=True)
    assert world.known == {}


def test_one_alone_needs_no_look_before(world: WorkflowContext) -> None:
    run_cpu_first(world, sessions_directory(paths().state, world.root), [SMALL])
    assert world.known == {}
