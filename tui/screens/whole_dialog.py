# SPDX-License-Identifier: Apache-2.0
"""A dialog that has the whole screen looks as a screen does: rules above its panes, then messages, then keys."""

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Label

from tui.screens.dialogs import Dialog
from tui.view_models import place_text
from tui.widgets import CachedBox, LinesView, PaneRule, RowTable

T = TypeVar("T")


class WholeDialog(Dialog[T]):
    """Panes below their rules, which `body` gives.

    Lines have the id `text`, as on screens, and with it their indent.
    """

    LEAVE: ClassVar[str] = "close"

    def __init__(self) -> None:
        super().__init__()
        self.rule = PaneRule()
        """Above the first pane: what is shown, and where in it one is."""

    def compose(self) -> ComposeResult:
        with CachedBox(id="box"):
            yield from self.body()
            yield Label("", id="dialog-message")
            yield self.hint_label()

    def body(self) -> ComposeResult:
        """The widgets above the line of messages."""
        return ()

    def rules(self) -> Mapping[Widget, PaneRule]:
        """The rules, by the widgets below them that can have the keys."""
        return {}

    def place_of(self, pane: Widget) -> str:
        """The place in a pane: the row under the cursor, or the last line that is visible."""
        if isinstance(pane, LinesView):
            count = pane.source.line_count
            return place_text(min(count, pane.scroll_offset.y + pane.size.height) - 1, count)
        return pane.place if isinstance(pane, RowTable) else ""

    def show_places(self) -> None:
        """Say on the rules where one is, once everything has its size."""
        self.call_after_refresh(self._say_places)

    def _say_places(self) -> None:
        if self.is_attached:
            for pane, rule in self.rules().items():
                rule.at(self.place_of(pane))

    def say(self, words: str, look: str = "") -> None:
        """Show a message: in `pass`, `error` or `dim`."""
        label = self.query_one("#dialog-message", Label)
        label.update(Text(words))
        label.set_classes(look)

    def on_mount(self) -> None:
        for pane in self.rules():
            if isinstance(pane, LinesView):
                self.watch(pane, "scroll_y", self._say_places, init=False)
        self.show_places()

    def on_resize(self) -> None:
        self.show_places()

    def on_row_table_highlighted(self) -> None:
        self._say_places()

    def on_descendant_focus(self) -> None:
        """The rule above the pane that has the keys is heavy."""
        for pane, rule in self.rules().items():
            rule.light(pane.has_focus)
