# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.collection: which files are manifests, ids, variants, duplicates."""

import os
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.ops import Manifest, duplicates, find_files, read_files, rows

ONE = "cases:\n  - {name: a, op: torch.add}\n"


def _read(directory: Path, *, include_template: bool = False) -> tuple[Manifest, ...]:
    return read_files(find_files(directory, "ops", directory, include_template=include_template))


def test_files_in_order_and_templates_on_request(tmp_path: Path) -> None:
    for name in ("b.yaml", "a/z.yml", "template.yaml", "other_template.yaml", "c.txt", ".git/d.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ONE)
    assert [one.path for one in _read(tmp_path)] == ["ops/a/z.yml", "ops/b.yaml"]
    everything = [one.path for one in _read(tmp_path, include_template=True)]
    assert everything == ["ops/a/z.yml", "ops/b.yaml", "ops/other_template.yaml", "ops/template.yaml"]
    assert [file.name for file in find_files(tmp_path / "b.yaml", "b.yaml", tmp_path)] == ["b.yaml"]


def test_what_is_no_file_or_lies_outside_is_said(tmp_path: Path) -> None:
    inside = tmp_path / "ops"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text(ONE)
    (inside / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (inside / "dead.yaml").symlink_to(tmp_path / "nothing.yaml")
    (inside / "loop.yaml").symlink_to(inside / "loop.yaml")
    (inside / "directory.yaml").mkdir()
    (inside / "elsewhere").symlink_to(tmp_path)
    (inside / "good.yaml").write_text(ONE)
    (inside / "link.yaml").symlink_to(inside / "good.yaml")
    os.mkfifo(inside / "pipe.yaml")
    said = {one.path.partition("/")[2]: [problem.message for problem in one.problems] for one in _read(inside)}
    assert said["out.yaml"] == ["leads out of the directory that manifests may be read from"]
    assert said["directory.yaml"] == said["pipe.yaml"] == ["is not a regular file"]
    assert said["dead.yaml"] == ["cannot be read: No such file or directory"]
    assert len(said["loop.yaml"]) == 1
    assert said["good.yaml"] == said["link.yaml"] == []
    assert len(said) == 7


def test_variants_of_a_backend(tmp_path: Path) -> None:
    for name in ("gpt-oss", "gpt-oss-spyre", "gpt-oss_tt", "gpt", "gpt-oss_aot_eager", "gpt-oss-large"):
        (tmp_path / f"{name}.yaml").write_text(ONE)
    (tmp_path / "gpt-oss-mine.yaml").write_text(f"model: gpt-oss\n{ONE}")
    found = {one.path.partition("/")[2]: (one.backend, one.canonical.partition("/")[2]) for one in _read(tmp_path)}
    assert found == {
        "gpt-oss.yaml": ("", ""),
        "gpt.yaml": ("", ""),
        "gpt-oss-large.yaml": ("", ""),
        "gpt-oss-spyre.yaml": ("spyre", "gpt-oss.yaml"),
        "gpt-oss_tt.yaml": ("tt", "gpt-oss.yaml"),
        "gpt-oss_aot_eager.yaml": ("aot_eager", "gpt-oss.yaml"),
        "gpt-oss-mine.yaml": ("mine", "gpt-oss.yaml"),
    }


def test_ids_are_unique_and_duplicates_name_who_represents_them(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml", "c/a.yaml", "d/a.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"model: m\n{ONE}")
    found = rows(_read(tmp_path))
    assert [row.id for row in found] == ["m::a", "m::a::b.yaml", "m::a::a.yaml", "m::a::ops/d/a.yaml"]
    said = duplicates(found)
    assert [said[row.id].dup_of for row in found] == ["", "m::a", "m::a", "m::a"]
    # The representative is chosen among the selected cases.
    assert [one.dup_of for one in duplicates(found[1:]).values()] == ["", "m::a::b.yaml", "m::a::b.yaml"]
    assert {one.dup_of for one in duplicates(found, dedupe=False).values()} == {""}
    assert {one.key for one in duplicates(found, dedupe=False).values()} == {said["m::a"].key}


@pytest.mark.parametrize("variant", ["net-spyre.yaml", "net_spyre.yaml", "net-tt.yml"])
def test_the_permanent_file_has_the_ids_and_represents_equal_cases(tmp_path: Path, variant: str) -> None:
    for name in ("net.yaml", variant):
        (tmp_path / name).write_text(f"model: net\n{ONE}")
    found = rows(_read(tmp_path))
    assert [(row.id, row.manifest.backend != "") for row in found] == [("net::a", False), (f"net::a::{variant}", True)]
    assert [one.dup_of for one in duplicates(found).values()] == ["", "net::a"]
