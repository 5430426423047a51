# SPDX-License-Identifier: Apache-2.0
"""Edits of op cases besides setting fields: add or remove a mark, delete the case from its manifest."""

from collections import Counter
from collections.abc import Sequence
from enum import Enum

from core.base.text import one_line
from core.edits import CaseForm, Operation
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Ask, Confirm
from tui.screens.matrix.entry_menu import one_marker
from tui.screens.pick import Option, Pick
from tui.view_models import counted

_SHOWN_IDS = 6


class CaseAct(Enum):
    """One edit of op cases; the value is its name and its help."""

    ADD_MARK = ("add mark", "add a mark to the case")
    REMOVE_MARK = ("remove mark", "remove a mark from the case")
    DELETE = ("delete", "delete the case from its manifest; asks first")


class CaseMenu:
    """The menu of edits for op cases, over a screen."""

    def __init__(self, screen: SessionScreen, form: CaseForm, name: str) -> None:
        """`name` says which cases those of `form` are."""
        self._app, self._context = screen.app, screen.context
        self._form, self._name = form, name

    def open(self) -> None:
        """Ask which edit, and propose it."""
        menu = Pick(self._name, [Option(act, *act.value) for act in CaseAct])
        self._app.push_screen(menu, lambda act: self._begin(act) if act else None)

    def _begin(self, act: CaseAct) -> None:
        match act:
            case CaseAct.ADD_MARK:
                question = Ask("Add which mark?", self._name, verb="propose", check=self._check)
                self._app.push_screen(
                    question, lambda text: self._propose(self._form.with_mark(one_marker(text))) if text else None
                )
            case CaseAct.REMOVE_MARK:
                self._pick_mark()
            case CaseAct.DELETE:
                self._delete()

    def _check(self, text: str) -> None:
        self._form.read("marks", one_marker(text))

    def _pick_mark(self) -> None:
        have = Counter(mark for marks in self._form.marks() for mark in marks)
        if not have:
            self._context.notify.info("There are no marks to remove.")
            return
        total = counted(len(self._form.cases), "op case")
        options = [Option(mark, one_line(mark), f"in {count:,} of {total}") for mark, count in have.items()]
        self._app.push_screen(
            Pick("Remove which mark?", options),
            lambda mark: self._propose(self._form.without_mark(mark)) if mark else None,
        )

    def _delete(self) -> None:
        names = [one_line(id) for id, _ in self._form.cases]
        more = [f"and {len(names) - _SHOWN_IDS:,} more"] if len(names) > _SHOWN_IDS else []
        question = Confirm(
            f"Delete {counted(len(names), 'op case')}?", "\n".join((*names[:_SHOWN_IDS], *more)), verb="propose it"
        )
        self._app.push_screen(question, lambda yes: self._propose(self._form.removal()) if yes else None)

    def _propose(self, operations: Sequence[Operation]) -> None:
        if not operations:
            self._context.notify.info("No change: every case already has this value.")
        self._context.edits.propose(operations)
