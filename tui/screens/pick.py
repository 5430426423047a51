# SPDX-License-Identifier: Apache-2.0
"""One out of a list: type to filter, enter takes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Label

from core.base.text import one_line
from tui.commands import Command
from tui.key_names import key_text
from tui.protocol import Context
from tui.screens.dialogs import DialogKey
from tui.screens.list_dialog import ListDialog
from tui.view_models import Cell, Meaning, Row, Rows, TableColumn
from tui.widgets import RowTable, TextField

T = TypeVar("T")

_LEAST_NAME, _MOST_NAME = 6, 30
_LEAST_HELP = 30


@dataclass(frozen=True, slots=True)
class Option(Generic[T]):
    """One thing to take, with what is said about it."""

    value: T
    name: str
    help: str
    note: str = ""
    off: bool = False
    """Whether it does nothing now."""


def option_rows(
    options: Sequence[Option[T]], among: Sequence[Option[T]], titles: Sequence[str], *, helped: int = _LEAST_HELP
) -> Rows[Option[T]]:
    """Options. `among` are all that there are: the columns have their widths from them.

    With less than `helped` cells for the help there is no note.
    """
    names, notes = (
        max((cell_len(text) for text in texts), default=0)
        for texts in ((one.name for one in among), (one.note for one in among))
    )
    name, help_, note = titles
    # Names that nothing is said about have the whole width: test ids differ at their ends.
    said = any(one.help for one in among)
    width = max(_LEAST_NAME, min(names, _MOST_NAME))
    columns = (
        TableColumn(name, width, least=width, most=width if said else 0, elide=not said),
        TableColumn(help_ if said else "", helped, share=2),
        TableColumn(note if notes else "", notes, yields=1, least=notes),
    )
    return Rows(options, columns, _cells, key=lambda option: f"{option.name} {option.help}")


def _cells(option: Option[T]) -> Row:
    name, help = ("dim", "dim") if option.off else ("running", "")
    return [Cell(one_line(option.name), name)], [Cell(one_line(option.help), help)], [Cell(option.note, "dim")]


PICK_KEYS = (DialogKey("up", "move(-1)", "choose", "Up"), DialogKey("down", "move(1)", "choose", "Down"))
"""The keys of a list below a line that has the keys."""


class Pick(ListDialog[T]):
    """Dismissed with the value of the option that was taken."""

    KEYS: ClassVar[Sequence[DialogKey]] = (*PICK_KEYS, DialogKey("enter", "", "select", of=TextField))
    TITLES: ClassVar[Sequence[str]] = ("name", "description", "")
    HELPED: ClassVar[int] = _LEAST_HELP
    """Cells that the help has at least, even if the note has none."""
    LEAST: ClassVar[int] = 0
    """Cells of the list even if its present options need fewer."""

    def __init__(self, title: str, options: Sequence[Option[T]], value: T | None = None) -> None:
        """The cursor begins at the option of that value."""
        super().__init__()
        self._title = title
        self._options = options
        self._listed = options
        """The options that match what is typed."""
        self._at = next((at for at, one in enumerate(options) if value is not None and one.value == value), 0)

    def compose(self) -> ComposeResult:
        table = RowTable(self._rows(self._options))
        # What is typed stays in the line: a click chooses, two take.
        table.can_focus = False
        with self.list_box(table, self._title, above=1, least=self.LEAST):
            yield Label(Text(self._title), id="dialog-title")
            yield TextField(placeholder="type to filter")
            yield table
            yield self.hint_label()

    def _rows(self, options: Sequence[Option[T]]) -> Rows[Option[T]]:
        return option_rows(options, self._options, self.TITLES, helped=self.HELPED)

    def hints(self) -> Mapping[str, str]:
        return {} if self._listed else dict.fromkeys(("up", "down", "enter"), "")

    def said_first(self) -> str:
        return "" if self._listed else "Nothing matches what is typed"

    def on_mount(self) -> None:
        self.query_one(RowTable).cursor = self._at

    def on_input_changed(self) -> None:
        self._show_found()
        self.query_one(RowTable).cursor = 0

    def add(self, options: Sequence[Option[T]]) -> None:
        """Add options after the present ones."""
        self._options = [*self._options, *options]
        self.fit_list(len(self._options))
        self._show_found()

    def _show_found(self) -> None:
        words = self.query_one(Input).value.lower().split()
        found = self._listed = [
            one for one in self._options if all(word in f"{one.name} {one.help} {one.note}".lower() for word in words)
        ]
        self.query_one(RowTable).show(self._rows(found))
        self.show_hint()

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the letters typed before it, however fast they came.
        self.choose()

    def action_move(self, rows: int) -> None:
        self.query_one(RowTable).action_move(rows)

    @property
    def highlighted(self) -> Option[T] | None:
        """The option under the cursor."""
        cursor = self.query_one(RowTable).cursor
        return self._listed[cursor] if cursor < len(self._listed) else None

    def choose(self) -> None:
        if self.highlighted is not None:
            self.dismiss(self.highlighted.value)


@dataclass(frozen=True, slots=True)
class Typed:
    """The beginning of a query, to be typed for the person."""

    text: str


Helped = Command | Typed | None
"""A choice in help: a command to run, a query to begin, or nothing but an explanation."""


class HelpScreen(Pick[Helped]):
    """Dismissed with the command to run or the query to begin."""

    TITLES: ClassVar[Sequence[str]] = ("key", "description", "where")
    KEYS = (*PICK_KEYS, DialogKey("enter", "", "run", of=TextField))
    HELPED: ClassVar[int] = 50
    LEAST: ClassVar[int] = 96
    """The fields of a query come later."""

    def __init__(
        self,
        context: Context,
        commands: Sequence[Command],
        meanings: Sequence[Meaning] = (),
        fields: Callable[[], Sequence[tuple[str, str]]] | None = None,
    ) -> None:
        """`meanings` are the signs on the screen; `fields` has those of a query, and is called in a thread."""
        self.context = context
        self._fields = fields
        options: list[Option[Helped]] = [
            Option(one, key_text(one), f"{one.label}: {one.help}" if one.off else one.help, one.where, one.off)
            for one in commands
        ]
        options += [Option(None, one.sign, one.words, "legend") for one in meanings]
        super().__init__("Keys that work here, signs and query fields" if fields else "Keys that work here", options)

    def once_painted(self) -> None:
        if self._fields is not None:
            self.context.background.run("query fields", self._fields, self.add_fields, supersede=True, asks=True)

    def add_fields(self, fields: Sequence[tuple[str, str]]) -> None:
        """List the fields of a query, too: as they are typed, with what they ask."""
        if self.is_attached:
            self.add([Option(Typed(name), name, words, "query field") for name, words in fields])

    def choose(self) -> None:
        """Choose an option; one that only explains something keeps the list open."""
        if self.highlighted is not None and self.highlighted.value is not None:
            super().choose()


class KeyHelp(Pick[None]):
    """The keys of the dialog behind it."""

    KEYS = tuple(one._replace(hint="scroll") for one in PICK_KEYS)
    LEAVE = "close"
    TITLES: ClassVar[Sequence[str]] = ("key", "description", "")

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        """Each key comes with what it does."""
        super().__init__("Keys that work here", [Option(None, key, words) for key, words in keys])
