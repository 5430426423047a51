# SPDX-License-Identifier: Apache-2.0
"""A ttmatrix that a git has called, from a hook or an alias, works on the checkout that it is given."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.processes import inherited
from core.runs.environment import digest, run_environment
from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout, git, hook, state
from tests.support.tree import TRAINING, YAML, sample

TRAIN = "alpha/pytorch-tiny-single_device-training"
OPS = [{"op": "set", "id": TRAIN, "path": ["status"], "value": "EXPECTED_PASSING"}]
ROOT = Path(__file__).parents[3]
PATHSPECS = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")


def local() -> list[str]:
    """What git itself calls the variables of one repository."""
    names = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    return names.stdout.split()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another checkout, of whose history nothing may be seen or changed."""
    root = committed_checkout(sample(tmp_path / "other")).root
    for number in range(3):
        git(root, "commit", "--quiet", "--allow-empty", f"--message=other {number}")
    return root


def values(other: Path) -> dict[str, str]:
    """Each variable with a value that leads elsewhere, or is refused by git."""
    own = other / ".git"
    return {
        **dict.fromkeys(local(), "elsewhere"),
        **dict.fromkeys(PATHSPECS, "1"),
        "GIT_DIR": str(own),
        "GIT_WORK_TREE": str(other),
        "GIT_COMMON_DIR": str(own),
        "GIT_INDEX_FILE": str(own / "index"),
        "GIT_OBJECT_DIRECTORY": str(own / "objects"),
        "GIT_CONFIG_PARAMETERS": f"'core.worktree={other}'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_REFLOG_ACTION": "rebase",
        "GIT_DIFF_OPTS": "-u0",
    }


def test_no_variable_that_git_knows_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    meant = {"GIT_AUTHOR_NAME": "Somebody", "GIT_COMMITTER_DATE": "@0", "GIT_CONFIG_GLOBAL": "/dev/null"}
    meant |= {"GIT_SSH_COMMAND": "ssh", "GIT_CEILING_DIRECTORIES": "/home"}
    assert inherited({**dict.fromkeys([*local(), *PATHSPECS], "1"), **meant}) == meant


@pytest.mark.parametrize("together", [True, False])
def test_answers_are_those_of_the_checkout(
    checkout: Checkout, other: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    questions = (("history", TRAIN), ("trend",), ("show", TRAIN), ("doctor",))

    def answers() -> list[tuple[int, str]]:
        asked = (call(*words, "--json", "--repo", checkout.root) for words in questions)
        return [(one.code, one.out) for one in asked]

    wanted = answers()
    lies = values(other)
    for some in [lies] if together else [{name: lies[name]} for name in ("GIT_DIR", *PATHSPECS)]:
        with monkeypatch.context() as patch:
            for name, value in some.items():
                patch.setenv(name, value)
            assert answers() == wanted, some


def test_a_commit_is_made_where_it_was_asked(checkout: Checkout, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state(other)
    for name, value in values(other).items():
        monkeypatch.setenv(name, value)
    called = call("apply", "-", "--commit", "-m", "Own words", "--repo", checkout.root, stdin=json.dumps(OPS))
    assert called.code == 0, called.err
    assert git(checkout.root, "log", "--format=%s").splitlines() == ["Own words", "first"]
    assert git(checkout.root, "status", "--porcelain") == ""
    assert state(other) == before


def _hook(other: Path, checkout: Checkout, name: str) -> Path:
    said = other.parent / "said"
    operations = other.parent / "ops.json"
    operations.write_text(json.dumps(OPS))
    words = f'apply "{operations}" --commit --repo "{checkout.root}"'
    code = "import sys; from core.cli.dispatch import main; sys.exit(main(sys.argv[1:], lambda _: 70))"
    hook(other, name, f'PYTHONPATH="{ROOT}" "{sys.executable}" -c "{code}" {words} >"{said}" 2>&1 || exit 1')
    return said


def test_in_a_hook_of_a_linked_worktree(checkout: Checkout, other: Path, tmp_path: Path) -> None:
    said = _hook(other, checkout, "post-commit")
    linked = tmp_path / "linked"
    git(other, "worktree", "add", "--quiet", "-b", "side", str(linked))
    git(linked, "commit", "--quiet", "--allow-empty", "--message=mine")
    assert git(linked, "log", "-1", "--format=%s") == "mine\n", said.read_text()
    assert git(checkout.root, "rev-list", "--count", "HEAD") == "2\n", said.read_text()
    assert git(checkout.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("how", [(), ("-a",), ("--", "README.md")])
def test_in_a_pre_commit_hook(checkout: Checkout, other: Path, how: tuple[str, ...]) -> None:
    (other / "README.md").write_text("old")
    git(other, "add", "README.md")
    git(other, "commit", "--quiet", "--message=readme")
    said = _hook(other, checkout, "pre-commit")
    (other / "README.md").write_text("new")
    git(other, "add", "README.md")
    git(other, "-c", "user.name=Me", "commit", "--quiet", "--message=mine", *how)
    assert git(other, "show", "--format=%s", "--name-only").split() == ["mine", "README.md"], said.read_text()
    assert git(other, "status", "--porcelain") == ""
    assert git(checkout.root, "rev-list", "--count", "HEAD") == "2\n", said.read_text()
    assert git(checkout.root, "log", "-1", "--format=%an") == "Somebody\n"


def test_the_commit_of_a_person_in_the_same_checkout_is_left_alone(checkout: Checkout) -> None:
    said = _hook(checkout.root, checkout, "pre-commit")
    installed = checkout.root / ".git" / "hooks" / "pre-commit"
    installed.write_text(installed.read_text().replace("exit 1", "true"))
    (checkout.root / "mine").write_text("mine")
    git(checkout.root, "add", "mine")
    git(checkout.root, "commit", "--quiet", "--message=mine")
    assert git(checkout.root, "show", "--format=%s", "--name-only").split() == ["mine", "mine"]
    assert git(checkout.root, "status", "--porcelain") == "", said.read_text()
    assert "in the middle of a commit" in said.read_text()
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


def test_a_run_works_on_its_own_checkout(tmp_path: Path) -> None:
    lies = {**os.environ, **dict.fromkeys(local(), "elsewhere")}
    assert run_environment(lies) == run_environment(os.environ)
    assert digest(lies) == digest(os.environ)
