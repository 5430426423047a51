# SPDX-License-Identifier: Apache-2.0
"""The workflow sessions of a checkout that are not finished, as `ttmatrix triage` without an id prints them."""

from collections.abc import Sequence

from core.cli import records
from core.cli.context import Context
from core.text import counted, one_line
from core.workflows import (
    Abort,
    Ask,
    Propose,
    RunDevice,
    WorkflowReport,
    WorkflowSession,
    WorkflowState,
    left_open,
    sessions_directory,
)

_NONE = "no workflow is open; ttmatrix triage ID starts one"
_GO_ON = "ttmatrix triage ID --resume goes on"


def list_sessions(context: Context) -> None:
    """Print a line for each open session, the one that was touched last at the end."""
    found = left_open(sessions_directory(context.paths.state, context.checkout.root))
    if context.console.json:
        context.console.document([_document(one) for one in found])
    elif not found:
        context.console.note(_NONE)
    else:
        context.console.table(("state", "workflow", "test", "decision or question"), map(_line, found))
        context.console.note(f"{counted(len(found), 'open workflow')}. {_GO_ON}.")


def _state(session: WorkflowSession) -> WorkflowState:
    """What the session waits for: nothing of it runs now."""
    match session.state.end:
        case Propose():
            return WorkflowState.READY
        case Abort():
            return WorkflowState.ABORTED
    match session.waiting:
        case Ask():
            return WorkflowState.ASKS
        case RunDevice():
            return WorkflowState.DEVICE
    return WorkflowState.STOPPED


def _asked(session: WorkflowSession) -> tuple[str, Sequence[str]]:
    waiting = session.waiting
    return (waiting.question, waiting.choices) if isinstance(waiting, Ask) else ("", ())


def _line(session: WorkflowSession) -> tuple[str, ...]:
    report = session.state.report or WorkflowReport()
    question, choices = _asked(session)
    numbered = "  ".join(f"{number}: {choice}" for number, choice in enumerate(choices, 1))
    said = f"{question} {numbered}" if question else report.aborted or report.decision
    return _state(session), report.workflow or session.name, session.state.case.id, one_line(said)


def _document(session: WorkflowSession) -> records.OpenWorkflow:
    report = session.state.report or WorkflowReport()
    question, choices = _asked(session)
    return records.OpenWorkflow(
        id=session.state.case.id,
        state=str(_state(session)),
        workflow=report.workflow or session.name,
        decision=report.decision,
        aborted=report.aborted,
        question=question or None,
        choices=list(choices),
        directory=str(session.directory),
    )
