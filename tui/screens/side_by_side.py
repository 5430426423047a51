# SPDX-License-Identifier: Apache-2.0
"""Two logs or two programs side by side, with what differs between them."""

from collections.abc import Mapping

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Label

from core.base.text import counted, one_line
from tui.screens.dialogs import DialogKey
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import ListedPairs, Pair, PairLines, Pairs
from tui.widgets import LinesView, PaneRule

_STEP = 16
"""Characters that one key press goes sideways."""


class SideBySide(WholeDialog[None]):
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

    def __init__(self, title: str, heads: tuple[str, str], pairs: Pairs) -> None:
        """`heads` say what is on each side."""
        super().__init__()
        self._title = title
        self._heads = heads
        self._pairs = pairs
        self.lines = PairLines(pairs)
        self.view = LinesView(lambda _: "", id="text")
        self._folded = True

    def body(self) -> ComposeResult:
        yield self.rule
        yield Label("", id="sides")
        yield self.view

    def rules(self) -> Mapping[Widget, PaneRule]:
        return {self.view: self.rule}

    def on_mount(self) -> None:
        apart = len(self._pairs.apart)
        self.rule.say(one_line(self._title), f"{counted(apart, 'line')} {'differs' if apart == 1 else 'differ'}")
        self.view.focus()
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        top = self.view.scroll_offset.y
        self.lines.width = self.view.line_width
        self.query_one("#sides", Label).update(Text(self._head()))
        self.view.show(self.lines)
        self.view.go_to_row(top)
        self.show_places()

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
