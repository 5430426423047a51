# SPDX-License-Identifier: Apache-2.0
"""A cached value comes back unchanged, or not at all."""

import re
from pathlib import Path

import pytest

import core
from core.domain.model import Finding
from core.matrix import Late, cache_file as kept, load, store
from core.matrix.cache_file import dumps, loads


def test_round_trip(tmp_path: Path) -> None:
    value = {"a": (Finding("kind", "message", "file", 1),), "b": b"\x00"}
    store(tmp_path / "new" / "file", value)
    assert load(tmp_path / "new" / "file") == value
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_missing_damaged_or_foreign_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    assert load(file) is None
    store(file, [1])
    whole = file.read_bytes()
    for data in (b"", whole[:10], whole[:-1], whole[:32] + b"garbage"):
        file.write_bytes(data)
        assert load(file) is None
    file.write_bytes(whole)
    assert load(file) == [1]
    monkeypatch.setattr("sys.version", "another")
    assert load(file) is None


def test_the_code_of_a_process_is_that_of_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path / "file", [1])
    monkeypatch.setattr(kept, "files_below", lambda *_: pytest.fail("its files may have changed since"))
    assert load(tmp_path / "file") == [1]


def test_code_of_every_package_that_caches_voids_what_it_cached() -> None:
    own = Path(core.__file__).parent
    users = {
        file.relative_to(own).parts[0]
        for file in own.rglob("*.py")
        if re.search(r"^\s*from core\.matrix\.cache import .*\bCache\b", file.read_text(), re.MULTILINE)
    }
    assert len(users) > 3 and users - {"cli", "workspace"} <= set(kept.MAKERS), "these two hand the cache on"


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_is_not_trusted(tmp_path: Path, mode: int) -> None:
    store(tmp_path / "file", [1])
    (tmp_path / "file").chmod(mode)
    assert load(tmp_path / "file") is None


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store(tmp_path / "file" / "below", [1])


def test_what_was_made_of_a_file_that_changed_is_not_loaded(tmp_path: Path) -> None:
    source, file = tmp_path / "source", tmp_path / "file"
    stamps = {str(source): None}
    store(file, [1], stamps)
    assert load(file) == [1]
    source.write_text("")
    assert load(file) is None


def test_a_late_part_is_loaded_when_it_is_asked_for_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = {"a": (Finding("kind", "message", "file", 1),)}
    store(tmp_path / "file", ["first", Late(part)])
    loaded: list[bytes] = []

    def counted(data: bytes) -> object:
        loaded.append(data)
        return loads(data)

    monkeypatch.setattr(kept, "loads", counted)
    whole = load(tmp_path / "file")
    assert isinstance(whole, list)
    first, late = whole
    assert (first, loaded) == ("first", [])
    again = loads(dumps(late))
    assert loaded == [], "what nobody has asked for is passed on as it is"
    assert late.get() == part
    assert late.get() is late.get()
    assert again.get() == part
    assert len(loaded) == 2


def test_a_damaged_late_part_makes_the_whole_thing_void(tmp_path: Path) -> None:
    store(tmp_path / "file", Late(["some text"]))
    data = (tmp_path / "file").read_bytes()
    assert data.count(b"some text") == 1
    (tmp_path / "file").write_bytes(data.replace(b"some text", b"same text"))
    assert load(tmp_path / "file") is None
