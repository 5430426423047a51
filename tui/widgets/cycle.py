# SPDX-License-Identifier: Apache-2.0
"""One value out of a few, chosen with the left and right arrows."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Cycle(Widget, can_focus=True):
    """Shows the chosen option; `value` is "" for the first one when that means nothing."""

    DEFAULT_CSS = """
    Cycle { height: 1; width: 1fr; background: $boost; text-style: $field-style; }
    Cycle:focus { background: $cursor; text-style: $cursor-style; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Previous", show=False),
        Binding("right,l,space", "step(1)", "Next", show=False),
    ]

    position: reactive[int] = reactive(0)

    class Changed(Message):
        """Another option is chosen."""

        def __init__(self, cycle: "Cycle") -> None:
            super().__init__()
            self.cycle = cycle

    def __init__(self, options: Sequence[tuple[str, str]], value: str, *, id: str) -> None:
        super().__init__(id=id)
        self.options: Sequence[tuple[str, str]] = options
        """(value, shown text) of each option; not empty."""
        self.set_reactive(Cycle.position, self._position_of(value))

    def _position_of(self, value: str) -> int:
        return next((at for at, (option, _) in enumerate(self.options) if option == value), 0)

    @property
    def value(self) -> str:
        return self.options[self.position][0]

    @value.setter
    def value(self, value: str) -> None:
        self.position = self._position_of(value)
        self.refresh()

    @property
    def roomy(self) -> int:
        """The cells that its widest option needs."""
        return 4 + max(cell_len(shown) for _, shown in self.options)

    def render(self) -> Text:
        return Text(f"‹ {self.options[self.position][1]} ›", no_wrap=True)

    def action_step(self, steps: int) -> None:
        self.position = (self.position + steps) % len(self.options)
        self.post_message(self.Changed(self))
