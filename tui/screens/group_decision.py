# SPDX-License-Identifier: Apache-2.0
"""The dialog that decides a whole group at once: status, reason, issue, archs, and whether it stays in CI."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input, Label

from core.base.errors import TTMatrixError
from core.base.text import counted, one_line
from core.domain.model import EXPECT_NO_PASS, Status
from core.evidence.analysis import issue_link
from core.evidence.proposals import GroupEdit
from tui.screens.dialogs import CHOOSE, FIELDS, MOST_TYPED, Dialog, DialogKey, problem_words
from tui.view_models import fit
from tui.widgets import Cycle, Form, TextField

_VARIANT_WIDTH = 44
_KEEP = "keep"


class GroupChoice(NamedTuple):
    """A person's decision about a group."""

    edit: GroupEdit
    keep: bool
    """Whether tests that would leave CI get the marker that keeps them there."""


class GroupDecision(Dialog[GroupChoice]):
    """Dismissed with what all tests of the group get; what is left as it is stays as proposed for each."""

    KEYS = (*FIELDS, *CHOOSE, DialogKey("enter", "accept", "accept"))

    def __init__(
        self, title: str, count: int, *, proposed: str, reasons: Sequence[str], archs: Sequence[str], leaving: int
    ) -> None:
        """`proposed` is the change in words, `leaving` how many of the tests would leave CI by it."""
        super().__init__()
        self._title = title
        self._count = count
        self._proposed = proposed
        self._reasons = reasons
        self._archs = archs
        self._leaving = leaving

    def compose(self) -> ComposeResult:
        title, form = one_line(self._title), Form(tuple(self._fields()))
        with self.box(title, width=form.roomy(MOST_TYPED)):
            yield Label(Text(title, no_wrap=True, overflow="ellipsis"), id="dialog-title")
            yield form
            yield Label("", classes="problem")
            yield self.hint_label()

    def hints(self) -> Mapping[str, str]:
        return {"enter": f"accept {counted(self._count, 'test')}"}

    def _fields(self) -> Sequence[tuple[str, Widget]]:
        one = self._reasons[0] if len(self._reasons) == 1 else ""
        own = "each test keeps its own" if self._reasons else "none"
        statuses = [
            ("", f"as proposed: {self._proposed}"),
            *((status.value, status.value) for status in EXPECT_NO_PASS),
        ]
        # What a person changes most has the focus: `Dialog` gives it to the first field.
        found: list[tuple[str, Widget]] = [("reason", TextField(one, own, id="reason"))]
        if len(self._reasons) > 1:
            said = [
                (text, f"{at} of {len(self._reasons)}: {fit(one_line(text), _VARIANT_WIDTH).rstrip()}")
                for at, text in enumerate(self._reasons, 1)
            ]
            found.append(("reasons seen", Cycle([("", own), *said], "", id="variants")))
        found.append(("status", Cycle(statuses, "", id="status")))
        found.append(("issue", TextField("", "123, tt-mlir#123 or a URL", id="issue")))
        if len(self._archs) > 1:
            archs = [("", f"all: {', '.join(self._archs)}"), *((arch, f"only {arch}") for arch in self._archs)]
            found.append(("archs", Cycle(archs, "", id="archs")))
        if self._leaving:
            leave = f"{counted(self._leaving, 'test')} {'leaves' if self._leaving == 1 else 'leave'} CI"
            keeps = [(_KEEP, "add the marker that keeps them in CI"), ("", f"no marker: {leave}")]
            found.append(("in CI", Cycle(keeps, _KEEP, id="keep")))
        return found

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        if event.cycle.id == "variants":
            self.query_one("#reason", Input).value = event.cycle.value

    def on_input_changed(self) -> None:
        self.say_problem("")

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the letters typed before it, however fast they came.
        self.action_accept()

    def action_accept(self) -> None:
        try:
            issue = issue_link(text) if (text := self.query_one("#issue", Input).value.strip()) else ""
        except TTMatrixError as error:
            self.say_problem(problem_words(error))
            return
        status, arch = self._chosen("status"), self._chosen("archs")
        typed = self.query_one("#reason", Input).value.strip()
        edit = GroupEdit(Status(status) if status else None, typed, issue, (arch,) if arch else ())
        self.dismiss(GroupChoice(edit, self._chosen("keep") == _KEEP))

    def _chosen(self, id: str) -> str:
        return next((one.value for one in self.query(Cycle) if one.id == id), "")
