# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_edits: uncommitted edits in the work tree, and reverting them byte for byte."""

from itertools import pairwise
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.workflows import take_back_edits, uncommitted_edits, workflow_lock
from core.workflows.loader_code.edits import SourceEdit, put
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.session import edits_directory
from tests.support.app import own_checkout

TEXTS = ("x = 1\r\n", "x = 2\r\n", "x = 3\r\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The directory of sessions, with two edits of one file on top of each other."""
    (tmp_path / "models").mkdir()
    loader = tmp_path / "models" / "loader.py"
    loader.write_bytes(TEXTS[0].encode())
    own_checkout(tmp_path / "models")
    for before, after in pairwise(TEXTS):
        put(
            loader,
            SourceEdit(EditKind.CAST, 1, f"make it {after[4]}", before, after),
            edits_directory(tmp_path / "state"),
        )
    return tmp_path / "state"


def text(root: Path) -> str:
    return (root.parent / "models" / "loader.py").read_bytes().decode()


def test_the_newest_is_first_and_all_go_back_in_that_order(root: Path) -> None:
    edits = uncommitted_edits(root, root.parent)
    assert [one.edited.edit.summary for one in edits] == ["make it 3", "make it 2"]
    assert [(one.path, one.overtaken) for one in edits] == [("models/loader.py", False)] * 2
    outside = uncommitted_edits(root, root / "elsewhere")
    assert outside[0].path == str(root.parent / "models" / "loader.py")
    assert "-x = 2" in edits[0].diff and "+x = 3" in edits[0].diff
    take_back_edits(root, edits[:1])
    assert (text(root), [one.edited.edit.summary for one in uncommitted_edits(root, root.parent)]) == (
        TEXTS[1],
        ["make it 2"],
    )
    take_back_edits(root, uncommitted_edits(root, root.parent))
    assert (text(root), uncommitted_edits(root, root.parent)) == (TEXTS[0], ())


def test_one_that_was_committed_is_no_more(root: Path) -> None:
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    argv = ["git", *identity, "commit", "--quiet", "--all", "--message=mine"]
    assert run_command(argv, cwd=root.parent / "models").returncode == 0
    assert uncommitted_edits(root, root.parent) == ()


def test_one_whose_file_reads_as_before_is_no_more(root: Path) -> None:
    (root.parent / "models" / "loader.py").write_bytes(TEXTS[0].encode())
    assert uncommitted_edits(root, root.parent) == ()
    (root.parent / "models" / "loader.py").unlink()
    assert uncommitted_edits(root, root.parent) == ()


def test_a_file_that_was_changed_since_stays(root: Path) -> None:
    (root.parent / "models" / "loader.py").write_text("x = 4\n")
    edits = uncommitted_edits(root, root.parent)
    assert [one.overtaken for one in edits] == [True, True]
    with pytest.raises(TTMatrixError, match="has changed since"):
        take_back_edits(root, edits)
    assert (text(root), uncommitted_edits(root, root.parent)) == ("x = 4\n", edits)


def test_none_is_taken_back_from_under_a_workflow(root: Path) -> None:
    edits = uncommitted_edits(root, root.parent)
    with workflow_lock(root), pytest.raises(TTMatrixError, match="Another ttmatrix"):
        take_back_edits(root, edits)
    assert text(root) == TEXTS[2]
