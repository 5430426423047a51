# SPDX-License-Identifier: Apache-2.0
"""The workflow sessions of a checkout that are not finished, as `ttmatrix triage` without an id prints them."""

from collections.abc import Callable, Sequence
from itertools import starmap

from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.workflows import (
    Ask,
    WorkflowContext,
    WorkflowManager,
    WorkflowReport,
    WorkflowSession,
    WorkflowState,
    sessions_directory,
)

_NONE = "no workflow is open; ttmatrix triage ID starts one"
_GO_ON = "ttmatrix triage ID --resume goes on"


def list_sessions(context: Context, world: Callable[[], WorkflowContext]) -> None:
    """Print a line for each open session, the one that was touched last at the end; `world` as in `WorkflowManager`."""
    manager = WorkflowManager(sessions_directory(context.paths.state, context.checkout.root))
    manager.look(world)
    found = [(item.state, item.session) for item in manager.items if item.session is not None]
    if context.console.json:
        context.console.document([_document(*one) for one in found])
    elif not found:
        context.console.note(_NONE)
    else:
        context.console.table(("state", "workflow", "test", "decision or question"), starmap(_line, found))
        context.console.note(f"{counted(len(found), 'open workflow')}. {_GO_ON}.")


def _asked(session: WorkflowSession) -> tuple[str, Sequence[str]]:
    waiting = session.waiting
    return (waiting.question, waiting.choices) if isinstance(waiting, Ask) else ("", ())


def _line(state: WorkflowState, session: WorkflowSession) -> tuple[str, ...]:
    report = session.state.report or WorkflowReport()
    question, choices = _asked(session)
    numbered = "  ".join(f"{number}: {choice}" for number, choice in enumerate(choices, 1))
    said = f"{question} {numbered}" if question else report.aborted or report.decision
    return state, report.workflow or session.name, session.state.case.id, one_line(said)


def _document(state: WorkflowState, session: WorkflowSession) -> records.OpenWorkflow:
    report = session.state.report or WorkflowReport()
    question, choices = _asked(session)
    return records.OpenWorkflow(
        id=session.state.case.id,
        state=str(state),
        workflow=report.workflow or session.name,
        decision=report.decision,
        aborted=report.aborted,
        question=question or None,
        choices=list(choices),
        directory=str(session.directory),
    )
