# SPDX-License-Identifier: Apache-2.0
"""Workflows as rows of a table, and one of them as a text: its steps, then its report."""

from collections.abc import Sequence

from rich.text import Text

from core.base.text import one_line, printable
from core.workflows import WorkflowItem, WorkflowState, markdown
from tui.view_models.markdown import rendered
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn

_STYLES = {
    WorkflowState.READY: "pass",
    WorkflowState.ABORTED: "dim",
    WorkflowState.FAILED: "fail",
    WorkflowState.RUNS: "running",
    WorkflowState.ASKS: "xfail",
    WorkflowState.DEVICE: "xfail",
}


_COLUMNS = (
    TableColumn("state", 14),
    TableColumn("workflow", 16, yields=2),
    TableColumn("test", 30, share=2, elide=True, ids=True),
    TableColumn("decision", 20, yields=1),
)


def workflow_rows(items: Sequence[WorkflowItem]) -> Rows[WorkflowItem]:
    """Workflows."""
    return Rows(items, _COLUMNS, _cells, key=lambda item: item.id, id=lambda item: item.id)


def _cells(item: WorkflowItem) -> Row:
    report = item.session.state.report if item.session else None
    return (
        [Cell(item.state, _STYLES.get(item.state, ""))],
        [Cell(report.workflow if report else "", "dim")],
        [Cell(one_line(item.id))],
        [Cell(report.decision if report else "", "dim")],
    )


def workflow_text(item: WorkflowItem) -> Text:
    """The text of one workflow for people; its report without Markdown markup."""
    text = Text()
    if item.error is not None:
        text.append(f"{printable(str(item.error))}\n\n", "red")
    latest = f"  {one_line(item.latest)}\n" if item.state in (WorkflowState.WAITS, WorkflowState.RUNS) else ""
    if item.progress is None:
        return text.append("Waiting for its turn.\n" if item.error is None else "").append(latest, "dim")
    state = item.progress.session.state
    done = len(state.answers)
    for number, effect in enumerate(state.asked):
        ended = number < done
        text.append("✓ " if ended else "▸ ", "green" if ended else "yellow")
        text.append(f"{one_line(effect.title)}\n", "" if ended else "bold")
    text.append(latest, "dim")
    text.append("\n")
    return text.append(rendered(markdown(item.progress, "")))
