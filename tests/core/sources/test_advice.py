# SPDX-License-Identifier: Apache-2.0
"""core.sources.advice: each command that is advised brings the commit that was lacking."""

import shlex
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.processes import run_command
from core.sources import Checkout, Git, fetching, read_tree
from tests.support.git import git
from tests.support.states import MODELS, commit, with_submodule


@pytest.fixture
def origin(tmp_path: Path) -> Checkout:
    """Two commits of the models, each pinned by one of tt-xla; a branch of the models beside them."""
    checkout = with_submodule(tmp_path / "origin")
    commit(checkout, "an uplift", {f"{MODELS}/alpha/notes.txt": "x"})
    git(checkout.models, "branch", "other", "HEAD^")
    for root in (checkout.root, checkout.models):
        git(root, "config", "uploadpack.allowFilter", "true")
        git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    return checkout


def _clone(origin: Checkout, place: Path, *words: str, models: tuple[str, ...] = ()) -> Checkout:
    clone = Checkout(place)
    git(origin.root, "clone", "-q", *words, f"file://{origin.root}", str(place))
    clone.models.rmdir()
    git(origin.root, "clone", "-q", *models, f"file://{origin.models}", str(clone.models))
    return clone


def _advised(error: TTMatrixError) -> None:
    """Do what a hint says at its end."""
    words = shlex.split(error.hint[error.hint.index("git -C ") :])
    done = run_command(words, cwd=Path("/"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("models", "wanted", "said"),
    [
        (("--depth=1",), "HEAD^", "fetch --unshallow"),
        (("--depth=1",), "origin/other", "fetch --depth=1 origin other:refs/remotes/origin/other"),
        (("--depth=1",), "ID", "fetch --depth=1 origin "),
        (("--single-branch",), "origin/other", "fetch origin other:refs/remotes/origin/other"),
    ],
)
def test_a_commit_of_the_models(
    origin: Checkout, tmp_path: Path, models: tuple[str, ...], wanted: str, said: str
) -> None:
    clone = _clone(origin, tmp_path / "a clone", models=models)
    wanted = wanted.replace("ID", git(origin.models, "rev-parse", "HEAD^").strip())
    with pytest.raises(UsageError, match="no commit named") as raised:
        read_tree(clone, "HEAD", models=wanted)
    assert said in raised.value.hint
    _advised(raised.value)
    assert read_tree(clone, "HEAD", models=wanted).files


def test_the_models_that_an_older_commit_pins(origin: Checkout, tmp_path: Path) -> None:
    clone = _clone(origin, tmp_path / "a clone", models=("--depth=1",))
    with pytest.raises(TTMatrixError, match="not here") as raised:
        read_tree(clone, "HEAD^")
    _advised(raised.value)
    assert read_tree(clone, "HEAD^").files


def test_a_clone_without_trees(origin: Checkout, tmp_path: Path) -> None:
    clone = _clone(origin, tmp_path / "a clone", "--filter=tree:0")
    with pytest.raises(TTMatrixError, match="cannot read") as raised:
        read_tree(clone, "HEAD^")
    assert "The clone is partial" in raised.value.hint
    _advised(raised.value)
    assert read_tree(clone, "HEAD^").files


def test_models_that_are_no_repository(origin: Checkout, tmp_path: Path) -> None:
    clone = Checkout(tmp_path / "clone")
    git(origin.root, "clone", "-q", str(origin.root), str(clone.root))
    (clone.models / "rest").mkdir()
    with pytest.raises(TTMatrixError, match="not a repository") as raised:
        read_tree(clone, "HEAD")
    # git itself refuses a directory that is not empty.
    assert raised.value.hint.startswith("Move it away, then: git ")


def test_nothing_is_advised_that_cannot_help(origin: Checkout, tmp_path: Path) -> None:
    clone = Git(_clone(origin, tmp_path / "clone").root)
    assert fetching(clone, "HEAD~99") == ""
    assert fetching(clone, "typo") == f"git -C {clone.root} fetch origin"
    assert fetching(Git(origin.root), "typo") == ""
    shallow = Git(_clone(origin, tmp_path / "shallow", "--depth=1").root)
    one, other = f"git -C {shallow.root} fetch --unshallow", f"git -C {shallow.root} fetch origin"
    assert fetching(shallow, "1234567") == f"{one} (older commits) or {other} (newer ones)"
    git(clone.root, "remote", "rename", "origin", "upstream")
    assert fetching(clone, "typo") == f"git -C {clone.root} fetch upstream"


def _said(checkout: Checkout, name: str, models: str = "") -> str:
    with pytest.raises(UsageError) as raised:
        read_tree(checkout, name, models)
    return str(raised.value)


def test_what_has_the_name_is_said(origin: Checkout) -> None:
    git(origin.root, "tag", "of-a-tree", "HEAD^{tree}")
    assert "It is a directory in git." in _said(origin, "of-a-tree")
    assert "It is a file in git." in _said(origin, "HEAD:.github/workflows/nightly.yml")
    assert "It is a path of the checkout." in _said(origin, "tests/runner")
    assert "It is a path of the checkout." in _said(origin, f"{origin.root}/tests/runner")
    assert "It is a path" not in _said(origin, str(origin.root.parent))
    assert "No commit is named '^HEAD'" in _said(origin, "^HEAD")
    git(origin.root, "tag", "-a", "-m", "annotated", "v1", "HEAD^")
    assert read_tree(origin, "v1").commit == git(origin.root, "rev-parse", "HEAD^").strip()


def test_a_commit_of_the_other_repository(origin: Checkout) -> None:
    own, models = (git(root, "rev-parse", "HEAD").strip() for root in (origin.root, origin.models))
    assert "is a commit of the models" in _said(origin, models) and "ttmatrix uplift" in _said(origin, models)
    assert "is a commit of tt-xla" in _said(origin, "HEAD", own) and "ttmatrix diff" in _said(origin, "HEAD", own)


def test_the_beginning_of_two_commits(origin: Checkout) -> None:
    tree = git(origin.root, "rev-parse", "HEAD^{tree}").strip()
    by_beginning: dict[str, str] = {}
    for number in range(5000):
        words = ("commit-tree", tree, "-m", str(number))
        id = git(origin.root, *words).strip()
        if other := by_beginning.get(id[:4]):
            said = _said(origin, id[:4])
            assert "the beginning of 2 commits" in said
            assert id[:14] in said and other[:14] in said
            return
        by_beginning[id[:4]] = id
    pytest.fail("no two commits have begun alike")
