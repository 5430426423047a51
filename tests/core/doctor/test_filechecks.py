# SPDX-License-Identifier: Apache-2.0
"""FileCheck patterns that are named but do not exist."""

from pathlib import Path

import pytest

from core.doctor.reading import MISSING_FILECHECK, UNUSED_FILECHECK
from tests.support.findings import Find

ID = "alpha/pytorch-tiny-single_device-inference"


@pytest.fixture(autouse=True)
def patterns(tmp_path: Path) -> None:
    (tmp_path / "tests" / "filecheck").mkdir(parents=True)
    (tmp_path / "tests" / "filecheck" / "add.ttnn.mlir").write_text("// CHECK")


def test_each_missing_file_is_a_finding_at_its_item(find: Find) -> None:
    yaml = (
        f"  {ID}:\n    status: EXPECTED_PASSING\n    filechecks:\n      - add.ttnn.mlir\n      - adds.ttnn.mlir\n"
        "    arch_overrides:\n      n150:\n        filechecks: [elsewhere]\n"
    )
    found = find(MISSING_FILECHECK, yaml)
    assert [(one.line, one.column) for one in found] == [(6, 9), (9, 22)]
    assert found[0].message == "There is no file tests/filecheck/adds.ttnn.mlir; closest: add.ttnn.mlir"


@pytest.mark.parametrize("value", ["[add.ttnn.mlir]", "[]", "null"])
def test_what_is_there_is_no_finding(find: Find, value: str) -> None:
    assert find(MISSING_FILECHECK, f"  {ID}:\n    status: EXPECTED_PASSING\n    filechecks: {value}\n") == []


def test_without_the_directory_every_file_is_missing(find: Find, tmp_path: Path) -> None:
    (tmp_path / "tests" / "filecheck" / "add.ttnn.mlir").unlink()
    (tmp_path / "tests" / "filecheck").rmdir()
    assert len(find(MISSING_FILECHECK, f"  {ID}:\n    status: UNSPECIFIED\n    filechecks: [add.ttnn.mlir]\n")) == 1


def test_a_pattern_that_nothing_names_is_a_finding(find: Find, tmp_path: Path) -> None:
    yaml = f"  {ID}:\n    status: EXPECTED_PASSING\n    filechecks: [add.ttnn.mlir]\n"
    assert find(UNUSED_FILECHECK, yaml) == []
    (tmp_path / "tests/filecheck/mul.ttnn.mlir").write_text("// CHECK")
    (tmp_path / "tests/filecheck/notes.md").write_text("")
    (one,) = find(UNUSED_FILECHECK, yaml)
    assert (one.file, one.id) == ("tests/filecheck/mul.ttnn.mlir", "")
    (tmp_path / "tests/torch").mkdir()
    (tmp_path / "tests/torch/test_mul.py").write_text(
        "@pytest.mark.filecheck(['mul.ttnn.mlir'])\ndef test_mul(): ...\n"
    )
    assert find(UNUSED_FILECHECK, yaml) == []
