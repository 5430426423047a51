# SPDX-License-Identifier: Apache-2.0
"""The whole way with the built-in runner for a device: one invocation for all entries, and what they say then."""

from pathlib import Path

import pytest

from core.runs.store import RunStore
from core.settings import paths
from tests.workflows.conftest import TRAINING, Sample

SMALL, LARGE = (f"tabular_fusion/pytorch-{name}-single_device-training" for name in ("Small", "Large"))


@pytest.fixture
def eager(sample: Sample, own_home: Path) -> Sample:
    """The sample without a runner of its own, so that ours runs its tests."""
    (sample.checkout.root / "tests/runner/test_models.py").unlink()
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + 'backend = "eager"\n')
    return sample


def test_from_the_failure_to_the_new_expectations_in_one_go(eager: Sample) -> None:
    called = eager.triage(SMALL, "--apply", "--json")
    told = called.json
    assert (called.code, told["decision"], told["applied"], told["waiting"]) == (0, "fixed", True, None)
    assert {one["id"]: one["ending"] for one in told["device"]} == {SMALL: "passed", LARGE: "passed"}
    assert any("own runner" in line for line in told["needs_review"])
    yaml = (eager.checkout.test_config / TRAINING).read_text()
    for id in (SMALL, LARGE):
        assert f"  {id}:\n    status: EXPECTED_PASSING\n\n" in yaml
    runs = [one for one in RunStore(paths().runs).records() if one.spec.kind == "device"]
    assert len(runs) == 1


def test_what_the_cpu_has_decided_is_confirmed(eager: Sample) -> None:
    told = eager.told("prototype_net/pytorch-Way_5-single_device-training")
    assert [one["ending"] for one in told["device"]] == ["failed"]
    assert "cdist" in told["device"][0]["reason"]
    assert {op["value"] for op in told["ops"]} == {"KNOWN_FAILURE_XFAIL"}
