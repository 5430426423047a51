# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reports.documents: which files, directories and archives are read, and which are refused."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.evidence.reports import Problem, documents as module, find_documents
from core.evidence.reports.documents import Document


def _archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def content(one: Document | Problem) -> bytes:
    assert isinstance(one, Document)
    return b"".join(one.chunks())


def _problem(path: Path) -> str:
    (one,) = find_documents([path])
    assert isinstance(one, Problem)
    return one.message


def damage(path: Path) -> str:
    """The reported damage of the only document in `path`."""
    for one in find_documents([path]):
        with pytest.raises(TTMatrixError) as caught:
            content(one)
        assert caught.value.detail.startswith(f"{path}")
    return caught.value.detail


def test_directories_are_walked_and_archives_looked_into(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.XML").write_text("1")
    (tmp_path / "a.xml").write_text("2")
    (tmp_path / "notes.txt").write_text("no")
    _archive(tmp_path / "z.zip", {"d/y.xml": b"3", "d/y.log": b"no"})
    found = [(one, content(one)) for one in find_documents([tmp_path, tmp_path])]
    assert [(one.source, data) for one, data in found if isinstance(one, Document)] == [
        (str(tmp_path / "a.xml"), b"2"),
        (f"{tmp_path / 'z.zip'}!d/y.xml", b"3"),
        (str(tmp_path / "b" / "x.XML"), b"1"),
    ]
    assert isinstance(packed := found[1][0], Document)
    assert packed.parts[-3:] == ("z.zip", "d", "y.xml")


def test_a_file_that_is_asked_for_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("1")
    (one,) = find_documents([tmp_path / "report"])
    assert isinstance(one, Document) and one.alone
    _archive(tmp_path / "artefact", {"x.xml": b"2"})
    for one in find_documents([tmp_path / "artefact"]):
        assert isinstance(one, Document) and content(one) == b"2" and not one.alone


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no"):
        list(find_documents([tmp_path / "gone"]))


@pytest.mark.parametrize("name", ["../../etc/x.xml", "/etc/x.xml", "a/../../x.xml", "..\\x.xml"])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    assert "leads out" in _problem(_archive(tmp_path / "a.zip", {name: b"x"}))


def test_links_lead_nowhere(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("x.xml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "leads out" in _problem(tmp_path / "a.zip")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x.xml").symlink_to("/etc/passwd")
    (tmp_path / "d" / "up").symlink_to(tmp_path)
    assert list(find_documents([tmp_path / "d"])) == []


def test_a_bomb_is_refused_with_its_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = _archive(tmp_path / "a.zip", {"x.xml": b"a" * 5_000_000})
    assert "claim to unpack to 5,000,000" in _problem(packed)
    monkeypatch.setattr(module, "MEMBER_BYTES", 1000)
    assert "5,000,000 bytes; at most 1,000" in _problem(packed)
    monkeypatch.setattr(module, "ARCHIVE_BYTES", 1000)
    assert "5,000,000 bytes; at most 1,000" in _problem(packed)
    monkeypatch.setattr(module, "ARCHIVE_MEMBERS", 0)
    assert "1 file; at most 0" in _problem(packed)


def test_a_size_that_is_a_lie_gains_nothing(tmp_path: Path) -> None:
    data = os.urandom(20_000)
    packed = _archive(tmp_path / "a.zip", {"x.xml": data})
    raw = packed.read_bytes()
    lie = raw.replace((20_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != raw
    packed.write_bytes(lie)
    assert "cannot be read: " in damage(packed)


def test_a_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MEMBER_BYTES", 3)
    (tmp_path / "x.xml").write_text("abcd")
    assert "4 bytes; at most 3" in _problem(tmp_path / "x.xml")


def test_damaged_archives_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and no more")
    assert "not a readable archive" in _problem(tmp_path / "a.zip")
    packed = _archive(tmp_path / "b.zip", {"x.xml": os.urandom(500)})
    raw = bytearray(packed.read_bytes())
    raw[100] ^= 255
    packed.write_bytes(raw)
    assert "cannot be read: " in damage(packed)


def test_a_file_that_goes_or_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.xml"
    file.write_text("1")
    (one,) = find_documents([file])
    monkeypatch.setattr(module, "MEMBER_BYTES", 3)
    file.write_text("abcd")
    with pytest.raises(TTMatrixError, match="grown beyond 3 bytes"):
        content(one)
    file.unlink()
    with pytest.raises(TTMatrixError, match="cannot be read"):
        content(one)


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.xml", b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x.xml", b"2")
    assert "same name" in _problem(tmp_path / "a.zip")


def test_an_archive_within_an_archive_is_reported(tmp_path: Path) -> None:
    assert "within an archive" in _problem(_archive(tmp_path / "a.zip", {"b.zip": b"x"}))


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.xml")
    assert list(find_documents([tmp_path])) == []
    assert "not a regular file" in _problem(tmp_path / "x.xml")
