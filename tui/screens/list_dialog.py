# SPDX-License-Identifier: Apache-2.0
"""A dialog with a list: it is as large as that needs, and says below where the cursor is."""

from typing import TypeVar

from tui.screens.dialogs import Dialog
from tui.widgets import DialogBox, RowTable

T = TypeVar("T")

_HEADS = 1
"""The line above the rows."""


class ListDialog(Dialog[T]):
    """Its keys go to the list, also while one types."""

    def __init__(self) -> None:
        super().__init__(classes="pick")
        self._around = 0
        """Lines of the box beside the rows, its title and its keys."""

    def list_box(self, table: RowTable, title: str = "", *, above: int = 0, least: int = 0) -> DialogBox:
        """The box with `title`, `above` more lines, the list and the keys; the list has `least` cells or more."""
        self._around = above + _HEADS + 1 + bool(title)
        lines = self._around + len(table.source)
        return self.box(*filter(None, [title]), width=max(least, table.roomy), lines=lines)

    def fit_list(self, rows: int) -> None:
        """Have room for so many rows: there are more to choose from than before, or fewer."""
        self.query_one(DialogBox).hold(lines=self._around + rows)

    def on_row_table_highlighted(self) -> None:
        if self.is_attached:
            self.query_one(DialogBox).say_place(self.query_one(RowTable).place)
