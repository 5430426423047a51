# SPDX-License-Identifier: Apache-2.0
"""Two logs or two programs side by side, with what differs between them."""

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.widgets import Label

from core.base.text import counted, one_line
from tui.screens.dialogs import Dialog, DialogKey
from tui.view_models import ListedPairs, Pair, PairLines, Pairs
from tui.widgets import CachedBox, LinesView

_STEP = 16
"""Characters that one key press goes sideways."""


class SideBySide(Dialog[None]):
    """Shows pairs of lines."""

    KEYS = (
        DialogKey("n", "difference(1)", "differences", "Next difference"),
        DialogKey("N", "difference(-1)", "differences", "Difference before"),
        DialogKey("u", "unfold", "equal lines"),
        # Before the view, which would scroll both sides as one line.
        DialogKey("left", "sideways(-1)", "sideways", "Left", ahead=True),
        DialogKey("right", "sideways(1)", "sideways", "Right", ahead=True),
        DialogKey("q", "leave", "", "Close"),
    )
    LEAVE = "close"

    def __init__(self, title: str, heads: tuple[str, str], pairs: Pairs) -> None:
        """`heads` say what is on each side."""
        super().__init__(classes="wide")
        self._title = title
        self._heads = heads
        self._pairs = pairs
        self.lines = PairLines(pairs)
        self.view = LinesView(lambda _: "")
        self._folded = True

    def compose(self) -> ComposeResult:
        with CachedBox(id="box"):
            apart = len(self._pairs.apart)
            words = f"{counted(apart, 'line')} {'differs' if apart == 1 else 'differ'}"
            yield Label(Text(f"{one_line(self._title)}: {words}"), id="dialog-title")
            yield Label("", id="sides")
            yield self.view
            yield self.hint_label()

    def on_mount(self) -> None:
        self.view.focus()
        self.call_after_refresh(self._show)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        top = self.view.scroll_offset.y
        self.lines.width = self.view.size.width
        self.query_one("#sides", Label).update(Text(self._head(), no_wrap=True, style="bold"))
        self.view.show(self.lines)
        self.view.go_to_row(top)

    def _head(self) -> str:
        lines = PairLines(ListedPairs([Pair(*self._heads, False)]))
        lines.width = self.lines.width
        (line,) = lines.lines(0, 1)
        return "".join(cell.text for cell in line if not isinstance(cell, str))

    def action_sideways(self, steps: int) -> None:
        self.lines.offset = max(0, self.lines.offset + steps * _STEP)
        self.view.refresh()

    def action_difference(self, steps: int) -> None:
        top, found = self.view.scroll_offset.y, self.lines.differences
        after = [row for row in found if row > top] if steps > 0 else [row for row in found if row < top][::-1]
        if after:
            self.view.go_to_row(after[0])

    def action_unfold(self) -> None:
        """Show equal lines, too, or fold them again."""
        self._folded = not self._folded
        offset = self.lines.offset
        self.lines = PairLines(self._pairs, folded=self._folded)
        self.lines.offset = offset
        self._show()
