# SPDX-License-Identifier: Apache-2.0
"""core.evidence.location: each checkout has a file of its own, and more evidence is another stamp."""

from pathlib import Path

from core.evidence.location import evidence_stamp, store_file


def test_each_checkout_has_a_file_of_its_own_however_it_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    (tmp_path / "link").symlink_to(one)
    assert store_file(tmp_path, one) == store_file(tmp_path, tmp_path / "link")
    assert store_file(tmp_path, one) != store_file(tmp_path, other)


def test_what_is_ingested_is_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    nothing = evidence_stamp(file, [])
    file.write_bytes(b"1")
    assert evidence_stamp(file, []) != nothing
    assert evidence_stamp(file, []) == evidence_stamp(file, [])
