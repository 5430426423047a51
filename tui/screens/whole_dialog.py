# SPDX-License-Identifier: Apache-2.0
"""A dialog that has the whole screen looks as a screen does: rules above its panes, then messages, then keys."""

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.widget import Widget

from tui.screens.dialogs import Dialog
from tui.view_models import Cell, place_text
from tui.widgets import CachedBox, CellLines, LinesView, PaneRule, RowTable

T = TypeVar("T")
_GAP = "  "


class WholeDialog(Dialog[T]):
    """A dialog yields its widgets in `body`, the first rule among them, and says in `rules` which is above what."""

    LEAVE: ClassVar[str] = "close"

    def __init__(self) -> None:
        super().__init__(classes="whole-dialog")
        self.rule = PaneRule(id="dialog-rule")
        """Above the first pane: what is shown, and where in it one is."""
        self.messages = CellLines(id="dialog-messages")
        self._hints = CellLines(id="dialog-keys", margin=0)

    def compose(self) -> ComposeResult:
        with CachedBox(id="box"):
            yield from self.body()
            yield self.messages
            yield self._hints

    def body(self) -> ComposeResult:
        """The widgets above the line of messages."""
        return ()

    def rules(self) -> Mapping[Widget, PaneRule]:
        """The rules, by the widgets below them that can have the keys."""
        return {}

    def say(self, words: str, style: str = "") -> None:
        """Show a message."""
        self.messages.show([[Cell(words, style)]])

    def on_mount(self) -> None:
        for widget, rule in self.rules().items():
            if isinstance(widget, LinesView):
                self.watch(widget, "scroll_y", lambda _, widget=widget, rule=rule: _say_place(widget, rule), init=False)

    def on_descendant_focus(self) -> None:
        """The rule above the pane that has the keys is heavy."""
        super().on_descendant_focus()
        for widget, rule in self.rules().items():
            rule.light(widget.has_focus)

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        if (rule := self.rules().get(event.table)) is not None:
            rule.at(event.table.place)

    def on_resize(self, event: events.Resize) -> None:
        self.show_hint()

    def show_hint(self) -> None:
        """Show the keys as they are now, those that have room: escape always."""
        *pairs, leave = self.hint_pairs()
        left = self.size.width - _width(leave)
        cells: list[Cell] = []
        for pair in pairs:
            left -= _width(pair)
            if left < 0:
                break
            cells += _key_cells(pair)
        self._hints.show([[*cells, *_key_cells(leave)]])


def _width(pair: tuple[str, str]) -> int:
    return cell_len(" ".join(pair)) + len(_GAP)


def _key_cells(pair: tuple[str, str]) -> list[Cell]:
    keys, words = pair
    return [Cell(f" {keys}", "key"), Cell(f" {words} ")]


def _say_place(view: LinesView, rule: PaneRule) -> None:
    rule.at(place_text(round(view.scroll_offset.y), view.virtual_size.height))
