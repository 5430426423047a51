# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.writer_lock."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.edits.pending.writer_lock import sole_writer


def refused(root: Path) -> bool:
    try:
        with sole_writer(root, "trying", wait=0):
            return False
    except TTMatrixError as error:
        assert "writing" in error.detail
        return True


def test_one_writer_a_checkout(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for root in (one, other):
        (root / ".git").mkdir(parents=True)
    with sole_writer(one, "writing", wait=0):
        assert refused(one)
        assert not refused(other)
    assert not refused(one)
    assert (one / ".git" / "ttmatrix.lock").exists()


def test_the_lock_is_no_part_of_the_work_tree(tmp_path: Path) -> None:
    run_command(["git", "init", "--quiet"], cwd=tmp_path)
    with sole_writer(tmp_path, "writing", wait=0):
        assert run_command(["git", "status", "--porcelain"], cwd=tmp_path).stdout == ""


def test_a_work_tree_whose_git_directory_is_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text("gitdir: ../real\n")
    with sole_writer(tmp_path / "tree", "writing", wait=0):
        assert (tmp_path / "real" / "ttmatrix.lock").exists()
        assert refused(tmp_path / "tree")


@pytest.mark.parametrize("content", [None, b"gitdir: nowhere\n", b"\xff"])
def test_a_checkout_without_git_is_locked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    if content is not None:
        (root / ".git").write_bytes(content)
    before = list(root.iterdir())
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with sole_writer(root, "writing", wait=0):
        assert refused(root)
        # Processes with another home are locked out as well; only those with the same home learn who holds the lock.
        monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path / "other"))
        with pytest.raises(TTMatrixError, match="Another ttmatrix holds"), sole_writer(root, "trying", wait=0):
            pytest.fail("two writers at once")
    assert (list(root.iterdir()), list(temporary.iterdir())) == (before, [])
    with sole_writer(root, "again", wait=0):
        pass
