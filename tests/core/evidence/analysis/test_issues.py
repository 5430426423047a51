# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.issues: which entries cite an issue, and what its state suggests."""

from pathlib import Path

from core.evidence.analysis import Advice, citations, issue_advice
from core.evidence.verdicts import Verdict
from core.issues import IssueState, State
from core.matrix import index
from tests.support.tree import INFERENCE, loader_source, write_checkout

A, B = (f"alpha/pytorch-{name}-single_device-inference" for name in "ab")


def test_who_cites_what(tmp_path: Path) -> None:
    yaml = f"""\
test_config:
  {A}:
    status: KNOWN_FAILURE_XFAIL
    reason: "x https://github.com/o/r/issues/1 and https://github.com/o/r/issues/2"
  {B}:
    status: KNOWN_FAILURE_XFAIL
    arch_overrides:
      n150:
        reason: "x - https://github.com/o/r/issues/2"
      galaxy-bh:
        reason: "nobody reads this https://github.com/o/r/issues/3"
"""
    matrix = index(write_checkout(tmp_path / "tree", {"alpha/pytorch": loader_source("ab")}, {INFERENCE: yaml}))
    second, first = citations(matrix, {"o/r#1": IssueState("o/r#1", State.CLOSED)})
    assert (second.state, second.ids) == (IssueState("o/r#2"), (A, B))
    assert (first.state.state, first.cells) == (State.CLOSED, ((A, "n150"), (A, "p150")))


def test_advice(tmp_path: Path) -> None:
    """A closed issue cited by an expected failure, and an open one of which every test passes."""
    failing = "    status: KNOWN_FAILURE_XFAIL\n    reason: x https://github.com/o/r/issues/"
    yaml = f"test_config:\n  {A}:\n{failing}1\n  {B}:\n{failing}2\n"
    matrix = index(write_checkout(tmp_path / "tree", {"alpha/pytorch": loader_source("ab")}, {INFERENCE: yaml}))
    states = {"o/r#1": IssueState("o/r#1", State.CLOSED), "o/r#2": IssueState("o/r#2", State.OPEN)}
    found = citations(matrix, states)
    passing = {cell: Verdict.STALE for one in found for cell in one.cells}
    closed, close = issue_advice(matrix, found, lambda *cell: passing.get(cell))
    assert (closed.state.issue, closed.advice, {id for id, _ in closed.cells}) == ("o/r#1", Advice.CLOSED, {A})
    assert (close.state.issue, close.advice, {id for id, _ in close.cells}) == ("o/r#2", Advice.CLOSE, {B})
    # If one cell has no results or fails, the issue stays open.
    passing[close.cells[0]] = Verdict.ACTIVE
    assert [one.advice for one in issue_advice(matrix, found, lambda *cell: passing.get(cell))] == [Advice.CLOSED]
    assert [one.advice for one in issue_advice(matrix, found, lambda *_: None)] == [Advice.CLOSED]
    assert issue_advice(matrix, citations(matrix, {}), lambda *_: Verdict.STALE) == ()


def test_a_closed_issue_beside_an_open_one_says_nothing(tmp_path: Path) -> None:
    reason = "x https://github.com/o/r/issues/1 https://github.com/o/r/issues/2"
    yaml = f"test_config:\n  {A}:\n    status: KNOWN_FAILURE_XFAIL\n    reason: {reason}\n"
    matrix = index(write_checkout(tmp_path / "tree", {"alpha/pytorch": loader_source("ab")}, {INFERENCE: yaml}))
    states = {"o/r#1": IssueState("o/r#1", State.CLOSED), "o/r#2": IssueState("o/r#2", State.OPEN)}
    assert issue_advice(matrix, citations(matrix, states), lambda *_: None) == ()
    states["o/r#2"] = IssueState("o/r#2", State.CLOSED)
    advice = issue_advice(matrix, citations(matrix, states), lambda *_: None)
    assert [one.advice for one in advice] == [Advice.CLOSED, Advice.CLOSED]
