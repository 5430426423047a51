# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.supervisor: the scheduler can import `core`, the model cannot."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.processes import own_environment
from core.runs import child_environment
from core.runs.environment import digest, run_environment
from core.runs.execution import cancel_all, wait
from core.runs.execution.launch import launch
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec, Until
from tests.core.runs.execution.test_scheduler import SLEEP, log_has, scheduler_of

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


def test_directories_of_an_activated_environment_go_first_once() -> None:
    environ = {"PATH": "/bin:/venv/bin", "PYTHONPATH": "/other/tests:/co"}
    child = child_environment(environ, {"PYTHONPATH": "/payload"}, {"PATH": "/venv/bin", "PYTHONPATH": "/co:/co/tests"})
    assert child == {"PATH": "/venv/bin:/bin", "PYTHONPATH": "/co:/co/tests:/other/tests:/payload"}
    assert child_environment({}, {}, {"PATH": "/a"}) == {"PATH": "/a"}


def test_a_digest_tells_environments_apart_but_not_terminals() -> None:
    environ = {"HF_HOME": "/a", "TERM": "xterm", "SSH_TTY": "/dev/pts/1"}
    assert digest(environ) == digest({"HF_HOME": "/a", "TERM": "screen", "PWD": "/"})
    assert digest(environ) != digest({**environ, "HF_HOME": "/b"})
    assert "/a" not in digest(environ)


def test_a_run_is_given_what_it_needs_and_no_secrets_of_others() -> None:
    kept = {
        "PATH": "/bin", "LD_LIBRARY_PATH": "/l", "HF_TOKEN": "h", "HUGGING_FACE_HUB_TOKEN": "h", "TT_METAL_HOME": "/m",
        "TOKENIZERS_PARALLELISM": "false", "BOLTZ_MSA_PASSWORD": "b", "MSA_API_KEY_VALUE": "m", "IRD_LF_CACHE": "c",
        "KEYBOARD": "k", "AUTHOR": "a", "XAUTHORITY": "x",
    }  # fmt: skip
    gone = (
        "GH_TOKEN", "GITHUB_PAT", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "REDIS_CCACHE_WRITER_PASSWORD",
        "OPENAI_API_KEY", "npm_config__authToken", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "TERM", "DB_PASSWD",
    )  # fmt: skip
    assert run_environment({**kept, **dict.fromkeys(gone, "x")}) == kept
    more = {"TTMATRIX_PASS": "GH_TOKEN, DB_PASSWD"}
    passed = run_environment({**more, **dict.fromkeys(gone, "x")})
    assert passed == {**more, "GH_TOKEN": "x", "DB_PASSWD": "x"}


def test_the_scheduler_can_import_core_from_anywhere(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-P", "-c", "import core.runs.execution.scheduler"],
        cwd=tmp_path,
        env=own_environment({**os.environ, "PYTHONPATH": "/nowhere"}),
        check=True,
    )


@pytest.mark.slow("runs are started")
def test_no_environment_outlives_the_start_of_its_runs_even_where_the_scheduler_is_killed(
    store: RunStore, make_spec: MakeSpec, until: Until
) -> None:
    spec, environments = make_spec(SLEEP), store.queue.directory / "environments"
    launch(store, spec, {**os.environ, "HF_TOKEN": "for models", "GH_TOKEN": "not for models"})
    until(lambda: log_has(store, spec, "ready"))
    until(lambda: not list(environments.iterdir()))
    (environments / "left.json").write_text("{}")
    os.kill(scheduler_of(store).pid, signal.SIGKILL)
    cancel_all(store, [spec.run_id])
    until(lambda: not list(environments.iterdir()))


def test_the_next_command_removes_what_a_killed_scheduler_left(store: RunStore) -> None:
    environments = store.queue.directory / "environments"
    environments.mkdir(parents=True)
    (environments / "left.json").write_text("{}")
    store.records()
    assert not list(environments.iterdir())


def test_a_run_sees_no_secret_that_is_not_for_models(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec("import os; print(os.environ['HF_TOKEN'], 'GH_TOKEN' in os.environ); report()")
    launch(store, spec, {**os.environ, "HF_TOKEN": "for models", "GH_TOKEN": "not for models"})
    wait(store, [spec.run_id])
    assert "for models False" in store.record(spec.run_id).log.read_text()
