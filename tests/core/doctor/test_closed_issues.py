# SPDX-License-Identifier: Apache-2.0
"""Failures that are expected because of issues, whatever is closed of these."""

from pathlib import Path

import pytest

from core.doctor import blames, closed_issue_findings, explanation, kinds
from core.issues import IssueState, State
from core.matrix import index
from core.matrix.cache import Cache
from tests.support.tree import INFERENCE, loader_source, write_checkout

A = "alpha/pytorch-a-single_device-inference"
ISSUE = "https://github.com/o/r/issues"
STATES = {
    "o/r#1": IssueState("o/r#1", State.CLOSED, "It hangs", "2026-04-03", "2026-05-01"),
    "o/r#2": IssueState("o/r#2", State.CLOSED, "It leaks", "2026-04-04", "2026-05-01"),
    "o/r#3": IssueState("o/r#3", State.OPEN, "It fails", "", "2026-05-01"),
    "o/r#4": IssueState("o/r#4", State.MISSING, "", "", "2026-05-01"),
}


def _said(tmp_path: Path, yaml: str = "", tests: str = "") -> list[tuple[str, int, str]]:
    checkout = write_checkout(
        tmp_path / "tree", {"alpha/pytorch": loader_source("a")}, {INFERENCE: f"test_config:\n{yaml}"}
    )
    if tests:
        file = checkout.root / "tests/torch/test_add.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"import pytest\n\n\n{tests}")
    found = blames(Cache(checkout, tmp_path / "cache"), index(checkout))
    return [(one.id, one.line, one.message) for one in closed_issue_findings(found, STATES)]


@pytest.mark.parametrize(
    ("status", "issues", "beginning"),
    [
        ("KNOWN_FAILURE_XFAIL", "1", "Expected to fail on n150, p150 because of o/r#1, closed on 2026-04-03"),
        ("NOT_SUPPORTED_SKIP", "1", "Skipped on n150, p150 because of o/r#1, closed on 2026-04-03"),
        ("KNOWN_FAILURE_XFAIL", "12", "Expected to fail on n150, p150 because of o/r#1, closed"),
        ("EXPECTED_PASSING", "1", None),
        ("KNOWN_FAILURE_XFAIL", "3", None),
        ("KNOWN_FAILURE_XFAIL", "13", None),
        ("KNOWN_FAILURE_XFAIL", "4", None),
        ("KNOWN_FAILURE_XFAIL", "9", None),
        ("KNOWN_FAILURE_XFAIL", "19", None),
        ("KNOWN_FAILURE_XFAIL", "", None),
    ],
)
def test_an_entry_whose_issues_are_all_closed(tmp_path: Path, status: str, issues: str, beginning: str | None) -> None:
    """9 was never looked up: nothing is said of it, nor of a reason that cites it beside a closed one."""
    reason = " ".join(f"{ISSUE}/{one}" for one in issues) or "none"
    found = _said(tmp_path, f"  {A}:\n    status: {status}\n    reason: Hangs {reason}\n")
    if beginning is None:
        assert found == []
    else:
        ((id, line, message),) = found
        assert (id, line) == (A, 4)
        assert message.startswith(beginning) and "(looked up on 2026-05-01)" in message


def test_each_arch_by_its_own_status_and_reason(tmp_path: Path) -> None:
    yaml = f"""\
  {A}:
    supported_archs: [n150, p150, n300-llmbox]
    status: EXPECTED_PASSING
    reason: was {ISSUE}/2
    arch_overrides:
      n150:
        status: KNOWN_FAILURE_XFAIL
        reason: x {ISSUE}/1
      p150:
        status: NOT_SUPPORTED_SKIP
      galaxy-bh:
        status: KNOWN_FAILURE_XFAIL
        reason: nobody reads this {ISSUE}/1
"""
    found = {line: message for _, line, message in _said(tmp_path, yaml)}
    assert found.keys() == {5, 9}
    assert found[5].startswith("Skipped on p150 because of o/r#2")
    assert found[9].startswith("Expected to fail on n150 because of o/r#1")


def test_marks_of_tests_by_hand(tmp_path: Path) -> None:
    tests = f"""\
@pytest.mark.xfail(reason="x {ISSUE}/1")
@pytest.mark.parametrize("a", [1, 2])
def test_a(a): ...


@pytest.mark.skip("{ISSUE}/2")
def test_b(): ...


@pytest.mark.xfail(reason="x {ISSUE}/3")
def test_c(): ...


@pytest.mark.skipif(True, reason="{ISSUE}/1")
def test_d(): ...
"""
    assert [message.partition(",")[0] for _, _, message in _said(tmp_path, tests=tests)] == [
        "test_a is expected to fail because of o/r#1",
        "test_b is skipped because of o/r#2",
    ]


@pytest.mark.parametrize("length", [960, 975, 990, 1200])
def test_half_an_address_is_no_other_issue(tmp_path: Path, length: int) -> None:
    reason = f"{'x' * length} {ISSUE}/12345"
    found = _said(tmp_path, tests=f'@pytest.mark.xfail(reason="{reason}")\ndef test_a(): ...\n')
    assert found == []


def test_it_is_explained() -> None:
    assert "closed-issue" in kinds()
    assert "--refresh" in explanation("closed-issue")
