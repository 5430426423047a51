# SPDX-License-Identifier: Apache-2.0
"""FileCheck itself, if installed: which line matched, which failed and why; found by name and by version."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.payload.ttmatrix_payload.execute import filecheck
from core.runs import CheckedLine, check_pattern, find_tool, first_pattern
from core.runs.filecheck import Tool
from core.runs.spec import run_id
from core.sources import Checkout
from tests.support.cli import call

PROGRAM = """module @main {
  %0 = "ttnn.conv2d"(%arg0) : tensor<1xf32> loc("model.py":3:4)
  %1 = "ttnn.relu"(%0) : tensor<1xf32> loc(#loc2)
  return %1
}
"""
_FOUND = filecheck.find_filecheck(os.environ.get("PATH", os.defpath))
installed = pytest.mark.skipif(_FOUND is None, reason="LLVM's FileCheck is not installed (Debian package llvm)")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "model_ttnn.mlir"
    file.write_text(PROGRAM)
    return file


def pattern(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "fused.ttnn.mlir"
    file.write_text(text)
    return file


@installed
def test_a_pattern_that_matches_says_where(tmp_path: Path, program: Path) -> None:
    result = check_pattern(find_tool(), pattern(tmp_path, '// CHECK: "ttnn.conv2d"\n// CHECK-NEXT: relu\n'), program)
    found = "expected string found in input"
    assert result.passed
    assert result.lines == (CheckedLine(1, "CHECK", True, 2, found), CheckedLine(2, "CHECK-NEXT", True, 3, found))


@installed
def test_a_pattern_that_fails_says_which_line_and_why(tmp_path: Path, program: Path) -> None:
    text = '// CHECK: "ttnn.conv2d"\n// CHECK-NEXT: "ttnn.gelu"\n'
    result = check_pattern(find_tool(), pattern(tmp_path, text), program)
    assert not result.passed
    assert (result.lines[0].matched, result.lines[0].at) == (True, 2)
    assert (result.lines[1].line, result.lines[1].matched, result.lines[1].at) == (2, False, 2)
    assert "expected string not found" in result.lines[1].why
    excluded = check_pattern(find_tool(), pattern(tmp_path, "// CHECK: conv2d\n// CHECK-NOT: relu\n"), program)
    assert not excluded.passed
    (line,) = [one for one in excluded.lines if not one.matched]
    assert (line.directive, line.at) == ("CHECK-NOT", 3)


@installed
def test_a_file_without_checks_says_so(tmp_path: Path, program: Path) -> None:
    result = check_pattern(find_tool(), pattern(tmp_path, "nothing\n"), program)
    assert (result.passed, result.lines) == (False, ())
    assert "no check strings found" in result.message


@installed
def test_a_first_pattern_passes_on_its_own_program_and_on_other_names(tmp_path: Path, program: Path) -> None:
    text = first_pattern(PROGRAM.splitlines()[1:3])
    assert text.splitlines()[0].startswith('// CHECK: {{%[A-Za-z0-9_.#-]+}} = "ttnn.conv2d"(')
    assert "loc(" not in text
    assert check_pattern(find_tool(), pattern(tmp_path, text), program).passed
    program.write_text(PROGRAM.replace("%0", "%17").replace("model.py", "other.py"))
    assert check_pattern(find_tool(), pattern(tmp_path, text), program).passed
    program.write_text(PROGRAM.replace("relu", "gelu"))
    assert not check_pattern(find_tool(), pattern(tmp_path, text), program).passed


def test_a_file_that_is_not_there_is_named(tmp_path: Path, program: Path) -> None:
    with pytest.raises(TTMatrixError, match="absent"):
        check_pattern(Tool(Path("FileCheck"), ""), tmp_path / "absent", program)


def test_the_plain_name_comes_first_then_the_newest_version(tmp_path: Path) -> None:
    def put(name: str) -> str:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o755)
        return str(file)

    path, llvm = str(tmp_path / "bin"), tmp_path / "lib"
    assert filecheck.find_filecheck(path, llvm) is None
    names = ("lib/llvm-9/bin/FileCheck", "lib/llvm-19/bin/FileCheck", "bin/FileCheck-14", "bin/FileCheck-9")
    made = [put(name) for name in names[:2]]
    assert filecheck.find_filecheck(path, llvm) == made[1]
    made = [put(name) for name in names[2:]]
    assert filecheck.find_filecheck(path, llvm) == made[0]
    assert put("bin/FileCheck") == filecheck.find_filecheck(path, llvm)


def test_where_there_is_none_the_package_is_named() -> None:
    with pytest.raises(TTMatrixError) as caught:
        find_tool({"PATH": "/nowhere"}, Path("/nowhere"))
    assert "apt install llvm" in str(caught.value)


@installed
def test_the_command_tries_a_pattern_without_a_run(runnable: Checkout, tmp_path: Path, program: Path) -> None:
    file = pattern(tmp_path, "// CHECK: conv2d\n// CHECK: gelu\n")
    called = call("filecheck", file, program, "--repo", runnable.root)
    assert called.code == 1
    assert [line.split()[:2] for line in called.out.splitlines()[1:]] == [["1", "ok"], ["2", "failed"]]
    said = call("filecheck", file, program, "--json", "--repo", runnable.root).json
    assert (said["passed"], [one["matched"] for one in said["lines"]]) == (False, [True, False])
    first = tmp_path / "first.ttnn.mlir"
    assert call("filecheck", first, program, "--first", "2-3", "--repo", runnable.root).code == 0
    assert call("filecheck", first, program, "--repo", runnable.root).code == 0
    assert call("filecheck", first, program, "--first", "2", "--repo", runnable.root).code == 64


def test_a_run_that_is_not_there_is_named(runnable: Checkout, tmp_path: Path, own_home: Path) -> None:
    name = run_id(datetime(2026, 11, 21, tzinfo=UTC), "ab12cd")
    called = call("filecheck", pattern(tmp_path, "// CHECK: a\n"), name, "--repo", runnable.root)
    assert called.code == 64
    assert f"No run {name}" in called.err
