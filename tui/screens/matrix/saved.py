# SPDX-License-Identifier: Apache-2.0
"""Saved views: open one, save the present one under a name, delete one."""

from collections.abc import Callable, Mapping

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label

from core.base.text import one_line
from core.matrix.view import BY_LAYOUT, Saved, ViewSpec
from tui.screens.dialogs import Ask, Confirm, DialogKey
from tui.screens.list_dialog import ListDialog
from tui.view_models import Cell, Row, Rows, TableColumn
from tui.widgets import RowTable

SaveChange = Callable[[Callable[[Saved], Saved]], Saved | None]
"""Changes the saved views. None: it failed, and that was reported."""


_COLUMNS = (
    TableColumn("view", 22),
    TableColumn("query", 24, share=2, elide=True),
    TableColumn("shown as", 18, yields=1),
    TableColumn("", 7),
)


def _rows(saved: Saved) -> Rows[str]:
    """Named views."""
    views: Mapping[str, ViewSpec] = saved.all()

    def cells(name: str) -> Row:
        return (
            [Cell(one_line(name), "running")],
            [Cell(one_line(str(views[name].query)) or "all tests")],
            [Cell(way(views[name]), "dim")],
            [Cell("yours" if name in saved.views else "", "dim")],
        )

    return Rows([*views], _COLUMNS, cells, key=str)


def way(spec: ViewSpec) -> str:
    """The layout of a view in a few words."""
    order = f"sorted by {spec.sort}{' ↓' if spec.descending else ''}" if spec.sort != "id" or spec.descending else ""
    shape = BY_LAYOUT[spec.grid].help if spec.grid else f"grouped by {spec.group}" if spec.group else ""
    return ", ".join(filter(None, (shape, order, spec.arch)))


class Views(ListDialog[ViewSpec]):
    """Returns the view to open."""

    KEYS = (
        DialogKey("enter", "choose", "open"),
        DialogKey("n", "name", "save this view"),
        DialogKey("D", "delete", "delete"),
    )
    LEAVE = "close"

    def __init__(self, present: ViewSpec, saved: Saved, keep: SaveChange) -> None:
        super().__init__()
        self._present = present
        self._saved = saved
        self._keep = keep

    def compose(self) -> ComposeResult:
        table, title = RowTable(_rows(self._saved)), "Saved views"
        with self.list_box(table, title):
            yield Label(Text(title), id="dialog-title")
            yield table
            yield self.hint_label()

    @property
    def table(self) -> RowTable:
        return self.query_one(RowTable)

    @property
    def _own(self) -> str:
        """The name under the cursor where it is the person's own."""
        name = self.table.cursor_key or ""
        return name if name in self._saved.views else ""

    def action_choose(self) -> None:
        name = self.table.cursor_key
        if name is not None:
            self.dismiss(self._saved.all()[name])

    def action_name(self) -> None:
        """Save the present view; a view of the same name is replaced only after a question."""
        body = f"{str(self._present.query) or 'all tests'}\n{way(self._present)}".strip()
        question = Ask("Save this view as", body, value=self._own, verb="save it")
        self.app.push_screen(question, self._named)

    def _named(self, name: str | None) -> None:
        if name is None:
            return
        if not self._saved.has(name):
            self._save(name)
            return
        body = f"{one_line(name)} is the name of another saved view."
        question = Confirm("Replace it?", body, verb="replace it")
        self.app.push_screen(question, lambda yes: self._save(name) if yes else None)

    def _save(self, name: str) -> None:
        self._changed(lambda saved: saved.with_view(name, self._present), " ".join(name.split()))

    def action_delete(self) -> None:
        name = self._own
        if not name:
            self.notify("This view comes with ttmatrix and cannot be deleted.", markup=False)
            return
        question = Confirm("Delete this view?", name, verb="delete it")
        self.app.push_screen(
            question, lambda yes: self._changed(lambda saved: saved.without_view(name), None) if yes else None
        )

    def _changed(self, change: Callable[[Saved], Saved], cursor: str | None) -> None:
        saved = self._keep(change)
        if saved is not None:
            self._saved = saved
            self.table.show(_rows(saved), keep=cursor)
            self.fit_list(len(self.table.source))
