# SPDX-License-Identifier: Apache-2.0
"""Workflows: all of them above, the steps and the report of the highlighted one below."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core.base.errors import UsageError
from core.base.text import counted, one_line
from core.edits import Operation
from core.evidence import Page
from core.runs.planning import Sources, of_sources
from core.workflows import UserInput, WorkflowItem, WorkflowManager, WorkflowState, device_steps, markdown
from tui.commands import Changes, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import Ask, Confirm, ask_to_download
from tui.screens.list_and_text import ListAndPane
from tui.screens.pick import Option, Pick
from tui.view_models import workflow_rows, workflow_text
from tui.widgets import RowTable

_LOOK_SECONDS = 0.5


class WorkflowsScreen(ListAndPane[WorkflowItem]):
    """Shows the board and gives it the answers of the person; nothing is decided here."""

    PLACES = (Where.WORKFLOWS,)
    PURPOSE = "A workflow finds why a training test fails, and proposes the repair."
    TEXT = "The workflow"

    def __init__(self, context: Context) -> None:
        super().__init__(context, RowTable(workflow_rows(()), id="workflows"))
        self.board = WorkflowManager(self.session.sessions)
        self._read: tuple[object, ...] = ()
        """The subject of the text."""
        self._shown_items: list[WorkflowItem] = []

    def on_mount(self) -> None:
        self.every(_LOOK_SECONDS, self._look)
        self.table.say_when_empty(self.first_step(Need.WORKFLOW.value))
        self.fit_list()
        self.context.background.run("triage", lambda: self.board.look(self.session.world), lambda _: self._look())
        self._look()

    def lacks(self, need: Need) -> bool:
        item = self.current
        match need:
            case Need.WORKFLOW:
                return item is None
            case Need.READY:
                return item is None or item.state not in (WorkflowState.READY, WorkflowState.DEVICE)
            case Need.DEVICE:
                return item is None or item.state is not WorkflowState.DEVICE
            case _:
                return super().lacks(need)

    def page(self) -> Callable[[], Page]:
        return self.page_of_tests([self.current.id] if self.current is not None else [])

    def begin(self, ids: Sequence[str]) -> None:
        """Start a workflow on each of `ids`, failing training tests; what they download is asked about first."""
        self.context.background.run(
            "look for downloads", lambda: self.session.sources(ids), partial(self._ask_to_begin, ids), asks=True
        )

    def _ask_to_begin(self, ids: Sequence[str], sources: Sources) -> None:
        def begin() -> None:
            self._act(lambda: self.board.begin(self.session.world(), ids))

        if sources.downloads:
            names = ids[0] if len(ids) == 1 else counted(len(ids), "test")
            about, leave = of_sources(sources), self.context.navigation.back
            ask_to_download(self.app, sources.downloads, begin, about, names=names, leave=leave)
            return
        for what, remedy in sources.missing:
            self.context.notify.info(f"{one_line(what)}. {one_line(remedy)}")
        begin()

    def _act(self, work: Callable[[], None]) -> None:
        self.context.background.run("triage", work, lambda _: self._look())
        self._look()

    def _look(self) -> None:
        items = self.board.items
        if items != self._shown_items:
            self._shown_items = items
            self.show_rows(workflow_rows(items))
        waiting = sum(item.state in (WorkflowState.ASKS, WorkflowState.DEVICE, WorkflowState.READY) for item in items)
        self.title_line(f"{counted(len(items), 'workflow')}, {waiting} waiting for you" if items else "no workflow yet")
        self.show_text()

    def show_text(self) -> None:
        self.offer()
        item = self.current
        # A session advances under the same item: its number of answers shows whether there is more to read.
        state = item.session.state if item and item.session else None
        seen = (item, len(state.answers) if state else 0)
        if seen != self._read:
            self._read = seen
            if item is not None:
                self.say(workflow_text(item))

    # Actions

    @command(
        "workflows.choose",
        Where.WORKFLOWS,
        "enter",
        "Choose",
        "Answer the workflow's question, or read its report",
        footer=True,
        needs=Need.WORKFLOW,
        changes=Changes.WORKFLOWS,
    )
    def action_choose(self) -> None:
        """Answer the question of the workflow; where it has none, read its report."""
        item = self.current
        question = item.blocked.question if item and item.blocked else None
        if item is None or question is None:
            if not self.panes.leave():
                self.panes.open("text", self.pane)
            return
        options = [Option(number, str(number), one_line(text)) for number, text in enumerate(question.choices, 1)]
        picked = Pick(one_line(question.question), options)
        self.app.push_screen(picked, lambda number: self._go_on(item, UserInput([number])) if number else None)

    @command(
        "workflows.accept",
        Where.WORKFLOWS,
        "a",
        "Accept",
        "Keep the loader edit, propose the changes",
        footer=True,
        needs=Need.READY,
        changes=Changes.WORKFLOWS,
    )
    def action_accept(self) -> None:
        """Keep the loader edit in the work tree, and propose what follows for the expectations."""
        item = self.current
        if item is None:
            return
        report = item.session.state.report if item.session else None
        note = f"triage: {report.workflow}: {report.decision}" if report else "triage"
        edited = bool(report and report.edits)

        def accepted(operations: Sequence[Operation]) -> None:
            self.context.edits.propose(operations, note)
            if edited:
                self.context.notify.info("The loader edit is in the work tree of the submodule, uncommitted.")
                self.context.files.reload()
            self._look()

        self.context.background.run("triage", lambda: self.board.accept(self.session.world(), item.id), accepted)

    @command(
        "workflows.drop",
        Where.WORKFLOWS,
        "x",
        "Drop",
        "Delete the workflow and its edits",
        footer=True,
        needs=Need.WORKFLOW,
        changes=Changes.WORKFLOWS,
    )
    def action_drop(self) -> None:
        """Delete the workflow, after asking: its runs were for nothing then."""
        item = self.current
        if item is None:
            return
        question = Confirm(
            "Delete this workflow?", f"{item.id}\nIts runs stay; its loader edits are reverted.", verb="delete"
        )
        self.app.push_screen(question, lambda yes: self._drop(item) if yes else None)

    def _drop(self, item: WorkflowItem) -> None:
        self._act(lambda: self.board.drop(self.session.world(), item.id))

    @command(
        "workflows.go_on",
        Where.WORKFLOWS,
        "r",
        "Continue",
        "Continue the workflow where it stopped",
        footer=True,
        needs=Need.WORKFLOW,
        changes=Changes.WORKFLOWS,
    )
    def action_go_on(self) -> None:
        if self.current is not None:
            self._go_on(self.current, UserInput())

    def _go_on(self, item: WorkflowItem, given: UserInput) -> None:
        self._act(lambda: self.board.go_on(self.session.world(), item.id, given))

    @command(
        "workflows.result",
        Where.WORKFLOWS,
        "D",
        "Device XML",
        "Continue with the JUnit file of a device run",
        footer=True,
        needs=Need.DEVICE,
        changes=Changes.WORKFLOWS,
    )
    def action_device_result(self) -> None:
        """Continue with the JUnit file of a run made elsewhere."""
        item = self.current
        if item is None:
            return
        title = "The JUnit file of the device run"
        question = Ask(title, one_line(item.id), verb="read it", check=_readable_file)
        self.app.push_screen(
            question,
            lambda path: self._go_on(item, UserInput(device_result=Path(path.strip()).expanduser())) if path else None,
        )

    @command(
        "workflows.copy",
        Where.WORKFLOWS,
        "y",
        "Copy",
        "Copy the command to run, or the report",
        action="copy",
        needs=Need.WORKFLOW,
    )
    def copied(self) -> str:
        """The command to run elsewhere, else the whole report."""
        item = self.current
        return (
            "" if item is None or item.progress is None else device_steps(item.progress) or markdown(item.progress, "")
        )

    @command("workflows.go", Where.WORKFLOWS, "t", "Go to", "Show the test in the matrix", needs=Need.WORKFLOW)
    def action_go_to_test(self) -> None:
        if self.current is not None:
            self.go_to_test(self.current.id)


def _readable_file(text: str) -> None:
    """Raise UsageError where a path leads to no file."""
    if not Path(text.strip()).expanduser().is_file():
        raise UsageError(f"There is no file {text.strip()}")
