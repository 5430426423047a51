# SPDX-License-Identifier: Apache-2.0
"""core.workflows.device: one command for all tests, and why it cannot be run."""

from dataclasses import replace

import pytest

from core.workflows import WorkflowContext, device
from core.workflows.device import missing_device, plan_device, with_forks
from tests.support.triage_checkout import LARGE, SMALL


def test_one_invocation_names_every_test_once(world: WorkflowContext) -> None:
    spec = plan_device(world.matrix, [SMALL, LARGE], world.settings, runs=world.store.root, arch="n150")
    nodes = [word for word in spec.argv if "::" in word]
    assert nodes == [f"tests/runner/test_models.py::test_all_models_torch[{id}]" for id in (SMALL, LARGE)]
    assert {"--force-run", "--runxfail", "--arch", "n150"} <= set(spec.argv)
    assert spec.env["ENABLE_BRINGUP_STAGE_LOGGING"] == "1"
    assert spec.test_id == SMALL


def test_a_process_for_each_test_where_pytest_can(world: WorkflowContext) -> None:
    spec = plan_device(world.matrix, [SMALL], world.settings, runs=world.store.root, arch="")
    seen = world.surroundings.survey
    able = replace(seen, versions={**(seen.versions or {}), "pytest_forked": "1.6.0"})
    assert with_forks(spec, seen).argv == spec.argv
    assert with_forks(spec, able).argv.count("--forked") == 1
    assert with_forks(with_forks(spec, able), able).argv.count("--forked") == 1
    unable = replace(seen, versions={**(seen.versions or {}), "pytest": "9.2.0", "pytest_forked": "1.6.0"})
    assert with_forks(spec, unable).argv == spec.argv


def test_what_is_missing_is_named(world: WorkflowContext, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = plan_device(world.matrix, [SMALL], world.settings, runs=world.store.root, arch="")
    monkeypatch.setattr(device, "DEVICE_NODES", world.root / "no such place")
    told = missing_device(spec, world.surroundings, world.settings)
    assert "there is no device at" in told
    assert "cannot import torch_xla" in told
