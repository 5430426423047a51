# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.artefacts: saved files, and patterns that are checked or reported as unchecked."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
artefacts: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.artefacts")
execute: Any = importlib.import_module("core.payload.ttmatrix_payload.execute")

FILECHECK = """#!/bin/sh
grep -q -f "$1" "$3" || { echo "expected string not found in input" >&2; exit 1; }
"""


class Lowering(execute.choose_backend("eager").__class__):  # type: ignore[misc]
    """Keeps whatever it is given."""

    def stablehlo(self, tensors: Any) -> str:
        return "".join(tensors)


@pytest.fixture
def pattern(tmp_path: Path) -> Path:
    (tmp_path / "patterns").mkdir()
    path = tmp_path / "patterns/add.stablehlo.mlir"
    path.write_text("stablehlo.add\n")
    return path


def kept(tmp_path: Path, *patterns: Path, text: str = "stablehlo.add %0") -> Any:
    settings = execute.Settings(serialize_to=tmp_path / "ir", filechecks=patterns)
    one = artefacts.Artefacts(settings, Lowering())
    one.save("forward", [text])
    return one


def test_nothing_is_stored_unasked(tmp_path: Path, pattern: Path) -> None:
    one = artefacts.Artefacts(execute.Settings(filechecks=(pattern,)), Lowering())
    one.save("forward", ["text"])
    assert [found.message for found in one.check()] == ["the backend eager wrote no stablehlo"]
    assert sorted(tmp_path.iterdir()) == [pattern.parent]


def test_programs_and_options_are_stored_once(tmp_path: Path) -> None:
    one = kept(tmp_path)
    one.save("forward", ["a later run"])
    one.check()
    assert (tmp_path / "ir/forward.stablehlo.mlir").read_text() == "stablehlo.add %0"
    told = json.loads((tmp_path / "ir/compile_options.json").read_text())
    assert told == {"backend": "eager", "device": "CPU", "options": {}}


@pytest.mark.parametrize(
    ("text", "passed", "message"),
    [("stablehlo.add", True, None), ("stablehlo.dot", False, "expected string not found")],
)
def test_patterns_are_run(
    tmp_path: Path, pattern: Path, monkeypatch: pytest.MonkeyPatch, text: str, passed: bool, message: str | None
) -> None:
    tool = tmp_path / "bin/FileCheck"
    tool.parent.mkdir()
    tool.write_text(FILECHECK)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    (found,) = kept(tmp_path, pattern, text=text).check()
    assert (found.pattern, found.passed) == ("add.stablehlo", passed)
    assert found.message is None if message is None else message in found.message


def test_what_is_not_checked_says_why_and_a_missing_pattern_has_failed(
    tmp_path: Path, pattern: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(artefacts, "find_filecheck", lambda path: None)
    ttnn = pattern.with_name("add.ttnn.mlir")
    ttnn.touch()
    absent = pattern.with_name("absent.ttnn.mlir")
    found = kept(tmp_path, pattern, ttnn, absent).check()
    assert [one.passed for one in found] == [None, None, False]
    assert [one.message for one in found] == [
        "LLVM's FileCheck is not installed: apt install llvm",
        "the backend eager wrote no ttnn",
        f"there is no {absent}",
    ]
