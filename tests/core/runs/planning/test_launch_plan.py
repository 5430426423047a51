# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.plan: the plan shown before a launch is exactly what happens, with all obstacles."""

import json
import os
from pathlib import Path

import pytest

from core.base.settings import Profile, Settings
from core.matrix import Matrix, index
from core.runs.planning import LaunchPlan, Level, Options, look_ahead, plan_launch
from core.sources import Checkout
from tests.support.fake_python import use_fake_python, without_package
from tests.support.tree import sample

PASSES = "alpha/pytorch-tiny-single_device-training"


@pytest.fixture
def matrix(tmp_path: Path, own_home: Path) -> Matrix:
    use_fake_python(own_home, tmp_path)
    return index(sample(tmp_path / "tt-xla"))


def planned(matrix: Matrix, tmp_path: Path, options: Options, *ids: str) -> LaunchPlan:
    settings = Settings(python=str(tmp_path / "python"), profiles={"long": Profile(("--long",), {"X": "1"}, 7200.0)})
    return plan_launch(matrix, ids, settings, options, runs=tmp_path / "runs")


def test_every_choice_is_in_the_plan(matrix: Matrix, tmp_path: Path) -> None:
    options = Options(arch="p150", profile="long", repeat=3, timeout=9.0, stop_on_failure=True)
    plan = planned(matrix, tmp_path, options, PASSES)
    assert len(plan.specs) == len({spec.run_id for spec in plan.specs}) == 3
    for spec in plan.specs:
        assert (spec.arch, spec.timeout, spec.stop_on_failure) == ("p150", 9.0, True)
        assert spec.argv[-1] == "--long"
        assert spec.batch == plan.specs[0].run_id
    assert json.loads(plan.provenance)["interpreter"] == str(tmp_path / "python")
    assert (plan.refused, plan.obstacles) == ([], [])
    assert not (tmp_path / "runs").exists()


def test_each_arch_of_hosts_is_a_run(matrix: Matrix, tmp_path: Path) -> None:
    plan = planned(matrix, tmp_path, Options(kind="device", archs=("n150", "p150"), repeat=2), PASSES)
    assert [spec.arch for spec in plan.specs] == ["n150", "p150"] * 2


def test_what_cannot_be_run_is_reported_and_the_rest_planned(matrix: Matrix, tmp_path: Path) -> None:
    plan = planned(matrix, tmp_path, Options(), PASSES, "nobody/pytorch-x-single_device-training")
    assert [spec.test_id for spec in plan.specs] == [PASSES]
    assert [error.title for error in plan.refused] == ["No loader for nobody/pytorch-x-single_device-training"]


def test_nothing_to_run_asks_nobody(tmp_path: Path) -> None:
    assert look_ahead((), Settings(), runs=tmp_path) == LaunchPlan((), (), None, ())
    assert LaunchPlan((), (), None, ()).provenance == ""


def test_obstacles_come_with_the_plan(matrix: Matrix, tmp_path: Path) -> None:
    without_package(tmp_path / "python", "pytest")
    plan = planned(matrix, tmp_path, Options(kind="device"), PASSES)
    assert Level.BLOCKER in {obstacle.level for obstacle in plan.obstacles}
    assert Checkout(plan.specs[0].cwd).root == matrix.checkout.root


def test_only_a_start_asks_the_interpreter_of_the_checkout_and_says_so(matrix: Matrix, tmp_path: Path) -> None:
    venv = matrix.checkout.root / "venv" / "bin"
    venv.mkdir(parents=True)
    (tmp_path / "python").rename(venv / "python")
    plan = plan_launch(matrix, [PASSES], Settings(), Options(), runs=tmp_path / "runs")
    assert ["are not known yet" in obstacle.what for obstacle in plan.obstacles] == [True]
    assert plan.asked == ""
    started = look_ahead(plan.specs, Settings(), runs=tmp_path / "runs", starting=True)
    assert started.asked.startswith(f"asked {venv}/python for its packages")
    assert (started.specs, started.obstacles) == (plan.specs, [])
    again = look_ahead(plan.specs, Settings(), runs=tmp_path / "runs")
    assert (again.asked, again.obstacles) == ("", [])
    assert again.survey and started.survey
    assert again.survey.versions == started.survey.versions


def test_what_is_remembered_is_asked_again_before_it_gets_in_the_way(matrix: Matrix, tmp_path: Path) -> None:
    lacking, python = tmp_path / "python", Settings(python=str(tmp_path / "python"))
    good = lacking.read_text()
    lacking.write_text(good.replace('"torch": "2.9.0"', '"torch": None'))
    times = lacking.stat().st_mtime_ns
    plan = plan_launch(matrix, [PASSES], python, Options(), runs=tmp_path / "runs")
    assert [obstacle.level for obstacle in plan.obstacles] == [Level.BLOCKER]
    lacking.write_text(good)
    os.utime(lacking, ns=(times, times))
    assert look_ahead(plan.specs, python, runs=tmp_path / "runs").obstacles == plan.obstacles
    assert look_ahead(plan.specs, python, runs=tmp_path / "runs", starting=True).obstacles == []
