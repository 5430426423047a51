# SPDX-License-Identifier: Apache-2.0
"""Fields below each other, a line each, with their names before them."""

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input

from tui.widgets.cycle import Cycle
from tui.widgets.line_base import CachedBox, CachedText

_LEAST_TYPED = 40
"""Cells of a field to type in."""


class TextField(Input):
    """One line of text, with a cursor that does not blink.

    The reader of its text checks it. The stock input validates each letter, and looks up all its styles once more when
    it gets its first text: for a form with three of them, a tenth of its first frame.
    """

    def __init__(self, value: str = "", placeholder: str = "", **options: Any) -> None:
        super().__init__(value, placeholder, validate_on=(), **options)
        self.cursor_blink = False

    async def _on_key(self, event: Key) -> None:
        # In an empty line it is no letter yet; later only f1 can ask.
        if event.key == "question_mark" and not self.value:
            event.stop()
            event.prevent_default()
            await self.run_action("app.help")


def _room(field: Widget) -> int:
    """The cells that the values of a field need."""
    if isinstance(field, Cycle):
        return field.roomy
    if isinstance(field, Input):
        return max(_LEAST_TYPED, cell_len(field.value) + 1, cell_len(field.placeholder))
    return _LEAST_TYPED


class Form(CachedBox):
    """The fields of a dialog.

    One widget has all names: with a box and a label for each field, a dialog of ten took twice as long to open.
    """

    DEFAULT_CSS = """
    Form { layout: horizontal; }
    Form, Form > #fields { height: auto; }
    Form > #fields { width: 1fr; }
    Form > #fields > * { width: 100%; height: 1; }
    Form > #field-names { height: auto; color: $muted; text-style: $muted-style; }
    """

    def __init__(self, fields: Sequence[tuple[str, Widget]]) -> None:
        """Each field comes with its name. One that is not displayed takes no time until it is shown."""
        super().__init__()
        self._fields = fields

    def compose(self) -> ComposeResult:
        names = CachedText(self._names(), id="field-names", markup=False)
        names.styles.width = self._names_width
        yield names
        with CachedBox(id="fields"):
            for _, field in self._fields:
                if field.display:
                    yield field

    @property
    def _names_width(self) -> int:
        return max(cell_len(name) for name, _ in self._fields) + 2

    def roomy(self, most: int) -> int:
        """The cells that it needs for no value to be cut, with at most `most` of them for these."""
        return self._names_width + min(most, max(_room(field) for _, field in self._fields))

    def show(self, id: str, shown: bool) -> None:
        """Show the field of that id with its name, or neither."""
        above: Widget | None = None
        for _, field in self._fields:
            if field.id == id and field.display != shown:
                field.display = shown
                if not field.is_attached:
                    self.query_one("#fields").mount(field, after=above)
                self.query_one("#field-names", CachedText).update(self._names())
            above = field if field.is_attached else above

    def _names(self) -> str:
        return "\n".join(name for name, field in self._fields if field.display)
