# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.edit: into the work tree and back, byte for byte."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.workflows.loader_code.edits import EditedFile, SourceEdit, edited_files, put, take_back
from core.workflows.loader_code.edits.edit import EditKind, forget
from tests.support.app import own_checkout
from tests.support.git import git

BEFORE, AFTER = "\ufeffx = 1\r\ny = 'é'\r\n", "\ufeffx = 2\r\ny = 'é'\r\n"
EDIT = SourceEdit(EditKind.CAST, 1, "cast x", BEFORE, AFTER)


@pytest.fixture
def loader(tmp_path: Path) -> Path:
    path = tmp_path / "loader.py"
    path.write_bytes(BEFORE.encode())
    path.chmod(0o750)
    return path


def test_there_and_back(loader: Path, tmp_path: Path) -> None:
    before = loader.read_bytes()
    edited = put(loader, EDIT, tmp_path / "state")
    assert loader.read_bytes() == AFTER.encode() and edited.original.read_bytes() == before
    assert loader.stat().st_mode & 0o777 == 0o750
    assert edited.is_in_force and edited_files(tmp_path / "state") == (edited,)
    take_back(edited)
    assert loader.read_bytes() == before and loader.stat().st_mode & 0o777 == 0o750
    assert edited_files(tmp_path / "state") == () and list((tmp_path / "state").iterdir()) == []
    assert sorted(tmp_path.iterdir()) == [loader, tmp_path / "state"]


def test_twice_is_once(loader: Path, tmp_path: Path) -> None:
    assert put(loader, EDIT, tmp_path / "state") == put(loader, EDIT, tmp_path / "state")
    (edited,) = edited_files(tmp_path / "state")
    take_back(edited)
    take_back(edited)
    assert loader.read_bytes() == BEFORE.encode()


def test_killed_between_keeping_and_writing(loader: Path, tmp_path: Path) -> None:
    edited = put(loader, EDIT, tmp_path / "state")
    loader.write_bytes(BEFORE.encode())
    assert not edited.is_in_force
    assert put(loader, EDIT, tmp_path / "state") == edited
    assert loader.read_bytes() == AFTER.encode()
    loader.write_bytes(BEFORE.encode())
    take_back(edited)
    assert loader.read_bytes() == BEFORE.encode() and edited_files(tmp_path / "state") == ()


def test_somebody_else_s_change_is_never_written_over(loader: Path, tmp_path: Path) -> None:
    edited = put(loader, EDIT, tmp_path / "state")
    loader.write_text("mine", encoding="utf-8")
    with pytest.raises(TTMatrixError, match="has changed since it was edited") as caught:
        take_back(edited)
    assert str(edited.original) in caught.value.hint
    with pytest.raises(TTMatrixError, match="has changed since the edit"):
        put(loader, EDIT, tmp_path / "state")
    assert loader.read_text(encoding="utf-8") == "mine" and edited.original.is_file()


def commit(loader: Path) -> None:
    git(loader.parent, "commit", "--quiet", "--all", "--message=theirs")


def test_an_edit_that_was_committed_stays(loader: Path, tmp_path: Path) -> None:
    own_checkout(tmp_path)
    edited = put(loader, EDIT, tmp_path / "state")
    before = edited.is_committed
    commit(loader)
    assert (before, edited.is_committed) == (False, True)
    take_back(edited)
    assert loader.read_bytes() == AFTER.encode()
    assert put(loader, EDIT, tmp_path / "state") == edited, "its session goes on with it"
    loader.write_text("mine, on top of it", encoding="utf-8")
    take_back(edited)
    assert loader.read_text(encoding="utf-8") == "mine, on top of it"


def test_a_file_that_was_committed_otherwise_has_no_edit_left(loader: Path, tmp_path: Path) -> None:
    own_checkout(tmp_path)
    edited = put(loader, EDIT, tmp_path / "state")
    loader.write_text("theirs", encoding="utf-8")
    with pytest.raises(TTMatrixError, match="has changed since it was edited"):
        take_back(edited)
    commit(loader)
    take_back(edited)
    assert loader.read_text(encoding="utf-8") == "theirs"
    assert edited_files(tmp_path / "state") == ()


def test_edits_that_build_on_each_other(loader: Path, tmp_path: Path) -> None:
    more = SourceEdit(EditKind.CAST, 2, "cast y", AFTER, AFTER + "z = 3\r\n")
    first, second = put(loader, EDIT, tmp_path / "state"), put(loader, more, tmp_path / "state")
    assert edited_files(tmp_path / "state") == (first, second)
    with pytest.raises(TTMatrixError):
        take_back(first)
    take_back(second)
    take_back(first)
    assert loader.read_bytes() == BEFORE.encode()


def test_the_same_edit_again_after_it_was_taken_back(loader: Path, tmp_path: Path) -> None:
    take_back(put(loader, EDIT, tmp_path / "state"))
    assert put(loader, EDIT, tmp_path / "state").is_in_force


def test_letting_it_stay(loader: Path, tmp_path: Path) -> None:
    forget(put(loader, EDIT, tmp_path / "state"))
    assert loader.read_bytes() == AFTER.encode() and edited_files(tmp_path / "state") == ()


def test_a_file_that_may_not_be_written(loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.base.files.replace.os.access", lambda path, mode: Path(path).name != "loader.py")
    with pytest.raises(TTMatrixError, match="Cannot write"):
        put(loader, EDIT, tmp_path / "state")
    assert loader.read_bytes() == BEFORE.encode()


@pytest.mark.parametrize("text", ["{", "{}", '{"path": "x", "edit": {"kind": "?"}}'])
def test_a_broken_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "000001.json").write_text(text, encoding="utf-8")
    with pytest.raises(TTMatrixError, match=r"Cannot read .*000001\.json"):
        edited_files(tmp_path)


def test_links_are_followed(loader: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(loader)
    edited: EditedFile = put(link, EDIT, tmp_path / "state")
    assert link.is_symlink() and edited.path == loader and edited.is_in_force
