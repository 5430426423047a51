# SPDX-License-Identifier: Apache-2.0
"""core.runs.environment: the scheduler finds `core`, the model never hears of it."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.proc import own_environment
from core.runs.environment import child_environment, digest

environments = st.dictionaries(st.sampled_from(["PYTHONPATH", "PATH", "X"]), st.text("ab:/", max_size=6))


@given(environments, environments)
def test_additions_win_but_go_behind_an_existing_python_path(
    environ: dict[str, str], additions: dict[str, str]
) -> None:
    child = child_environment(environ, additions)
    assert child.keys() == environ.keys() | additions.keys()
    for name, value in child.items():
        own = environ.get(name)
        if name == "PYTHONPATH" and own and name in additions:
            assert value == f"{own}:{additions[name]}"
        else:
            assert value == additions.get(name, own)


def test_a_digest_tells_environments_apart_but_not_terminals() -> None:
    environ = {"HF_HOME": "/a", "TERM": "xterm", "SSH_TTY": "/dev/pts/1"}
    assert digest(environ) == digest({"HF_HOME": "/a", "TERM": "screen", "PWD": "/"})
    assert digest(environ) != digest({**environ, "HF_HOME": "/b"})
    assert "/a" not in digest(environ)


def test_the_scheduler_can_import_core_from_anywhere(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-P", "-c", "import core.runs.scheduler"],
        cwd=tmp_path,
        env=own_environment({**os.environ, "PYTHONPATH": "/nowhere"}),
        check=True,
    )
