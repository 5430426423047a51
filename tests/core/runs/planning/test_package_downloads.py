# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.package_downloads: what pip says, asked once; lines of requirements where it does not."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult
from core.runs.planning import Download, downloads_of_packages
from core.runs.planning.downloads import Kind

PYTHON = Path(sys.executable)


class Interpreter:
    """Answers as the script does, for each directory the same."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[list[str]] = []

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout: float | None = None,
    ) -> CommandResult:
        _, script, _seconds, _pip, *places = argv
        assert Path(script).is_file()
        self.asked.append(places)
        if self.answer is None:
            raise TTMatrixError("It took too long")
        return CommandResult(
            tuple(argv), 0, f"TTMATRIX-PACKAGES {json.dumps(dict.fromkeys(places, self.answer))}\n", ""
        )


def test_what_pip_says_of_all_in_one_call_and_once(tmp_path: Path) -> None:
    said = Interpreter([["timm==1.0", "https://there/timm.whl"], ["git+https://it", ""]])
    lacking = {tmp_path / "a": ["timm"], tmp_path / "b": ["timm"], tmp_path / "none": []}
    for _ in range(2):
        found = downloads_of_packages(PYTHON, lacking, tmp_path, said)
        assert found == [Download(Kind.PACKAGE, "timm==1.0"), Download(Kind.PACKAGE, "git+https://it")]
        assert [one.address for one in found] == ["https://there/timm.whl", ""]
    assert said.asked == [[str(tmp_path / "a"), str(tmp_path / "b")]]


@pytest.mark.parametrize("answer", [None, [], "what", [["timm"]]])
def test_lines_where_pip_does_not_say(tmp_path: Path, answer: object) -> None:
    found = downloads_of_packages(PYTHON, {tmp_path: ["timm>=1", "--no-index"]}, tmp_path, Interpreter(answer))
    assert found == [Download(Kind.PACKAGE, "timm>=1")]


def test_pip_is_not_asked_for_more_than_it_can_resolve(tmp_path: Path) -> None:
    said = Interpreter([["timm==1.0", ""]])
    lacking = {tmp_path / f"{number}": [f"a{number}"] for number in range(9)}
    assert [one.name for one in downloads_of_packages(PYTHON, lacking, tmp_path, said)] == [f"a{n}" for n in range(9)]
    assert said.asked == []
