# SPDX-License-Identifier: Apache-2.0
"""tui.view_models.launch: what a launch says before it begins."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import Profile, Settings
from core.matrix import index
from core.payload.ttmatrix_payload.models.compile_options import LEVELS
from core.runs.planning import LaunchPlan, plan_test
from tests.support.tree import sample
from tui.view_models import launch_text


@pytest.mark.parametrize("level", [None, 0, 1, 2])
def test_the_level_of_a_profile_is_explained(tmp_path: Path, own_home: Path, level: int | None) -> None:
    matrix = index(sample(tmp_path))
    id = matrix.ids[0]
    options = {} if level is None else {"optimization_level": level}
    settings = Settings(python="/usr/bin/python3", profiles={"fast": Profile(options=options, dump=True)})
    spec = plan_test(matrix, id, settings, runs=Path("/runs"), profile="fast", kind="device")
    plan = LaunchPlan(specs=(spec, replace(spec, run_id="other")), obstacles=(), refused=(), survey=None)
    lines = [line for line in launch_text(plan).plain.splitlines() if line.startswith("optimization_level")]
    assert lines == ([] if level is None else [f"optimization_level {level}: {LEVELS[level]}"])
