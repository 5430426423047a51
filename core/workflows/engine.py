# SPDX-License-Identifier: Apache-2.0
"""Workflows as pure step machines: a state is a case and the answers so far, a step adds one answer.

A workflow is a generator, so that its file reads as the procedure does. It sees only its case and the answers
it is sent, and is replayed from them after an interruption: the answers are the whole state.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.workflows.case import Case
from core.workflows.report import Aborted, WorkflowReport
from core.workflows.requests import Abort, Answer, Effect, End, Propose, RevertLoader, Steps

Workflow: TypeAlias = Callable[[Case, WorkflowReport], Steps[None]]


@dataclass(frozen=True, slots=True)
class State:
    """How far a workflow has come."""

    case: Case
    workflow: Workflow
    answers: tuple[Answer, ...] = ()
    asked: tuple[Effect, ...] = ()
    """The effects so far; the last one waits for its answer unless there is an `end`."""
    end: End | None = None
    report: WorkflowReport | None = None
    """What is known by now."""

    @property
    def waiting(self) -> Effect | None:
        """The effect to be answered; None at the end."""
        return self.asked[-1] if self.end is None and self.asked else None


def begin(case: Case, workflow: Workflow) -> tuple[State, tuple[Effect | End, ...]]:
    """The first state of `workflow`, and what it asks for."""
    return _replayed(State(case, workflow))


def step(state: State, answer: Answer) -> tuple[State, tuple[Effect | End, ...]]:
    """The state after the effect it waits for was answered, and what it asks for next: one effect, or the end."""
    if state.end is not None:
        raise ValueError("the workflow has ended")
    return _replayed(replace(state, answers=(*state.answers, answer)))


def replay(case: Case, workflow: Workflow, answers: Sequence[Answer]) -> State:
    """The state after all of `answers`: the same as one `step` per answer, at the cost of a single one."""
    return _replayed(State(case, workflow, tuple(answers)))[0]


def _replayed(state: State) -> tuple[State, tuple[Effect | End, ...]]:
    report = WorkflowReport()
    steps = _to_its_end(state.workflow, state.case, report)
    asked: list[Effect] = []
    try:
        asked.append(next(steps))
        for answer in state.answers:
            asked.append(steps.send(answer))
    except StopIteration as stopped:
        end: End = stopped.value
        return replace(state, asked=tuple(asked), end=end, report=report), (end,)
    return replace(state, asked=tuple(asked), report=report), (asked[-1],)


def _to_its_end(workflow: Workflow, case: Case, report: WorkflowReport) -> Steps[End]:
    try:
        yield from workflow(case, report)
        return Propose(tuple(report.operations))
    except Aborted as aborted:
        report.aborted, report.environment = str(aborted), aborted.environment
    for path, edit in reversed(tuple(report.edits.items())):
        yield RevertLoader(path, edit)
        del report.edits[path]
    report.operations.clear()
    return Abort(report.aborted)
