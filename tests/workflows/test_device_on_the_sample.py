# SPDX-License-Identifier: Apache-2.0
"""The whole way with the built-in runner for a device: one invocation for all entries, and what they say then."""

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.base.settings import paths
from core.runs.store import RunStore
from tests.support.cli import call
from tests.workflows.conftest import TRAINING, Sample

SMALL, LARGE = (f"tabular_fusion/pytorch-{name}-single_device-training" for name in ("Small", "Large"))


@pytest.fixture
def eager(sample: Sample, own_home: Path) -> Sample:
    """The sample without a runner of its own, so that ours runs its tests."""
    (sample.checkout.root / "tests/runner/test_models.py").unlink()
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + 'backend = "eager"\n')
    return sample


def reported(sample: Sample) -> Any:
    """The document of a workflow that waits for a device, once the command that it names was run."""
    before = (sample.checkout.test_config / TRAINING).read_bytes()
    called = sample.triage(SMALL, "--apply", "--json")
    told = called.json
    assert (called.code, told["decision"], told["applied"], told["ops"]) == (1, "fixed", False, [])
    assert told["loader_edit"]["in_work_tree"] is True
    assert (sample.checkout.test_config / TRAINING).read_bytes() == before
    assert [one for one in RunStore(paths().runs).records() if one.spec.kind == "device"] == []
    assert subprocess.run(["/bin/sh", "-c", told["waiting"]["command"]], capture_output=True).returncode == 0
    return told


def test_it_stops_with_the_command_and_goes_on_with_what_that_writes(eager: Sample) -> None:
    told = reported(eager)
    command = shlex.split(told["waiting"]["go_on"])
    assert command[0] == "ttmatrix"
    assert command[-1] == "--apply"
    called = call(*command[1:], "--repo", eager.checkout.root, "--json")
    told = called.json
    assert (called.code, told["decision"], told["applied"], told["waiting"]) == (0, "fixed", True, None)
    assert {one["id"]: one["ending"] for one in told["device"]} == {SMALL: "passed", LARGE: "passed"}
    assert told["device_by"] == "ttmatrix's own runner with the backend eager on the CPU"
    yaml = (eager.checkout.test_config / TRAINING).read_text()
    for id in (SMALL, LARGE):
        assert f"  {id}:\n    status: EXPECTED_PASSING\n\n" in yaml


def test_a_cpu_is_no_device_where_the_policy_does_not_say_so(eager: Sample) -> None:
    (eager.checkout.root / "ttmatrix-policy.toml").unlink()
    told = reported(eager)
    before = eager.files
    file = shlex.split(told["waiting"]["go_on"])[-2]
    called = eager.triage(SMALL, "--device-result", file, "--apply")
    assert called.code == 64
    assert "is not a device report" in called.err
    yaml = eager.checkout.test_config / TRAINING
    assert yaml.read_bytes() == before[yaml]
    taken = call("ingest", file, "--arch", "n150", "--repo", eager.checkout.root, "--json").json
    assert taken["counts"] == {"stand_in": 2}


def test_what_the_cpu_has_decided_is_written_without_a_device_and_says_so(eager: Sample) -> None:
    told = eager.told("prototype_net/pytorch-Way_5-single_device-training")
    assert told["device"] == []
    assert {op["value"] for op in told["ops"]} == {"KNOWN_FAILURE_XFAIL"}
