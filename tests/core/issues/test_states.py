# SPDX-License-Identifier: Apache-2.0
"""core.issues: the known states of issues, and how they are requested."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult
from core.issues import IssueState, State, ask, read_states

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class Gh:
    """Answers for `gh`, by issue number; records the requests."""

    def __init__(self, answers: Mapping[str, tuple[int, str, str]]) -> None:
        self.answers = answers
        self.asked: list[Sequence[str]] = []

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout: float | None = None,
    ) -> CommandResult:
        self.asked.append(argv)
        return CommandResult(tuple(argv), *self.answers[argv[3]])


@pytest.fixture(autouse=True)
def gh_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = tmp_path / "bin" / "gh"
    binary.parent.mkdir()
    binary.write_text("#!/bin/sh\nexit 1\n")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(binary.parent))


def test_what_gh_says_is_cached(tmp_path: Path) -> None:
    file = tmp_path / "state" / "issues.json"
    told = {"state": "CLOSED", "title": "It\x1b[31m is", "closedAt": "2026-04-03T01:02:03Z"}
    gh = Gh(
        {
            "1": (0, json.dumps(told), ""),
            "2": (1, "", "GraphQL: Could not resolve to an issue or pull request with the number of 2."),
        }
    )
    states = ask(file, ["o/r#1", "o/r#2"], root=tmp_path, now=NOW, runner=gh)
    assert states["o/r#1"] == IssueState("o/r#1", State.CLOSED, "It\x1b[31m is", "2026-04-03", "2026-05-01")
    assert states["o/r#2"].state is State.MISSING
    assert read_states(file) == states
    assert gh.asked[0] == ["gh", "issue", "view", "1", "--repo=o/r", "--json", "state,title,closedAt"]


def test_only_what_may_have_changed_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "issues.json"
    told = {"1": "OPEN", "2": "CLOSED"}
    gh = Gh({one: (0, json.dumps({"state": state, "title": "t", "closedAt": None}), "") for one, state in told.items()})
    for days, asked in ((0, ["1", "2"]), (0, []), (1, ["1"]), (7, ["1", "2"])):
        gh.asked.clear()
        ask(file, ["o/r#1", "o/r#2"], root=tmp_path, now=NOW + timedelta(days=days), runner=gh)
        assert [words[3] for words in gh.asked] == asked, days


def test_what_was_said_before_a_failure_stays(tmp_path: Path) -> None:
    file = tmp_path / "issues.json"
    gh = Gh({"1": (0, '{"state": "OPEN", "title": "t", "closedAt": null}', ""), "2": (4, "", "not logged in")})
    with pytest.raises(TTMatrixError, match="gh cannot read"):
        ask(file, ["o/r#1", "o/r#2"], root=tmp_path, now=NOW, runner=gh)
    assert read_states(file)["o/r#1"].state is State.OPEN


@pytest.mark.parametrize("said", ["nonsense", "[]", '{"state": "HALF", "title": ""}', "{}"])
def test_an_answer_that_is_none(tmp_path: Path, said: str) -> None:
    with pytest.raises(TTMatrixError, match="cannot be read"):
        ask(tmp_path / "issues.json", ["o/r#1"], root=tmp_path, runner=Gh({"1": (0, said, "")}))


def test_without_gh_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TTMatrixError, match="not installed"):
        ask(tmp_path / "issues.json", ["o/r#1"], root=tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '[{"issue": "a", "state": "half"}]', '[{"state": "open", "more": 1}]']
)
def test_a_damaged_file_knows_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "issues.json"
    assert read_states(file) == {}
    file.write_text(text)
    assert read_states(file) == {}
