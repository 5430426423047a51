# SPDX-License-Identifier: Apache-2.0
"""Workflows as rows of a table, and one of them as a text: its steps, then its report."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from core.text import one_line, printable
from core.workflows import WorkflowItem, WorkflowState, markdown
from tui.view_models.markdown import rendered
from tui.view_models.style import Cell, TableColumn

_STYLES = {
    WorkflowState.READY: "pass",
    WorkflowState.ABORTED: "dim",
    WorkflowState.FAILED: "fail",
    WorkflowState.RUNS: "running",
    WorkflowState.ASKS: "xfail",
    WorkflowState.DEVICE: "xfail",
}


class WorkflowRows:
    """A RowSource over workflows."""

    columns: Sequence[TableColumn] = (
        TableColumn("state", 14),
        TableColumn("workflow", 22, from_width=100),
        TableColumn("test", 30, share=2, elide=True, ids=True),
        TableColumn("decision", 20, share=1, from_width=70),
    )

    def __init__(self, items: Sequence[WorkflowItem]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def ids(self) -> Iterable[str]:
        return [item.id for item in self.items]

    def key(self, position: int) -> str:
        return self.items[position].id

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        item = self.items[position]
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
