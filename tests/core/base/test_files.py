# SPDX-License-Identifier: Apache-2.0
"""Files are replaced whole or not at all, and keep what they are."""

import errno
import os
import stat
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.files import atomic_write, drop_leftovers, read_text, replaced, stamp


def test_line_ends_and_byte_order_mark_survive(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    text = "\ufeffa: 1\r\nb: 2"
    atomic_write(path, text)
    assert read_text(path) == text


def test_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    atomic_write(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    directory = tmp_path / "open"
    directory.mkdir()
    plain, written = directory / "plain", directory / "written"
    plain.write_text("")
    atomic_write(written, "")
    assert written.stat().st_mode == plain.stat().st_mode


def test_a_new_file_is_no_more_open_than_its_directory(tmp_path: Path) -> None:
    for bits, wanted in ((0o700, 0o600), (0o750, 0o640)):
        (tmp_path / f"{bits:o}").mkdir(mode=bits)
        atomic_write(tmp_path / f"{bits:o}" / "file", "")
        assert stat.S_IMODE((tmp_path / f"{bits:o}" / "file").stat().st_mode) == wanted & ~_umask()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    atomic_write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TTMatrixError, match="Cannot write") as caught:
        atomic_write(path, "new")
    assert "No space left" in caught.value.detail
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]
    assert path.read_text() == "old"


def test_not_utf8_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ok\xff")
    with pytest.raises(TTMatrixError) as caught:
        read_text(path)
    assert "byte 2" in caught.value.detail


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="Cannot read"):
        read_text(tmp_path / "absent")


def test_stamp_tells_a_replaced_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("1")
    before = stamp(path)
    assert stamp(path) == before
    atomic_write(path, "1")
    os.utime(path, ns=(before.mtime_ns, before.mtime_ns))
    assert stamp(path) != before


def test_what_a_killed_write_left_behind_goes(tmp_path: Path) -> None:
    path = tmp_path / "a[1].yaml"
    kept = [path, tmp_path / ".a[1].yaml.swp", tmp_path / ".a1.yaml.x.tmp"]
    for one in (*kept, tmp_path / ".a[1].yaml.abc.tmp"):
        one.write_text("")
    drop_leftovers(path)
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(TTMatrixError, match="Cannot write") as caught:
        atomic_write(path, "new")
    assert caught.value.detail == "Permission denied"
    assert path.read_text() == "old"


@pytest.mark.parametrize("there", [True, False])
def test_a_directory_that_cannot_be_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    path = tmp_path / "a"
    if there:
        path.write_text("old")
    sync = os.fsync

    def failing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(TTMatrixError, match="Cannot write") as caught:
        atomic_write(path, "new")
    assert (caught.value.detail, caught.value.hint) == ("Input/output error", "The file is as it was before.")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == ({"a": "old"} if there else {})


def test_a_file_system_that_syncs_no_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refusing)
    atomic_write(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"


def test_where_files_have_one_name_a_copy_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(source: Path, name: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refusing)
    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyError), replaced({tmp_path / "a": "new", tmp_path / "b": "new"}):
        assert (tmp_path / "a").read_text() == "new"
        raise KeyError
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"a": "old"}
