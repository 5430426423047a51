# SPDX-License-Identifier: Apache-2.0
"""core.sources.trees: a commit or the index laid out in a directory, exactly, and nothing beyond it."""

import os
import shlex
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.files import TEXT_BYTES
from core.sources import INDEX, Checkout, Layout, read_tree
from tests.support.git import committed_checkout, git, state
from tests.support.states import commit, with_submodule, write
from tests.support.tree import sample

MODELS = "third_party/tt_forge_models"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return with_submodule(tmp_path / "tt-xla")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "layout")


def texts(root: Path) -> dict[str, bytes]:
    """Every file below `root` except those of git."""
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_the_files_of_a_commit_and_of_the_models_that_it_pins(checkout: Checkout, layout: Layout) -> None:
    first = texts(checkout.root)
    commit(
        checkout, "second", {f"{MODELS}/alpha/pytorch/loader.py": "new = 1\n", "tests/new/a.py": "", "README.md": "2"}
    )
    second = texts(checkout.root)
    for name, expected in (("HEAD", second), ("HEAD~1", first), ("main", second)):
        assert texts(layout.become(read_tree(checkout, name)).root) == expected
    assert not (layout.root / "tests/new").exists() or (layout.root / "tests/new/a.py").exists()


def test_a_file_that_becomes_a_directory_and_back(checkout: Checkout, layout: Layout) -> None:
    commit(checkout, "file", {"place": "a file"})
    commit(checkout, "directory", {"place": None, "place/inner": "inside"})
    for name in ("HEAD", "HEAD~1", "HEAD", "HEAD~2"):
        layout.become(read_tree(checkout, name))
        shown = (layout.root / "place").is_dir(), (layout.root / "place").is_file()
        assert shown == {"HEAD": (True, False), "HEAD~1": (False, True), "HEAD~2": (False, False)}[name]


def test_the_index_differs_from_commit_and_work_tree(checkout: Checkout, layout: Layout) -> None:
    write(checkout, {"README.md": "staged"})
    git(checkout.root, "add", "README.md")
    write(checkout, {"README.md": "work tree"})
    before = state(checkout.root)
    layout.become(read_tree(checkout, INDEX))
    assert (layout.root / "README.md").read_text() == "staged"
    assert state(checkout.root) == before


def test_what_is_the_same_is_not_written_again(checkout: Checkout, layout: Layout) -> None:
    layout.become(read_tree(checkout, "HEAD"))
    kept = (layout.root / MODELS / "base.py").stat()
    commit(checkout, "second", {"README.md": "2"})
    layout.become(read_tree(checkout, "HEAD"))
    assert (layout.root / MODELS / "base.py").stat() == kept


def test_another_commit_of_the_models(checkout: Checkout, layout: Layout) -> None:
    commit(checkout, "second", {f"{MODELS}/alpha/pytorch/loader.py": "new = 1\n", "README.md": "2"})
    git(checkout.models, "tag", "newest")
    layout.become(read_tree(checkout, "HEAD~1", models="newest"))
    assert (layout.root / MODELS / "alpha/pytorch/loader.py").read_text() == "new = 1\n"
    assert not (layout.root / "README.md").exists()


def test_models_that_are_files_of_the_checkout_itself(tmp_path: Path, layout: Layout) -> None:
    checkout = committed_checkout(sample(tmp_path / "vendored"))
    assert texts(layout.become(read_tree(checkout, "HEAD")).root) == texts(checkout.root)
    with pytest.raises(TTMatrixError, match="no submodule"):
        read_tree(checkout, "HEAD", models="HEAD")


def test_keys_are_of_the_files(checkout: Checkout) -> None:
    first = read_tree(checkout, "HEAD").key
    commit(checkout, "nothing new")
    assert read_tree(checkout, "HEAD~1").key == first
    commit(checkout, "models", {f"{MODELS}/base.py": "other"})
    assert read_tree(checkout, "HEAD").key != first


def test_a_layout_that_was_interrupted_is_written_anew(checkout: Checkout, layout: Layout) -> None:
    layout.become(read_tree(checkout, "HEAD"))
    (layout.place / "listing").unlink()
    (layout.root / "stray").write_text("from a write that was cut off")
    assert texts(layout.become(read_tree(checkout, "HEAD")).root) == texts(checkout.root)


def test_what_is_missing_is_said(checkout: Checkout, layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No commit is named 'gone'"):
        read_tree(checkout, "gone")
    git(checkout.root, "update-index", "--cacheinfo", f"160000,{'1' * 40},{MODELS}")
    with pytest.raises(TTMatrixError) as raised:
        read_tree(checkout, INDEX)
    assert "1" * 40 in raised.value.detail and "has no remote" in raised.value.hint
    git(checkout.root, "rm", "--quiet", "-r", "--cached", "tests")
    git(checkout.root, "commit", "--quiet", "--message=no tests")
    git(checkout.root, "reset", "--quiet", "--hard", "HEAD~1")
    git(checkout.root, "clone", "--quiet", "--depth=1", f"file://{checkout.root}", str(tmp_path / "shallow"))
    git(tmp_path / "shallow", "clone", "--quiet", str(checkout.models), MODELS)
    with pytest.raises(UsageError, match="No commit") as said:
        read_tree(Checkout(tmp_path / "shallow"), "HEAD~1")
    assert "--unshallow" in said.value.hint


def test_a_clone_without_the_blobs_says_how_to_get_them(checkout: Checkout, layout: Layout, tmp_path: Path) -> None:
    commit(checkout, "second", {"README.md": "2"})
    git(checkout.root, "config", "uploadpack.allowFilter", "true")
    partial = Checkout(tmp_path / "partial")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{checkout.root}", str(partial.root))
    git(partial.root, "clone", "--quiet", str(checkout.models), MODELS)
    third = commit(checkout, "third", {"README.md": "3"})
    git(partial.root, "fetch", "--quiet")
    git(partial.models, "fetch", "--quiet")
    with pytest.raises(TTMatrixError, match=r"lacks 1 file of origin/main") as raised:
        layout.become(read_tree(partial, "origin/main"))
    assert "README.md" in raised.value.detail and third in raised.value.hint
    git(partial.root, *shlex.split(raised.value.hint)[1:])
    assert (layout.become(read_tree(partial, "origin/main")).root / "README.md").read_text() == "3"


def test_links_out_of_the_tree_are_not_laid_out(checkout: Checkout, layout: Layout) -> None:
    inside = {"in": "README.md", "deep/in": "../README.md"}
    outside = {"abs": "/etc/passwd", "up": "../secret", "deep/up": "../../secret", "deep/round": "in/../../x"}
    (checkout.root / "deep").mkdir()
    write(checkout, {"README.md": "here"})
    for name, target in (inside | outside).items():
        (checkout.root / name).symlink_to(target)
    commit(checkout, "links")
    layout.become(read_tree(checkout, "HEAD"))
    assert {name for name in inside | outside if os.path.lexists(layout.root / name)} == set(inside)


def test_a_file_too_large_to_read_has_its_size_only(checkout: Checkout, layout: Layout) -> None:
    with (checkout.root / "weights").open("wb") as large:
        large.truncate(TEXT_BYTES + 1)
    commit(checkout, "weights")
    layout.become(read_tree(checkout, "HEAD"))
    assert (layout.root / "weights").stat().st_size == TEXT_BYTES + 1


def test_git_does_not_look_further_up(checkout: Checkout, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    layout = Layout(tmp_path / "layout")
    layout.become(read_tree(checkout, "HEAD"))
    with pytest.raises(AssertionError, match="not a git repository"):
        git(layout.root, "status")
