# SPDX-License-Identifier: Apache-2.0
"""core.states.new_findings: what a change adds, and against which commit."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.sources import Checkout
from core.states import States, check_against, read_base
from tests.support.git import git
from tests.support.states import commit, states_of, with_submodule, write
from tests.support.tree import INFERENCE, loader_source

MODELS = "third_party/tt_forge_models"
CONFIG = f"tests/runner/test_config/{INFERENCE}"
BAD = "test_config:\n  alpha/pytorch-tiny-single_device-inference:\n    status: PASSING\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return with_submodule(tmp_path / "tt-xla")


@pytest.fixture
def states(checkout: Checkout, tmp_path: Path) -> States:
    return states_of(checkout, tmp_path / "cache")


def _kinds(checkout: Checkout, states: States, base: str) -> list[str]:
    return [one.kind for one in check_against(states, read_base(checkout, base, {})).findings]


def test_only_what_the_work_tree_adds(checkout: Checkout, states: States) -> None:
    assert _kinds(checkout, states, "HEAD") == []
    write(checkout, {CONFIG: BAD})
    assert "bad-value" in _kinds(checkout, states, "HEAD")
    commit(checkout, "a mistake", {CONFIG: BAD})
    assert _kinds(checkout, states, "HEAD") == []
    assert "bad-value" in _kinds(checkout, states, "HEAD^")


def test_the_base_is_where_the_branch_began(checkout: Checkout) -> None:
    root = checkout.root
    began = git(root, "rev-parse", "HEAD").strip()
    git(root, "branch", "-M", "main")
    git(root, "checkout", "-q", "-b", "mine")
    commit(checkout, "of the branch", {"notes.txt": "x"})
    git(root, "checkout", "-q", "main")
    commit(checkout, "of main", {"other.txt": "x"})
    git(root, "checkout", "-q", "mine")
    for revision, environ in (("main", {}), ("", {}), ("", {"GITHUB_BASE_REF": "main"})):
        base = read_base(checkout, revision, environ)
        assert (base.commit, base.name, base.notes) == (began, "main", ())
    git(root, "branch", "release")
    git(root, "branch", "--set-upstream-to=release")
    assert read_base(checkout, "", {}).commit == git(root, "rev-parse", "release").strip()


def test_in_a_shallow_clone_the_named_commit_itself_is_the_base(checkout: Checkout, tmp_path: Path) -> None:
    root = checkout.root
    git(root, "branch", "-M", "main")
    git(root, "checkout", "-q", "-b", "mine")
    commit(checkout, "of the branch", {"notes.txt": "x"})
    git(root, "checkout", "-q", "main")
    commit(checkout, "of main", {"other.txt": "x"})
    clone = Checkout(tmp_path / "clone")
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=mine", f"file://{root}", str(clone.root))
    with pytest.raises(TTMatrixError, match="nothing to compare with") as caught:
        read_base(clone, "", {})
    assert "git fetch --depth=1 origin main" in caught.value.hint
    git(clone.root, "fetch", "-q", "--depth=1", "origin", "main")
    base = read_base(clone, "FETCH_HEAD", {})
    assert base.commit == git(root, "rev-parse", "main").strip()
    assert "shallow" in base.notes[0] and "FETCH_HEAD itself is the base" in base.notes[0]


def test_models_of_the_base_that_are_not_here(checkout: Checkout, tmp_path: Path) -> None:
    commit(checkout, "an uplift", {f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny", "more"])})
    models = checkout.models
    git(models, "checkout", "-q", "--orphan", "alone")
    git(models, "commit", "-q", "-m", "alone")
    for name in git(models, "branch", "--format=%(refname:short)").split():
        if name != "alone":
            git(models, "branch", "-q", "-D", name)
    git(models, "reflog", "expire", "--expire=now", "--all")
    git(models, "gc", "-q", "--prune=now")
    git(checkout.root, "add", MODELS)
    checked = check_against(states_of(checkout, tmp_path / "cache"), read_base(checkout, "HEAD^", {}))
    assert any(f"what changed below {MODELS} is not known to be new" in note for note in checked.notes)
    assert checked.findings == ()


def test_models_that_the_checkout_does_not_record_are_said_once(checkout: Checkout, states: States) -> None:
    commit(checkout, "an uplift", {f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny", "more"])})
    assert "other-models" not in _kinds(checkout, states, "HEAD^")
    git(checkout.models, "checkout", "-q", "HEAD^")
    for base in ("HEAD", "HEAD^"):
        assert _kinds(checkout, states, base)[0] == "other-models"
        assert _kinds(checkout, states, base).count("other-models") == 1
    finding = check_against(states, read_base(checkout, "HEAD", {})).findings[0]
    assert f"git -C {checkout.root} submodule update --init {MODELS} checks" in finding.message
    assert f"git -C {checkout.root} add {MODELS} records" in finding.message
    # Recorded on purpose, it is what the change is about.
    git(checkout.root, "add", MODELS)
    assert "other-models" not in _kinds(checkout, states, "HEAD")
