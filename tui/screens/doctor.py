# SPDX-License-Identifier: Apache-2.0
"""Doctor: everything that is wrong with the checkout; from each finding to its test, its file and its fix."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from core.base.text import counted, one_line
from core.doctor import explanation, kinds
from core.domain.model import Finding
from core.edits import parse_operations
from core.evidence import Page
from tui.commands import Changes, Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.list_and_text import ListAndPane
from tui.view_models import HeadingTitles, finding_groups, finding_rows, rendered, said_of_all, shared_words
from tui.widgets import GroupTable, WordFilter


class DoctorPlace(NamedTuple):
    """The listed kind of findings, and the row under the cursor."""

    kind: str
    key: str | None


class DoctorScreen(ListAndPane[Finding]):
    """The findings above, the whole text of the highlighted one below."""

    PLACES = (Where.DOCTOR,)
    LONG = True
    PURPOSE = "What is wrong or doubtful in the checkout, and what fixes it."
    TEXT = "What is wrong"

    table: GroupTable

    def __init__(self, context: Context) -> None:
        table = GroupTable(finding_rows((), {}), HeadingTitles("kind", "found", "fixable"), id="findings")
        self.filter = WordFilter(table, self._filter_changed, "words of a kind, a file, a test, a message")
        super().__init__(context, table, filter=self.filter)
        self._all: tuple[Finding, ...] | None = None
        self._findings: Sequence[Finding] = ()
        """The listed ones."""
        self._shared: Mapping[str, str] = {}
        """Their `shared_words`."""
        self._kind = ""
        self._fixed: frozenset[str] = frozenset()

    def on_mount(self) -> None:
        self.follow(self.context.signals.matrix_changed, self._examine)
        self._examine()

    def _examine(self) -> None:
        session = self.session
        # Keys wait for the first list: they are meant for its rows.
        self.context.background.run(
            "examine", session.read_findings, self._show, supersede=True, lists=self._all is None
        )
        self._say()

    def _show(self, findings: tuple[Finding, ...]) -> None:
        # By kind, so that the many of one kind do not hide the few of another.
        order = {kind: at for at, kind in enumerate(kinds())}
        self._all = tuple(sorted(findings, key=lambda one: order.get(one.kind, len(order))))
        self._fixed = frozenset()
        self.show_kind(self._kind)

    @property
    def _of_kind(self) -> Sequence[Finding]:
        """The findings of the kind that is listed, unfiltered."""
        return [one for one in self._all or () if self._kind in ("", one.kind)]

    def show_kind(self, kind: str, keep: str | None = None) -> None:
        """Show the findings of one kind, as soon as they are known; empty: of every kind."""
        self._kind = kind
        self._list(keep)
        self.filter.note("" if self._all is None else counted(len(self._findings), "finding"))
        self._say()

    def _list(self, keep: str | None = None) -> None:
        found = self._of_kind
        if self.filter.active:
            found = [one for one in found if self.filter.matches(_search_text(one))]
        self._findings, self._shared = found, shared_words(found)
        rows, groups = finding_rows(found, self._shared, self._fixed), finding_groups(found, self._shared, kinds())
        self.show_rows(rows, groups, keep=keep)

    def spot(self) -> object:
        return DoctorPlace(self._kind, self.table.cursor_key) if self.is_mounted else None

    def restore(self, spot: object) -> None:
        if isinstance(spot, DoctorPlace):
            self.show_kind(spot.kind, keep=spot.key)

    def page(self) -> Callable[[], Page]:
        """The page of the newest job of the test that the finding is about."""
        id = self.current.id if self.current is not None else ""
        return self.page_of_tests([id]) if id else super().page()

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.FINDING:
                return self.current is None
            case Need.TEST_OF_FINDING:
                return self.current is None or self.current.id not in self.session.view.matrix.rows
            case Need.FIX:
                return self.current is None or not self.current.fix
            case _:
                return super().lacks(need)

    def close_one(self) -> bool:
        """First the filter; then from one kind to all kinds, unless that kind is what one came for."""
        if self.filter.active:
            self.filter.clear()
        elif self._kind != self.context.navigation.base:
            self.show_kind(self.context.navigation.base)
        else:
            return False
        return True

    def _say(self) -> None:
        if self._all is None:
            self.title_line("examining the checkout …")
            return
        none = f"No finding is of the kind {self._kind}." if self._kind else "Nothing is wrong with this checkout."
        self.say_when_empty("finding", len(self._of_kind), self.first_step(none))
        if not self._all:
            self.title_line("no findings")
            return
        if self.filter.active:
            self.title_line(f"{len(self._findings):,} of {counted(len(self._all), 'finding')}", self._said_of_all)
            return
        kinds_found = {one.kind for one in self._findings}
        back = self._kind and self._kind != self.context.navigation.base
        what = f"of the kind {self._kind}" if self._kind else f"of {counted(len(kinds_found), 'kind')}"
        keyed = [f"{self.context.keymap.key('app.back')} shows all"] if back else ()
        self.title_line(f"{counted(len(self._findings), 'finding')} {what}", self._said_of_all, keyed=keyed)

    @property
    def _said_of_all(self) -> str:
        """The words that all findings begin with, where no heading says them."""
        found = {one.kind for one in self._findings}
        return said_of_all(self._shared.get(found.pop(), "")) if len(found) == 1 else ""

    def show_text(self) -> None:
        one, text = self.current, Text()
        if one is not None:
            text.append(f"{one.kind}  ", "bold")
            text.append(f"{one_line(one.file)}:{one.line}\n" if one.line else f"{one_line(one.file)}\n", "dim")
            text.append(f"{one_line(one.id)}\n" if one.id else "")
            text.append(one_line(one.message))
            text.append("\n\n").append(_explained(one.kind))
        elif self.table.group is not None and self.table.group.key:
            text.append(f"{self.table.group.key}\n", "bold").append(_explained(self.table.group.key))
        self.say(text)

    # Actions

    def _filter_changed(self) -> None:
        self.show_kind(self._kind)

    @command(
        "doctor.go",
        Where.DOCTOR,
        "enter",
        "Go to",
        "Show the test in the matrix",
        footer=True,
        needs=Need.TEST_OF_FINDING,
    )
    def action_go_to_test(self) -> None:
        """The test of the finding, in the matrix."""
        if self.current is not None:
            self.go_to_test(self.current.id)

    @command(
        "doctor.fix",
        Where.DOCTOR,
        "m",
        "Fix",
        "Add the fix to the pending changes",
        footer=True,
        needs=Need.FIX,
        changes=Changes.EDITS,
        hint=Hint("fix", "{doctor.fix} adds the fix to the changes"),
    )
    def action_fix(self) -> None:
        """Add the fix of the finding to the pending changes."""
        one = self.current
        if one is None or not one.fix:
            return
        key = self.table.cursor_key or ""
        if key in self._fixed:
            self.context.notify.info("Its fix is already among the pending changes.")
            return
        self._fixed |= {key}
        self.context.edits.propose(parse_operations(json.dumps(list(one.fix))), f"{one.kind}: {one.message}")
        self._list()
        self.table.action_move(1)

    @command(
        "doctor.open",
        Where.DOCTOR,
        "e",
        "Editor",
        "Open $EDITOR at the place",
        footer=True,
        needs=Need.FINDING,
        changes=Changes.FILES,
    )
    def action_open_place(self) -> None:
        """The file of the finding in the person's editor."""
        if self.current is not None:
            self.context.files.edit_file(self.current.file, max(1, self.current.line))


def _explained(kind: str) -> Text:
    """The page of a kind; of a kind that this program does not know, nothing."""
    return rendered(explanation(kind)) if kind in kinds() else Text()


def _search_text(one: Finding) -> str:
    return " ".join((one.kind, one.file, one.id, one.message)).lower()
