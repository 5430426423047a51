# SPDX-License-Identifier: Apache-2.0
"""Edits of entries besides setting fields: add or remove an item, rename, move, delete."""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum

from core.base.errors import TTMatrixError, UsageError
from core.base.text import one_line
from core.domain.model import Entry
from core.edits import Operation, OpKind, listed, marker_doubt, with_item, without_item, words
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Ask, Confirm
from tui.screens.pick import Option, Pick
from tui.view_models import counted

_SHOWN_IDS = 6


class Act(Enum):
    """One edit of entries; the value is its name and its help."""

    ADD_MARKER = ("add marker", "add a marker to the entry")
    ADD_ARCH = ("add arch", "add an arch to supported_archs")
    RENAME = ("rename", "give the entry another id, in the same place")
    MOVE = ("move", "move the entry to another file")
    REMOVE_MARKER = ("remove marker", "remove a marker from the entry")
    REMOVE_ARCH = ("remove arch", "remove an arch from supported_archs")
    DELETE = ("delete", "delete the entry; asks first")


class EntryMenu:
    """The menu of edits for the entries of some tests, over a screen."""

    def __init__(self, screen: SessionScreen, ids: Sequence[str], name: str) -> None:
        """`name` says which tests `ids` are."""
        self._app, self._context, self._session = screen.app, screen.context, screen.session
        self._ids, self._name = ids, name

    def open(self) -> None:
        """Ask which edit, and propose it."""
        menu = Pick(self._name, [Option(act, *act.value) for act in Act])
        self._app.push_screen(menu, lambda act: self._begin(act, self._ids) if act else None)

    def _begin(self, act: Act, ids: Sequence[str]) -> None:
        entries = [entry for id in ids if (entry := self._session.matrix.entries.get(id))]
        if not entries and act not in (Act.ADD_MARKER, Act.ADD_ARCH):
            self._context.notify.info(f"Nothing to {act.value[0]}: {self._name} has no entry in any file.")
            return
        match act:
            case Act.ADD_MARKER:
                self._ask(
                    "Add which marker?",
                    "",
                    lambda text: with_item(self._session.matrix, ids, "markers", one_marker(text)),
                    lambda text: marker_doubt(self._session.matrix, words(text)),
                )
            case Act.ADD_ARCH:
                self._pick_item("Add which arch?", ids, "supported_archs", OpKind.ADD)
            case Act.REMOVE_MARKER:
                self._pick_item("Remove which marker?", ids, "markers", OpKind.REMOVE)
            case Act.REMOVE_ARCH:
                self._pick_item("Remove which arch?", ids, "supported_archs", OpKind.REMOVE)
            case Act.RENAME:
                self._rename(entries)
            case Act.MOVE:
                self._move(entries)
            case Act.DELETE:
                self._delete(entries)

    def _propose(self, make: Callable[[], Sequence[Operation]]) -> None:
        try:
            operations = make()
        except TTMatrixError as error:
            self._context.notify.error(error)
            return
        if not operations:
            self._context.notify.info("No change: every entry already has this value.")
        self._context.edits.propose(operations)

    def _ask(
        self,
        title: str,
        value: str,
        make: Callable[[str], Sequence[Operation]],
        doubt: Callable[[str], str] = lambda _: "",
    ) -> None:
        def check(text: str) -> None:
            if not make(text.strip()):
                raise UsageError("Nothing to change: the entry already says this")

        question = Ask(title, self._name, value=value, verb="propose", check=check, doubt=doubt)
        self._app.push_screen(question, lambda text: self._propose(lambda: make(text.strip())) if text else None)

    def _pick_item(self, title: str, ids: Sequence[str], field: str, kind: OpKind) -> None:
        """Choose among the items that some of the tests have, or, to add one, among the archs there are."""
        matrix = self._session.matrix
        have = Counter(item for id in ids for item in listed(matrix.entries.get(id), field))
        items = matrix.schema.archs if kind is OpKind.ADD else tuple(have)
        if not items:
            self._context.notify.info(f"There are no {field} to remove.")
            return
        make = with_item if kind is OpKind.ADD else without_item
        options = [Option(item, one_line(item), f"in {have[item]:,} of {counted(len(ids), 'test')}") for item in items]
        self._app.push_screen(
            Pick(title, options), lambda item: self._propose(lambda: make(matrix, ids, field, item)) if item else None
        )

    def _rename(self, entries: Sequence[Entry]) -> None:
        if len(entries) != 1:
            self._context.notify.info("Rename one entry at a time.")
            return
        (entry,) = entries

        def renamed(text: str) -> Sequence[Operation]:
            if text in self._session.matrix.entries and text != entry.id:
                raise UsageError(f"{text} has an entry already", "Two entries cannot have the same id")
            return [] if text == entry.id else [Operation(OpKind.RENAME, entry.id, entry.file, to=text)]

        self._ask("Rename the entry to", entry.id, renamed)

    def _move(self, entries: Sequence[Entry]) -> None:
        here = Counter(entry.file for entry in entries)
        placeholders = self._session.matrix.schema.placeholders_filename
        options = [
            Option(file.name, one_line(file.name), f"has {counted(len(file.entries), 'test')}")
            for file in self._session.matrix.files
            if not file.name.endswith(placeholders) and here[file.name] < len(entries)
        ]

        def moved(target: str) -> Sequence[Operation]:
            return [Operation(OpKind.MOVE, one.id, one.file, to=target) for one in entries if one.file != target]

        self._app.push_screen(
            Pick("Move to which file?", options), lambda file: self._propose(lambda: moved(file)) if file else None
        )

    def _delete(self, entries: Sequence[Entry]) -> None:
        names = [one_line(entry.id) for entry in entries[:_SHOWN_IDS]]
        more = [f"and {len(entries) - _SHOWN_IDS:,} more"] if len(entries) > _SHOWN_IDS else []
        without = len(self._ids) - len(entries)
        note = [f"{counted(without, 'test')} without an entry left out"] if without else []
        count = "the entry" if len(entries) == 1 else f"{len(entries):,} entries"
        question = Confirm(f"Delete {count}?", "\n".join((*names, *more, *note)), verb="propose it")
        operations = [Operation(OpKind.REMOVE, entry.id, entry.file) for entry in entries]
        self._app.push_screen(question, lambda yes: self._context.edits.propose(operations) if yes else None)


def one_marker(text: str) -> str:
    """The marker that a person typed. Raises UsageError where it is not one."""
    markers = words(text)
    if len(markers) != 1:
        raise UsageError("markers: one at a time; E sets several", f"These are {len(markers)}: {', '.join(markers)}")
    return markers[0]
