# SPDX-License-Identifier: Apache-2.0
"""Fields below each other, a line each, with their names before them."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from tui.widgets.line_base import CachedText


class Form(Horizontal):
    """The fields of a dialog.

    One widget has all names: with a box and a label for each field, a dialog of ten took twice as long to open.
    """

    DEFAULT_CSS = """
    Form, Form > Vertical { height: auto; }
    Form > Vertical { width: 1fr; }
    Form > Vertical > * { width: 100%; height: 1; }
    Form > #field-names { width: 17; height: auto; color: $muted; text-style: $muted-style; }
    """

    def __init__(self, fields: Sequence[tuple[str, Widget]]) -> None:
        """Each field comes with its name."""
        super().__init__()
        self._fields = fields

    def compose(self) -> ComposeResult:
        yield CachedText(self._names(), id="field-names", markup=False)
        with Vertical():
            for _, field in self._fields:
                yield field

    def show(self, field: Widget, shown: bool) -> None:
        """Show a field with its name, or neither."""
        if field.display != shown:
            field.display = shown
            self.query_one("#field-names", CachedText).update(self._names())

    def _names(self) -> str:
        return "\n".join(name for name, field in self._fields if field.display)
