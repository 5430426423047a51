# SPDX-License-Identifier: Apache-2.0
"""core.runs.cluster.code: a state is captured completely, restored exactly, or refused with the reason."""

import shutil
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.files import packed, plain, unpacked
from core.runs.cluster import capture
from core.runs.cluster.code import CodeState, NewFile, Refused, TreeEdits, patched_files, reach
from core.sources import Checkout
from tests.support.git import committed_checkout, committer, git
from tests.support.tree import sample


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout with its models as a repository inside it, like the submodule."""
    found = sample(tmp_path / "here")
    models = Checkout(found.models)
    git(models.root, "init", "--quiet", "--template=", "--initial-branch=main")
    committer(models.root)
    git(models.root, "add", "--all")
    git(models.root, "commit", "--quiet", "--message=models")
    return committed_checkout(found)


@pytest.fixture
def clone(checkout: Checkout, tmp_path: Path) -> Path:
    """Another machine's clone."""
    there = tmp_path / "there"
    shutil.copytree(checkout.root, there)
    return there


def loader(checkout: Checkout) -> Path:
    return next(checkout.models.rglob("loader.py"))


def edited(checkout: Checkout) -> CodeState:
    """Edits of every kind, in both trees."""
    loader(checkout).write_text(loader(checkout).read_text() + "\n# dtype\n")
    (checkout.models / "new_model" / "pytorch").mkdir(parents=True)
    (checkout.models / "new_model" / "pytorch" / "loader.py").write_bytes(b"# \xff new\n")
    config = next(checkout.test_config.rglob("*.yaml"))
    config.write_bytes(config.read_bytes() + b"# edited\n")
    tool = checkout.root / "tests" / "tool.sh"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (checkout.root / "notes.txt").write_text("of no test")
    return capture(checkout)


def test_a_state_is_reached_to_the_byte(checkout: Checkout, clone: Path, tmp_path: Path) -> None:
    state = unpacked(packed(edited(checkout)), CodeState)
    tree = Checkout(reach(state, clone, tmp_path / "trees"))
    assert loader(tree).read_bytes() == loader(checkout).read_bytes()
    assert (tree.models / "new_model" / "pytorch" / "loader.py").read_bytes() == b"# \xff new\n"
    assert (tree.root / "tests" / "tool.sh").stat().st_mode & 0o111
    assert not (tree.root / "notes.txt").exists()
    assert capture(tree) == state
    # The person's own clone there is unchanged.
    assert git(clone, "status", "--porcelain") == "" and git(clone, "worktree", "list").count("\n") == 1


def test_a_tree_is_used_again_and_put_right_where_somebody_edited_it(
    checkout: Checkout, clone: Path, tmp_path: Path
) -> None:
    state = edited(checkout)
    tree = reach(state, clone, tmp_path / "trees")
    (tree / "._bringup_stage.txt").write_text("left by a run")
    assert reach(state, clone, tmp_path / "trees") == tree and (tree / "._bringup_stage.txt").exists()
    loader(Checkout(tree)).write_text("broken")
    assert capture(Checkout(reach(state, clone, tmp_path / "trees"))).models == state.models


@pytest.mark.parametrize("place", ["checkout", "models"])
def test_a_commit_that_is_not_there_is_refused(checkout: Checkout, clone: Path, tmp_path: Path, place: str) -> None:
    root = checkout.root if place == "checkout" else checkout.models
    git(root, "commit", "--quiet", "--allow-empty", "--message=not pushed")
    state = capture(checkout)
    commit = git(root, "rev-parse", "HEAD").strip()[:12]
    with pytest.raises(Refused, match=f"Commit {commit} is not in"):
        reach(state, clone, tmp_path / "trees")
    assert [one.name for one in (tmp_path / "trees").iterdir() if one.is_dir()] == []


def test_a_commit_that_the_origin_has_is_fetched(checkout: Checkout, clone: Path, tmp_path: Path) -> None:
    git(clone, "remote", "add", "origin", str(checkout.root))
    git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=pushed")
    state = capture(checkout)
    assert capture(Checkout(reach(state, clone, tmp_path / "trees"))) == state


def test_a_patch_that_does_not_apply_is_refused(checkout: Checkout, clone: Path, tmp_path: Path) -> None:
    state = capture(checkout)
    wrong = CodeState(TreeEdits(state.checkout.commit, b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
    with pytest.raises(Refused, match="git apply failed"):
        reach(wrong, clone, tmp_path / "trees")


def test_no_file_goes_outside_of_the_tree(checkout: Checkout, clone: Path, tmp_path: Path) -> None:
    state = capture(checkout)
    wrong = CodeState(TreeEdits(state.checkout.commit, files={"../../out": NewFile(b"")}))
    with pytest.raises(Refused, match="outside"):
        reach(wrong, clone, tmp_path / "trees")


def test_what_is_too_much_or_no_repository_is_said(checkout: Checkout, tmp_path: Path) -> None:
    (checkout.models / "weights.bin").write_bytes(bytes(33 * 2**20))
    with pytest.raises(TTMatrixError, match=r"New files of .* have 33 MiB"):
        capture(checkout)
    with pytest.raises(TTMatrixError):
        capture(sample(tmp_path / "plain"))


def test_a_record_says_commits_and_edited_files(checkout: Checkout) -> None:
    described = edited(checkout).described()
    assert list(plain(described)) == ["digest", "commit", "models", "edited"]
    assert described.commit == git(checkout.root, "rev-parse", "HEAD").strip()
    assert described.models == git(checkout.models, "rev-parse", "HEAD").strip()
    assert f"models: {loader(checkout).relative_to(checkout.models)}" in described.edited
    assert "tests/tool.sh" in described.edited
    assert patched_files(b"") == []
