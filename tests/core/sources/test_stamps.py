# SPDX-License-Identifier: Apache-2.0
"""A change shows in the stamps, and recent changes are not trusted."""

import os
import time
from pathlib import Path

from core.sources import all_unchanged, directories_below, files_below, stamp_of, stamps_of, undisturbed
from core.sources.stamps import NEVER

_LATER = 10_000_000_000


def _settled(*paths: Path) -> dict[str, tuple[int, int, int, int] | None]:
    return stamps_of(map(str, paths), time.time_ns() + _LATER)


def test_an_untouched_file_keeps_its_stamp(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    stamps = _settled(file, tmp_path, tmp_path / "absent")
    assert all_unchanged(stamps)
    assert stamps[str(tmp_path / "absent")] is None


def test_same_size_and_time_but_another_content_shows(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    stamps, before = _settled(file), file.stat()
    file.write_text("2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not all_unchanged(stamps)


def test_coming_and_going_shows(tmp_path: Path) -> None:
    absent = _settled(tmp_path / "a")
    (tmp_path / "a").write_text("")
    assert not all_unchanged(absent)
    present = _settled(tmp_path / "a")
    (tmp_path / "a").unlink()
    assert not all_unchanged(present)


def test_a_new_file_shows_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    directories = list(directories_below(tmp_path))
    assert directories == [str(tmp_path), str(tmp_path / "a"), str(tmp_path / "a" / "b")]
    stamps = _settled(*map(Path, directories))
    (tmp_path / "a" / "b" / "new").write_text("")
    assert not all_unchanged(stamps)


def test_files_below(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("")
    (tmp_path / "a" / "c.txt").write_text("")
    assert set(files_below(tmp_path, ".py")) == {str(tmp_path), str(tmp_path / "a"), str(tmp_path / "a" / "b.py")}


def test_what_changed_just_now_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    stamps = stamps_of([str(tmp_path / "a")])
    assert stamps[str(tmp_path / "a")] == NEVER != stamp_of(tmp_path / "a")
    assert not all_unchanged(stamps)


def test_what_nobody_else_writes_counts_at_once(tmp_path: Path) -> None:
    for name in ("own", "own2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("1")
    with undisturbed(tmp_path / "own"):
        stamps = stamps_of([str(tmp_path / "own"), str(tmp_path / "own" / "a"), str(tmp_path / "own2" / "a")])
    assert [stamp == NEVER for stamp in stamps.values()] == [False, False, True]
    assert stamps_of([str(tmp_path / "own" / "a")]) == {str(tmp_path / "own" / "a"): NEVER}
