# SPDX-License-Identifier: Apache-2.0
"""The repository: paths, blobs to the byte, and the lock of the index."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.edits.commit import Repository
from core.sources import Blob, Checkout
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


def test_what_is_no_text_is_reported(repository: Repository) -> None:
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


def test_gits_own_words(repository: Repository) -> None:
    with pytest.raises(TTMatrixError, match="git cat-file failed") as caught:
        repository.git("cat-file", "blob", "0" * 40)
    assert "0" * 40 in caught.value.detail
