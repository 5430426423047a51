# SPDX-License-Identifier: Apache-2.0
"""Choose the columns of the table, their order, and the sort column."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label

from core.matrix.view import BY_TABLE_FIELD, TABLE_FIELDS, ViewSpec
from tui.screens.dialogs import DialogKey
from tui.screens.list_dialog import ListDialog
from tui.view_models import Cell, Row, Rows, TableColumn
from tui.widgets import RowTable


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The visible columns in order, and the sort order."""

    columns: tuple[str, ...]
    sort: str
    descending: bool


_COLUMNS = (
    TableColumn("shown", 5),
    TableColumn("column", 13),
    TableColumn("order", 5),
    TableColumn("description", 20),
)


def _rows(choice: ColumnChoice, names: Sequence[str]) -> Rows[str]:
    """All columns: the visible ones in order, then the others."""

    def cells(name: str) -> Row:
        field = BY_TABLE_FIELD[name]
        shown = name in choice.columns
        order = ("▼" if choice.descending else "▲") if name == choice.sort else ""
        return (
            [Cell("yes" if shown else "", "pass")],
            [Cell(field.title, "" if shown else "dim")],
            [Cell(order, "running")],
            [Cell(field.help, "dim")],
        )

    return Rows([*names], _COLUMNS, cells, key=str)


class Columns(ListDialog[ColumnChoice]):
    """Returns the choice. The column of ids is always visible."""

    KEYS = (
        DialogKey("space", "choose", "show", "Show or hide"),
        DialogKey("J,shift+down", "reorder(1)", "move", "Move down"),
        DialogKey("K,shift+up", "reorder(-1)", "move", "Move up"),
        DialogKey("greater_than_sign", "sort", "sort", "Sort by it; again: reverse"),
        DialogKey("0", "defaults", "defaults"),
        DialogKey("enter", "apply", "apply"),
    )

    def __init__(self, spec: ViewSpec, defaults: Sequence[str], *, hidden: Collection[str] = ()) -> None:
        """`hidden` columns cannot be chosen: no row has them."""
        super().__init__()
        self._defaults = tuple(defaults)
        self._choice = ColumnChoice(spec.columns, spec.sort, spec.descending)
        known = (one.name for one in TABLE_FIELDS if one.name not in hidden)
        others = (name for name in known if name not in spec.columns)
        self._names = [*spec.columns, *others]

    def compose(self) -> ComposeResult:
        table, title = RowTable(_rows(self._choice, self._names)), "Columns of the table"
        with self.list_box(table, title):
            yield Label(Text(title), id="dialog-title")
            yield table
            yield self.hint_label()

    def _show(self, choice: ColumnChoice, keep: str) -> None:
        self._choice = choice
        self.query_one(RowTable).show(_rows(choice, self._names), keep=keep)

    @property
    def _current(self) -> str:
        return self._names[self.query_one(RowTable).cursor]

    def action_choose(self) -> None:
        name, choice = self._current, self._choice
        if name == "id":
            return
        chosen = {*choice.columns} ^ {name}
        columns = tuple(one for one in self._names if one in chosen)
        self._show(ColumnChoice(columns, choice.sort, choice.descending), name)
        self.query_one(RowTable).action_move(1)

    def action_reorder(self, steps: int) -> None:
        """Move the column by so many places."""
        name, names = self._current, self._names
        at = names.index(name)
        to = max(0, min(at + steps, len(names) - 1))
        names.insert(to, names.pop(at))
        columns = tuple(one for one in names if one in self._choice.columns)
        self._show(ColumnChoice(columns, self._choice.sort, self._choice.descending), name)

    def action_sort(self) -> None:
        name, choice = self._current, self._choice
        descending = name == choice.sort and not choice.descending
        self._show(ColumnChoice(choice.columns, name, descending), name)

    def action_defaults(self) -> None:
        self._names.sort(key=[*self._defaults, *BY_TABLE_FIELD].index)
        self._show(ColumnChoice(self._defaults, "id", False), self._current)

    def action_apply(self) -> None:
        self.dismiss(self._choice)
