# SPDX-License-Identifier: Apache-2.0
"""Small questions and notices that stand in front of a screen."""

from pathlib import Path
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from core.errors import TTMatrixError
from core.text import printable

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A box in the middle; escape leaves it with None."""

    CSS_PATH = Path(__file__).with_name("dialogs.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", show=False)]

    def action_leave(self) -> None:
        self.dismiss(None)


class Confirm(Dialog[bool]):
    """A question answered by a key that is not the one that raised it."""

    def __init__(self, title: str, body: str, *, verb: str, key: str = "y") -> None:
        super().__init__()
        self._title = title
        self._body = body
        self._verb = verb
        self._key = key

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label(Text(printable(self._title)), id="dialog-title")
            yield Label(Text(printable(self._body)))
            yield Label(Text(f"{self._key} {self._verb}   esc leave it"), id="dialog-hint")

    def on_key(self, event: Key) -> None:
        if event.key == self._key:
            event.stop()
            self.dismiss(True)


class Notice(Dialog[None]):
    """An error a person must read: what, where, and what to do."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q", "leave", "Close", show=False)]

    def __init__(self, error: TTMatrixError) -> None:
        super().__init__(classes="error")
        self._error = error

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label(Text(printable(self._error.title)), id="dialog-title")
            yield Label(Text(printable("\n".join(filter(None, (self._error.detail, self._error.hint))))))
            yield Label(Text("esc close"), id="dialog-hint")


class Ask(Dialog[str]):
    """A question answered by one line of text."""

    def __init__(self, title: str, body: str = "", *, value: str = "", verb: str = "go on") -> None:
        super().__init__()
        self._title = title
        self._body = body
        self._value = value
        self._verb = verb

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label(Text(printable(self._title)), id="dialog-title")
            if self._body:
                yield Label(Text(printable(self._body) + "\n"))
            answer = Input(self._value)
            answer.cursor_blink = False
            yield answer
            yield Label(Text(f"enter {self._verb}   esc leave it"), id="dialog-hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.dismiss(event.value)
