# SPDX-License-Identifier: Apache-2.0
"""core.workflows.perform: effects on a real checkout, each of which may be performed twice."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.settings import paths
from core.runs.execution import launch_all
from core.workflows import WorkflowContext, WorkflowSession, open_session, perform, sessions_directory
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.perform import edit_loader, find_users, is_variant, revert_loader, run_cpu, start_cpu
from tests.support.triage_checkout import LARGE, LOADER, LOADER_FILE, SMALL

EDIT = SourceEdit(EditKind.CONSTRUCTOR, 17, "told", LOADER, LOADER.replace("6)", "6, dtype=dtype_override)"))


@pytest.fixture
def session(world: WorkflowContext) -> WorkflowSession:
    return open_session(world, sessions_directory(paths().state, world.root), SMALL, "auto", again=False)


def calls(world: WorkflowContext) -> int:
    return len((world.root.parent / "calls").read_text().splitlines())


def test_repros_come_in_the_order_asked_for_and_are_not_run_twice(
    world: WorkflowContext, session: WorkflowSession
) -> None:
    first = run_cpu(world, session, [LARGE, SMALL])
    assert [one["id"] for one in first] == [LARGE, SMALL]
    assert [one["outcome"] for one in first] == ["fail", "fail"]
    assert run_cpu(world, session, [LARGE, SMALL]) == first
    assert calls(world) == 2


def test_a_run_that_was_planned_and_never_began_is_planned_again(
    world: WorkflowContext, session: WorkflowSession
) -> None:
    session.begin_runs(["20261121-000000-abcdef"])
    assert [one["outcome"] for one in run_cpu(world, session, [SMALL])] == ["fail"]


def test_a_run_that_began_is_waited_for(world: WorkflowContext, session: WorkflowSession) -> None:
    specs = start_cpu(world, [SMALL])
    session.begin_runs([spec.run_id for spec in specs])
    launch_all(world.store, specs)
    assert run_cpu(world, session, [SMALL])[0]["run"] == specs[0].run_id
    assert calls(world) == 1


def test_it_says_what_it_waits_for(
    world: WorkflowContext, session: WorkflowSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, heard = world.root.parent / "python", world.root.parent / "heard"
    waits = f"""\
    print('loading weights', flush=True)
    while not pathlib.Path({str(heard)!r}).exists():
        time.sleep(0.02)
    payload()
"""
    script.write_text(script.read_text().replace("    payload()\n", waits))
    monkeypatch.setattr(perform, "_LOOK_SECONDS", 0.05)
    told: list[str] = []

    def hear(line: str) -> None:
        told.append(line)
        if "loading weights" in line:
            heard.touch()

    world.said = hear
    run_cpu(world, session, [SMALL])
    assert told[0] == "running 1 CPU repro"
    assert any(line == f"started, at most 1800 s (cpu_timeout): {SMALL}" for line in told)
    assert any(
        line.startswith("running for") and line.endswith(f" s, at most 1800 s (cpu_timeout): {SMALL}: loading weights")
        for line in told
    )
    assert told[-1].startswith("fail after")
    assert told[-1].endswith(f"1 of 1: {SMALL}")


def test_a_run_that_its_time_limit_stops_names_the_setting(world: WorkflowContext, session: WorkflowSession) -> None:
    script = world.root.parent / "python"
    script.write_text(script.read_text().replace("    payload()\n", "    time.sleep(60)\n"))
    world.settings = replace(world.settings, cpu_timeout=0.5)
    told: list[str] = []
    world.said = told.append
    assert run_cpu(world, session, [SMALL])[0]["outcome"] == "timeout"
    assert any(line.startswith("timeout after") and "(at most 0.5 s (cpu_timeout))" in line for line in told)


def test_edits_and_reverts_done_twice_are_done_once(world: WorkflowContext, session: WorkflowSession) -> None:
    path = world.root / LOADER_FILE
    for _ in range(2):
        edit_loader(world, session, LOADER_FILE, EDIT)
        assert path.read_text() == EDIT.after
    for _ in range(2):
        revert_loader(world, session, LOADER_FILE, EDIT)
        assert path.read_text() == LOADER


def test_a_loader_that_is_not_what_the_edit_is_for_is_left(world: WorkflowContext, session: WorkflowSession) -> None:
    path = world.root / LOADER_FILE
    path.write_text("# another\n")
    with pytest.raises(TTMatrixError):
        edit_loader(world, session, LOADER_FILE, EDIT)
    assert path.read_text() == "# another\n"


def test_users_of_a_class_bring_their_entries(world: WorkflowContext) -> None:
    path = world.root / LOADER_FILE
    path.write_text(path.read_text().replace("import torch", "import torch\nfrom transformers import MapOutput"))
    (found,) = find_users(world, "MapOutput")
    assert found["directory"] == "net/pytorch"
    assert [one["id"] for one in found["members"]] == [LARGE, SMALL]


def test_an_interpreter_without_torch_runs_nothing(world: WorkflowContext, tmp_path: Path) -> None:
    (world.root.parent / "python").write_text('#!/bin/sh\necho \'TTMATRIX-PROBE {"python": "3"}\'\n')
    with pytest.raises(TTMatrixError, match="cannot start here"):
        start_cpu(world, [SMALL])


def test_a_guest_is_the_same_test_of_another_variant() -> None:
    host = "a/pytorch-R34-single_device-training"
    assert is_variant("a/pytorch-R18-single_device-training", "R18", host)
    for other in ("a/pytorch-R18-single_device-inference", "a/pytorch-R18-data_parallel-training", "b/pytorch-R18-x"):
        assert not is_variant(other, "R18", host)
    assert not is_variant(host, "R18", host)
