# SPDX-License-Identifier: Apache-2.0
"""core.runs.environment: the supervisor finds `core`, the model never hears of it."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.runs.environment import child_environment, supervisor_environment

environments = st.dictionaries(st.sampled_from(["PYTHONPATH", "PATH", "X"]), st.text("ab:/", max_size=6))


@given(environments)
def test_the_child_gets_the_environment_as_the_user_has_it(environ: dict[str, str]) -> None:
    assert child_environment(supervisor_environment(environ), {}) == environ


@given(environments, environments)
def test_additions_win_but_go_behind_an_existing_python_path(
    environ: dict[str, str], additions: dict[str, str]
) -> None:
    child = child_environment(supervisor_environment(environ), additions)
    assert child.keys() == environ.keys() | additions.keys()
    for name, value in child.items():
        own = environ.get(name)
        if name == "PYTHONPATH" and own and name in additions:
            assert value == f"{own}:{additions[name]}"
        else:
            assert value == additions.get(name, own)


def test_a_path_that_is_not_ours_is_kept_when_started_by_hand() -> None:
    assert child_environment({"PYTHONPATH": "/a:/b"}, {}) == {"PYTHONPATH": "/a:/b"}


def test_the_supervisor_can_import_core_from_anywhere(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-P", "-c", "import core.runs.supervisor"],
        cwd=tmp_path,
        env=supervisor_environment({**os.environ, "PYTHONPATH": "/nowhere"}),
        check=True,
    )
