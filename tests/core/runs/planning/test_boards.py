# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.boards: what tests need of a machine, and what happens where it is another one."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import Settings
from core.domain.model import TEST_MODULE
from core.matrix import Matrix, index
from core.runs.planning import LaunchPlan, Level, Options, boards_of_test, plan_launch
from tests.support.boards import fake_tt_smi
from tests.support.tree import INFERENCE, LOADERS, write_checkout

ID = "alpha/pytorch-tiny-single_device-inference"
YAML = {
    INFERENCE: f"""\
test_config:
  {ID}:
    supported_archs: [n300, n300-llmbox, p150]
    status: EXPECTED_PASSING
"""
}


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, YAML)
    (checkout.root / TEST_MODULE).touch()
    return index(checkout)


@pytest.fixture
def plan(matrix: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    def make(types: tuple[str, ...], **options: object) -> LaunchPlan:
        environ = fake_tt_smi(tmp_path / "bin", *types)
        monkeypatch.setenv("PATH", environ["PATH"])
        chosen = replace(Options(kind="device"), **options)  # type: ignore[arg-type]
        return plan_launch(matrix, [ID], Settings(), chosen, runs=tmp_path / "runs", environ=os.environ)

    return make


def _blockers(plan: LaunchPlan) -> list[str]:
    return [one.what for one in plan.obstacles if one.level is Level.BLOCKER and "cannot import" not in one.what]


def test_the_arch_of_this_machine_is_the_default(plan) -> None:  # type: ignore[no-untyped-def]
    found = plan(("n300 L", "n300 R"))
    assert [spec.arch for spec in found.specs] == ["n300"]
    assert found.specs[0].argv[-2:] == ("--arch", "n300")
    assert _blockers(found) == []
    said = [(one.what, one.remedy) for one in found.obstacles if one.level is Level.NOTE]
    assert ("This machine has n300 (2 chips)", "--arch n300 is the default") in said
    assert [spec.arch for spec in plan(("n300 L", "n300 R"), arch="p150").specs] == ["p150"]
    assert [spec.arch for spec in plan(("n300 L", "n300 R"), kind="cpu").specs] == [None]
    assert [spec.arch for spec in plan(()).specs] == [None]


def test_another_arch_than_that_of_the_machine_is_refused(plan) -> None:  # type: ignore[no-untyped-def]
    found = plan(("n300 L", "n300 R"), arch="p150")
    assert _blockers(found) == [f"{ID} needs p150; this machine has n300 (2 chips)"]
    (remedy,) = [one.remedy for one in found.obstacles if one.what in _blockers(found)]
    assert "ttmatrix hosts add" in remedy and "here with --arch n300" in remedy and "--force" in remedy


def test_a_test_for_other_machines_is_refused(plan) -> None:  # type: ignore[no-untyped-def]
    found = plan(("n150 L",))
    assert _blockers(found) == [f"{ID} needs n300 or n300-llmbox or p150; this machine has n150 (1 chip)"]
    (remedy,) = [one.remedy for one in found.obstacles if one.what in _blockers(found)]
    assert "--arch" not in remedy and "--force" in remedy
    assert _blockers(plan(("p150a",))) == []


def test_without_a_device_the_plan_says_what_is_needed(plan) -> None:  # type: ignore[no-untyped-def]
    found = plan(())
    assert any(f"; {ID} needs n300 or n300-llmbox or p150" in one.what for one in found.obstacles)
    assert not _blockers(found)


@pytest.mark.parametrize(
    ("path", "markers", "archs"),
    [
        ("tests/jax/multi_chip/n300/ops/test_x.py", {"push"}, ("n300",)),
        ("tests/jax/multi_chip/llmbox/graphs/test_x.py", set(), ("n300-llmbox",)),
        ("tests/torch/graphs/test_x.py", {"dual_chip"}, ("n300",)),
        ("tests/torch/graphs/test_x.py", {"llmbox", "nightly"}, ("n300-llmbox",)),
        ("tests/torch/graphs/test_x.py", {"bhqb", "galaxy"}, ("qb2-blackhole", "galaxy-wh-6u")),
        ("tests/torch/ops/test_n300.py", {"single_device"}, ()),
    ],
)
def test_what_a_hand_written_test_is_for(path: str, markers: set[str], archs: tuple[str, ...]) -> None:
    assert boards_of_test(path, markers) == archs
