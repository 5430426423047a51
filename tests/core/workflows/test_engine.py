# SPDX-License-Identifier: Apache-2.0
"""core.workflows.engine: a state depends only on its case and its answers, however it was reached."""

import pytest

from core.workflows import Ask, WorkflowReport
from core.workflows.case import Case
from core.workflows.engine import begin, replay, step
from core.workflows.report import abort
from core.workflows.requests import Abort, EditLoader, Propose, RevertLoader, Steps
from tests.support.triage import LOADER, case, edit


def asks_twice(_: Case, report: WorkflowReport) -> Steps[None]:
    first = yield Ask("one?", ("a", "b"))
    report.decide(f"chose {first}", "")
    yield Ask(f"two, after {first}?", ("c",))


def edits_and_gives_up(_: Case, report: WorkflowReport) -> Steps[None]:
    change = edit()
    yield EditLoader(LOADER, change)
    report.edits[LOADER] = change
    abort("no further")


def test_a_step_is_an_answer_and_gives_the_next_effect() -> None:
    first, asked = begin(case(), asks_twice)
    assert asked == (Ask("one?", ("a", "b")),)
    second, asked = step(first, 2)
    assert asked == (Ask("two, after 2?", ("c",)),)
    assert second.report is not None
    assert second.report.decision == "chose 2"
    third, asked = step(second, 1)
    assert (asked, third.waiting) == ((Propose(()),), None)
    with pytest.raises(ValueError, match="ended"):
        step(third, 1)


def test_a_step_leaves_the_state_before_as_it_was() -> None:
    first, _ = begin(case(), asks_twice)
    one, _ = step(first, 1)
    two, _ = step(first, 2)
    assert (one.waiting, two.waiting) == (Ask("two, after 1?", ("c",)), Ask("two, after 2?", ("c",)))
    assert first.waiting == Ask("one?", ("a", "b"))


def test_a_replay_comes_to_the_state_of_the_steps() -> None:
    state, _ = begin(case(), asks_twice)
    for count in range(3):
        assert replay(case(), asks_twice, [1, 1][:count]) == state
        if state.waiting:
            state, _ = step(state, 1)


def test_who_aborts_leaves_no_edit() -> None:
    state, _ = begin(case(), edits_and_gives_up)
    state, asked = step(state, None)
    assert asked == (RevertLoader(LOADER, edit()),)
    state, asked = step(state, None)
    assert asked == (Abort("no further"),)
    assert state.report is not None
    assert (state.report.edits, state.report.aborted) == ({}, "no further")
