# SPDX-License-Identifier: Apache-2.0
"""The keys that work where help was asked for: filter them, run one with enter."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Label

from tui.commands import Command, key_text
from tui.presentation import Cell
from tui.screens.dialogs import Dialog
from tui.widgets.row_table import RowTable, TableColumn


class CommandRows:
    """A RowSource over commands."""

    columns: Sequence[TableColumn] = (
        TableColumn("key", 12),
        TableColumn("what it does", 30, share=1),
        TableColumn("where", 16, from_width=70),
    )

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = commands

    def __len__(self) -> int:
        return len(self.commands)

    def key(self, position: int) -> str:
        return self.commands[position].id

    def marked(self, position: int) -> bool:
        return False

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        command = self.commands[position]
        return [Cell(key_text(command), "running")], [Cell(command.help)], [Cell(command.where, "dim")]


class HelpScreen(Dialog[Command]):
    """Dismissed with the command to run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Run", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
    ]

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__(classes="help")
        self._commands = commands

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label(Text("Keys that work here"), id="dialog-title")
            words = Input(placeholder="type to filter")
            words.cursor_blink = False
            yield words
            yield RowTable(CommandRows(self._commands))
            yield Label(Text("↑ ↓ choose   enter run   esc close"), id="dialog-hint")

    def on_input_changed(self, event: Input.Changed) -> None:
        words = event.value.lower().split()
        found = [
            one
            for one in self._commands
            if all(word in f"{key_text(one)} {one.label} {one.help}".lower() for word in words)
        ]
        self.query_one(RowTable).show(CommandRows(found))

    def action_move(self, rows: int) -> None:
        self.query_one(RowTable).action_move(rows)

    def action_choose(self) -> None:
        id = self.query_one(RowTable).cursor_key
        chosen = next((command for command in self._commands if command.id == id), None)
        if chosen is not None:
            self.dismiss(chosen)
