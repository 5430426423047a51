# SPDX-License-Identifier: Apache-2.0
"""The repository: paths, blobs to the byte, and the lock of the index."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from core.edits.git import Blob, Repository
from core.errors import TTMatrixError
from core.proc import own_identity, this_host
from core.sources.checkout import Checkout
from tests.support.git import committed_checkout, git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "[a] b.txt").write_bytes(b"one\r\ntwo")
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "link").symlink_to("latin")
    return Repository(committed_checkout(Checkout(tmp_path)).root)


def test_texts_come_and_go_to_the_byte(repository: Repository) -> None:
    name = "[a] b.txt"
    blobs = repository.committed(repository.head(), [name, "link", "absent"])
    assert list(blobs) == [name]
    assert repository.text(name, blobs[name]) == "one\r\ntwo"
    assert repository.store("one\r\ntwo") == blobs[name].hash
    assert repository.staged([name]) == blobs


@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_files_that_say_what_the_commit_says(tmp_path: Path, format: str) -> None:
    git(tmp_path, "init", "--quiet", f"--object-format={format}")
    texts = {"same": b"a\n", "ends": b"a\nb\n", "other": b"a", "gone": b"a"}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    repository = Repository(committed_checkout(Checkout(tmp_path)).root)
    (tmp_path / "ends").write_bytes(b"a\r\nb\r\n")
    (tmp_path / "other").write_bytes(b"b")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_bytes(b"a\n")
    (tmp_path / "directory").mkdir()
    assert repository.as_committed([*texts, "new", "never", "directory"]) == ("same", "ends", "never")


def test_what_is_no_text_is_told(repository: Repository) -> None:
    (blob,) = repository.committed(repository.head(), ["latin"]).values()
    with pytest.raises(TTMatrixError, match="latin is not UTF-8"):
        repository.text("latin", blob)


def test_an_entry_goes_into_the_index_that_is_named(repository: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other-index"
    before = repository.index.read_bytes()
    repository.put(other, {"new": Blob("100644", repository.store("x"))})
    assert repository.index.read_bytes() == before
    listed = repository.git("ls-files", env={"GIT_INDEX_FILE": str(other)}).stdout
    assert listed == "new\n"


def test_while_the_index_is_locked_git_changes_nothing(repository: Repository) -> None:
    (repository.root / "more").write_text("x")
    with repository.index_locked():
        assert repository.try_git("add", "more").returncode != 0
        with pytest.raises(TTMatrixError, match="Another git is at work"), repository.index_locked():
            pass
    repository.git("add", "more")


def test_a_lock_of_ours_that_nobody_holds_any_more_is_taken_over(repository: Repository) -> None:
    lock = repository.index.with_name("index.lock")
    mine = asdict(own_identity())
    gone = {"pid": 2**22 + 1, "start_time": 1.0}
    for owner, free in (
        ({**gone, "host": this_host()}, True),
        ({**gone, "host": "elsewhere"}, False),
        ({**mine, "host": this_host()}, False),
    ):
        lock.write_text(json.dumps({"ttmatrix": owner}))
        if free:
            with repository.index_locked():
                pass
            assert not lock.exists()
        else:
            with pytest.raises(TTMatrixError, match="Another git"), repository.index_locked():
                pass
    lock.write_text("")
    with pytest.raises(TTMatrixError, match="Another git"), repository.index_locked():
        pass


def test_gits_own_words(repository: Repository) -> None:
    with pytest.raises(TTMatrixError, match="git cat-file failed") as caught:
        repository.git("cat-file", "blob", "0" * 40)
    assert "0" * 40 in caught.value.detail
