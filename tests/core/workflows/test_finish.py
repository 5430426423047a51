# SPDX-License-Identifier: Apache-2.0
"""core.workflows.driver: a result is applied completely, or nothing of it remains."""

from pathlib import Path

import pytest

from core.base.settings import paths
from core.edits.pending import Workbench
from core.edits.pending.writer_lock import sole_writer
from core.workflows import (
    Progress,
    UserInput,
    WorkflowContext,
    drive,
    leave,
    open_session,
    operations_of,
    plan_of,
    sessions_directory,
    take,
)
from tests.support.tree import TRAINING
from tests.support.triage_checkout import LOADER, LOADER_FILE, SMALL, device_xml


@pytest.fixture
def done(world: WorkflowContext, tmp_path: Path) -> Progress:
    session = open_session(world, sessions_directory(paths().state, world.root), SMALL, "auto", again=False)
    return drive(world, session, UserInput(device_result=device_xml(tmp_path / "junit.xml")))


def test_leaving_leaves_nothing(world: WorkflowContext, done: Progress) -> None:
    assert (world.root / LOADER_FILE).read_text() != LOADER
    leave(world, done)
    assert (world.root / LOADER_FILE).read_text() == LOADER
    assert not done.session.closed


def test_taking_writes_both_and_closes(world: WorkflowContext, done: Progress) -> None:
    leave(world, done)
    planned = plan_of(world.matrix, operations_of(done))
    bench = Workbench(world.matrix.checkout, paths().journal)
    with sole_writer(world.root, "a test", wait=1):
        take(world, bench, [done], planned)
    assert "dtype=dtype_override" in (world.root / LOADER_FILE).read_text()
    assert "EXPECTED_PASSING" in (world.matrix.checkout.test_config / TRAINING).read_text()
    assert done.session.closed


def test_a_workflow_that_waits_proposes_nothing(world: WorkflowContext) -> None:
    session = open_session(world, sessions_directory(paths().state, world.root), SMALL, "auto", again=False)
    assert operations_of(Progress(session, None)) == ()
