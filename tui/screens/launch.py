# SPDX-License-Identifier: Apache-2.0
"""The dialog before a launch: how to run tests, what prevents it, and the exact commands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label

from core.matrix import NO_ARCH
from core.runs import shell_command
from core.runs.planning import KINDS, LaunchPlan, Options, plan_launch
from core.text import printable
from tui.protocol import Context
from tui.screens.dialogs import Dialog
from tui.view_models import launch_text
from tui.widgets import Cycle, TextPane


class Launch(Dialog[LaunchPlan]):
    """Dismissed with the plan that was shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "Start", show=False),
        # Before the inputs, which would take the key for a letter.
        Binding("y", "copy", "Copy", show=False, priority=True),
        Binding("down", "app.focus_next", "Next", show=False),
        Binding("up", "app.focus_previous", "Previous", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
    ]

    def __init__(self, context: Context, ids: Sequence[str], name: str) -> None:
        """`name` says which tests `ids` are."""
        super().__init__(classes="launch")
        self._session = context.session
        self.context = context
        self._ids = ids
        self._tests = name
        self._options = Options(arch=context.session.view.arch)
        self._plan: LaunchPlan | None = None
        """None while it is being worked out."""
        self._then: Callable[[], None] | None = None
        """What a person wants as soon as it is."""

    def compose(self) -> ComposeResult:
        archs = [(NO_ARCH, "any"), *((arch, arch) for arch in self._session.matrix.schema.archs)]
        profiles = [("", "none"), *((name, name) for name in sorted(self._session.settings.profiles))]
        with Vertical(id="box"):
            yield Label(Text(f"Run {self._tests}"), id="dialog-title")
            yield from _field("kind", Cycle([(name, name) for name in KINDS], "", id="kind"))
            yield from _field("arch", Cycle(archs, self._options.arch, id="arch"))
            yield from _field("profile", Cycle(profiles, "", id="profile"))
            yield from _field("repeat", Number("1", id="repeat"))
            yield from _field("timeout", Number("", "seconds; empty: from the settings; 0: none", id="timeout"))
            yield from _field("on failure", Cycle([("", "continue"), ("stop", "start no more of them")], "", id="stop"))
            yield TextPane(id="launch-plan")
            yield Label(
                Text("enter start   y copy commands   ↑ ↓ field   ← → choose   pgdn scroll   esc"), id="dialog-hint"
            )

    def on_mount(self) -> None:
        # At once: what is typed right after the key that opened the dialog is for the dialog.
        self.set_focus(self.query_one("#kind"))
        self._work_out()

    def on_cycle_changed(self) -> None:
        self._work_out()

    def on_input_changed(self) -> None:
        self._work_out()

    def _chosen(self) -> Options:
        def of(name: str) -> str:
            return self.query_one(f"#{name}", Cycle).value

        repeat, timeout = (self.query_one(f"#{name}", Input).value for name in ("repeat", "timeout"))
        return replace(
            self._options,
            kind=of("kind") or next(iter(KINDS)),
            arch=of("arch"),
            profile=of("profile"),
            repeat=max(1, int(repeat or 1)),
            timeout=float(timeout) if timeout else None,
            stop_on_failure=bool(of("stop")),
        )

    def _work_out(self) -> None:
        """Plan in the background what would be run."""
        options = self._chosen()
        if options == self._options and self._plan is not None:
            return
        self._options, self._plan = options, None
        self.query_one(TextPane).show(Text("planning …", "dim"))
        session = self._session
        runs, records = session.store.root, session.runs
        work = partial(plan_launch, session.matrix, self._ids, session.settings, options, runs=runs, records=records)
        self.context.background.run("plan launch", work, partial(self._show, options), supersede=True)

    def _show(self, options: Options, plan: LaunchPlan) -> None:
        if self.is_attached and options == self._options:
            self._plan = plan
            self.query_one(TextPane).show(launch_text(plan))
            then, self._then = self._then, None
            if then is not None:
                then()

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the digits typed before it, however fast they came.
        self.action_start()

    def action_start(self) -> None:
        """Start the plan that is shown."""
        if self._plan is None:
            self._then = self.action_start
        elif self._plan.specs:
            self.dismiss(self._plan)

    def action_copy(self) -> None:
        if self._plan is None:
            self._then = self.action_copy
        else:
            self.context.notify.copy(printable("\n".join(shell_command(spec) for spec in self._plan.specs)))

    def action_page(self, pages: int) -> None:
        self.query_one(TextPane).scroll_relative(y=pages * self.query_one(TextPane).size.height, animate=False)


def _field(name: str, editor: Cycle | Input) -> ComposeResult:
    with Horizontal(classes="field"):
        yield Label(name)
        yield editor


class Number(Input):
    """A whole number; every other key is left to the dialog."""

    def __init__(self, value: str, placeholder: str = "", *, id: str) -> None:
        super().__init__(value, placeholder, id=id, restrict=r"\d{0,6}")
        self.cursor_blink = False

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character.isdigit()
