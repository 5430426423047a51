# SPDX-License-Identifier: Apache-2.0
"""Lines of text of any number, read when they become visible: logs that grow, and diffs."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tui.commands import Where, command
from tui.view_models import Line
from tui.widgets.line_base import LinePane, by_lines, by_pages, line_style

_WHEEL_LINES = 3
_SIDE_STEP = 16


class LineSource(Protocol):
    """The lines of a view. They are safe to print and have no line ends."""

    @property
    def line_count(self) -> int: ...

    def lines(self, first: int, count: int) -> Sequence[Line]: ...


class TextLines:
    """A LineSource over lines that are at hand."""

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        self._lines = lines

    @property
    def line_count(self) -> int:
        return len(self._lines)

    def lines(self, first: int, count: int) -> Sequence[Line]:
        return self._lines[first : first + count]


class LinesView(LinePane):
    """Shows a LineSource. While it follows, it stays at the end; scrolling up stops that, and nothing moves."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--added",
        "lines--removed",
        "lines--added-word",
        "lines--removed-word",
        "lines--hunk",
        "lines--file",
        "lines--error",
        "lines--dim",
        "lines--pass",
        "lines--heading",
        "lines--word",
    }
    DEFAULT_CSS = """
    LinesView {
        & > .lines--added { color: $text-success; background: $added; }
        & > .lines--removed { color: $text-error; background: $removed; }
        & > .lines--added-word { color: $text-success; background: $added-word; text-style: $word-style; }
        & > .lines--removed-word { color: $text-error; background: $removed-word; text-style: $word-style; }
        & > .lines--hunk { color: $text-secondary; }
        & > .lines--file { text-style: $header-style; background: $panel; }
        & > .lines--error { color: $text-error; }
        & > .lines--pass { color: $text-success; }
        & > .lines--dim { color: $muted; text-style: $muted-style; }
        & > .lines--heading { color: $text-primary; text-style: bold; }
    }
    """

    following: reactive[bool] = reactive(False, repaint=False)
    """Whether the view stays at the end of what grows."""
    unseen: reactive[int] = reactive(0, repaint=False)
    """Lines that arrived below while the view does not follow."""

    class FollowChanged(Message):
        """The view follows or no longer follows, or lines arrived unseen."""

        def __init__(self, view: "LinesView") -> None:
            super().__init__()
            self.view = view

    def places(self) -> tuple[Where, ...]:
        """The places of a person whose keys go here."""
        return (Where.LINES,)

    def __init__(self, style_of: Callable[[str], str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._style_of = style_of
        self.source: LineSource = TextLines()
        self.side = 0
        """The first cell of each line that is visible."""
        self._looks: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        self._looks.clear()
        super().notify_style_update()

    def show(self, source: LineSource, *, follow: bool = False) -> None:
        """Show other lines, from the top or, with `follow`, from the end."""
        self.source = source
        self.side = 0
        self._set_height()
        self.unseen = 0
        self.following = follow
        self.scroll_to(y=self.max_scroll_y if follow else 0, animate=False, force=True)
        self.refresh()

    def grew(self, before: int) -> None:
        """The source has more lines than the `before` it had."""
        self._set_height()
        if self.following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        else:
            self.unseen += max(0, self.source.line_count - before)
        self.refresh()

    def _set_height(self) -> None:
        self.set_line_count(self.source.line_count)

    def on_resize(self, event: events.Resize) -> None:
        self._set_height()
        if self.following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    @property
    def max_scroll_y(self) -> int:
        return max(0, self.source.line_count - self.size.height)

    # Painting

    def paint_lines(self, crop: Region) -> list[Strip]:
        strips = self.strips(crop)
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return strips

    def strips(self, crop: Region) -> list[Strip]:
        """The lines in a region of the view, a strip each."""
        first = self.scroll_offset.y + crop.y
        texts: list[Line] = list(self.source.lines(first, crop.height)) if first < self.source.line_count else []
        texts += [""] * (crop.height - len(texts))
        return [self._strip(text) for text in texts]

    def style_named(self, name: str) -> Style:
        """The style of a component class, without its `lines--`; of no name that of the view."""
        if name not in self._looks:
            self._looks[name] = line_style(self, f"lines--{name}" if name else "")
        return self._looks[name]

    def _strip(self, line: Line) -> Strip:
        width = self.size.width
        if isinstance(line, str):
            style = self.style_named(self._style_of(line))
            return Strip([Segment(line[self.side : self.side + width], style)]).adjust_cell_length(width, style)
        whole = Strip([Segment(cell.text, self.style_named(cell.style)) for cell in line])
        shown = whole.crop(self.side, self.side + width) if self.side else whole
        return shown.adjust_cell_length(width, self.style_named(line[-1].style if line else ""))

    # Moving

    def watch_following(self) -> None:
        if self.following:
            self.unseen = 0
        # It decides which end of a tall line is visible.
        self.refresh()
        self.post_message(self.FollowChanged(self))

    def watch_unseen(self) -> None:
        self.post_message(self.FollowChanged(self))

    def move_by(self, lines: int) -> None:
        """Scroll by so many lines; upwards, the view stops following."""
        if lines < 0:
            self.following = False
        self.go_to_row(self.scroll_offset.y + lines)

    def go_to_row(self, row: int) -> None:
        """Scroll until this row is at the top, as far as there are rows."""
        self.scroll_to(y=max(0, min(row, self.max_scroll_y)), animate=False, force=True)

    @by_lines("lines", Where.LINES, up="A line up; a log stops following")
    def action_move(self, lines: int) -> None:
        self.move_by(lines)

    @by_pages("lines", Where.LINES, page_down="space")
    def action_page(self, pages: float) -> None:
        self.move_by(int(max(1, self.size.height - 1) * pages))

    @command("lines.top", Where.LINES, "g,home", "Top", "First line")
    def action_top(self) -> None:
        self.move_by(-self.source.line_count)

    @command("lines.bottom", Where.LINES, "G,end", "End", "Last line; a live log follows again")
    @command("lines.follow", Where.LINES, "F", "Follow", "Follow the log as it grows")
    def action_follow(self) -> None:
        self.following = True
        self.move_by(self.source.line_count)

    @command("lines.left", Where.LINES, "left,less_than_sign", "Left", "Scroll left", action="side(-1)")
    @command("lines.right", Where.LINES, "right,greater_than_sign", "Right", "Scroll right", action="side(1)")
    def action_side(self, steps: int) -> None:
        self.side = max(0, self.side + steps * _SIDE_STEP)
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move_by(_WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move_by(-_WHEEL_LINES)
