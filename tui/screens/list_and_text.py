# SPDX-License-Identifier: Apache-2.0
"""A screen with a list, and below it the text about the row under the cursor: what all such screens share.

Without rows there is no text: the words of the empty list have the screen.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from tui.commands import Need, Where, command
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.panes import Divider, Pane
from tui.view_models import Line, ListShare, RowGroup, Rows, diff_style, paragraph
from tui.widgets import CachedBox, FilterBar, GroupTable, LinesView, PaneRule, RowTable, TextLines, TextPane, WordFilter

T = TypeVar("T")

BETWEEN = (
    Divider("#text-title", "#list-box", beside=False),
    Divider("#text-box", "#text-box", after=True, upright=True, beside=True),
)
"""The dividers between the list and the text, which is below it or right of it."""
_FILTER = "filter"
"""The name of the rule that the line of words is while one types there."""
_LEAST_TEXT, _PART_OF_TEXT = 8, 3
"""Lines of a text below a list that is long as a rule: so many at least, and this part of the screen."""


class ListAndText(SessionScreen, Generic[T]):
    """A screen hands over its widgets, calls `show_rows` when there are other rows, and overrides `show_text`.

    The list is as high as its rows need, the text has the rest; another divider and `screens.tcss` say otherwise.
    """

    PANES = (Pane("list", ("#list-box", "#filter-line")), Pane("text", ("#text-box",)))
    DIVIDERS = BETWEEN
    LONG: ClassVar[bool] = False
    """Whether the list is long as a rule, and the text short: the list has the lines that the text leaves."""
    TEXT: ClassVar[str] = ""
    """What the text is about, for its title where nothing else is said there."""

    table: RowTable

    def __init__(
        self,
        context: Context,
        table: RowTable,
        text: Widget,
        *,
        title: PaneRule | None = None,
        filter: WordFilter | None = None,
    ) -> None:
        """`title` is the line above the text, `filter` the one above the list."""
        super().__init__(context)
        self.table = table
        self.text = text
        self.title_of_text = title or title_of_text(self.TEXT)
        self._filter = filter
        self._rows: Rows[T] | None = None
        self._fitted = 0
        """The number of rows when the list got its height."""
        self._share = ListShare()
        self._width = 0
        """The width of the list beside the text."""

    def body(self) -> ComposeResult:
        if self._filter is not None:
            yield self._filter
        beside = "beside" if self.beside else ""
        with Vertical(id="panes", classes=beside):
            with Vertical(id="list-box"):
                yield self.rule
                yield self.table
            with CachedBox(id="text-box", classes=beside):
                yield from self.between()
                yield self.title_of_text
                yield self.text
                yield from self.instead()

    def between(self) -> ComposeResult:
        """The widgets between the list and the title of the text."""
        return ()

    def instead(self) -> ComposeResult:
        """The widgets that can be shown in place of the text."""
        return ()

    def rules(self) -> Mapping[str, PaneRule | FilterBar]:
        first, second = self.PANES
        filtered = {_FILTER: self._filter} if self._filter is not None else {}
        return {first.name: self.rule, second.name: self.title_of_text, **filtered}

    @property
    def has_keys(self) -> str:
        return _FILTER if self._filter is not None and self._filter.typing else super().has_keys

    def on_mount(self) -> None:
        self.fit_list()
        self.set_focus(self.first_focus)

    @property
    def first_focus(self) -> Widget:
        """The widget that has the keys when the screen is first shown."""
        return self.table

    def places(self) -> tuple[Where, ...]:
        front = self.front
        pane = front if front.has_focus and isinstance(front, TextPane | LinesView) else self.table
        filtered = (Where.FILTERED,) if self._filter is not None else ()
        return (self.PLACES[0], Where.LIST_AND_TEXT, *filtered, *pane.places())

    @property
    def front(self) -> Widget:
        """The widget of the text that gets the keys."""
        return self.text

    # What is shown

    @property
    def current(self) -> T | None:
        """The item of the row under the cursor; None: there is no row, or it is a heading."""
        row, items = self.table.row, self._rows.items if self._rows else ()
        return items[row] if row is not None and row < len(items) else None

    def show_rows(self, rows: Rows[T], groups: Sequence[RowGroup] = (), *, keep: str | None = None) -> None:
        """Show other rows, in groups where the table has them. The cursor goes to the row with the key `keep`, else it
        stays on its own."""
        self._rows = rows
        if isinstance(self.table, GroupTable):
            self.table.show_groups(rows, groups, keep=keep)
        else:
            self.table.show(rows, keep=keep or self.table.cursor_key)
        self._fitted = len(self.table.source)
        self.fit_list()

    def fit_list(self) -> None:
        """Give the list the height and the width that its rows need, or the whole screen if there is nothing else."""
        before, self._width = (self._width, self.panes.alone), self._width_of_list() if self.beside else 0
        self.panes.fit(self.lines_of_list, below=self.lines_of_text, width=self._width, alone=self.alone)
        if before != (self._width, self.panes.alone) and self.is_mounted:
            # Only when it has its size, the text can be broken into lines.
            self.call_after_refresh(self.with_widgets(self.resized))

    @property
    def lists_nothing(self) -> bool:
        return self.table.is_empty

    def say_when_empty(self, noun: str, count: int, otherwise: str) -> None:
        """Set the words in place of rows: `otherwise`, unless the filter leaves none of `count` of that noun."""
        if count and self._filter is not None and self._filter.active:
            otherwise = f"No {noun} matches the filter: {self.context.keymap.key('app.back')} clears it."
        self.table.say_when_empty(otherwise)

    @property
    def alone(self) -> bool:
        """Whether there is nothing to show beside the list."""
        return self.table.is_empty

    def lacks(self, need: Need) -> bool:
        if need is Need.LISTED:
            return self.panes.alone and not self.panes.zoomed
        return super().lacks(need)

    def _width_of_list(self) -> int:
        fitting = self.table.fitting
        return self._share.width(len(fitting.source), self.app.size.width, fitting.need)

    @property
    def lines_of_list(self) -> int:
        """The lines that the list can use."""
        return len(self.table.source)

    @property
    def lines_of_text(self) -> int:
        """The lines that the text below can use; 0: any number."""
        return max(_LEAST_TEXT, self.app.size.height // _PART_OF_TEXT) if self.LONG else 0

    def on_screen_resume(self) -> None:
        self._share.forget()
        self.fit_list()

    def show_text(self) -> None:
        """Show what there is to say about the row under the cursor, which has changed."""

    def resized(self) -> None:
        """Show what depends on the size of the panes, which is another one."""
        self.show_text()

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        if len(self.table.source) != self._fitted:
            # Groups were folded or unfolded.
            self._fitted = len(self.table.source)
            self.fit_list()
        self.show_place(self.table.place)
        self.show_text()

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            for box in self.query("#panes, #text-box"):
                box.set_class(self.beside, "beside")
            self.fit_list()
            self.call_after_refresh(self.with_widgets(self.resized))

    # Actions

    @command("list.pane", Where.LIST_AND_TEXT, "tab", "Pane", "Go to the other pane")
    def action_other_pane(self) -> None:
        # At once: what is typed right after the key is for the other pane.
        self.set_focus(self.table if self.front.has_focus else self.front)

    @command("list.filter", Where.FILTERED, "slash", "Filter", "Type words to filter by", ahead=True)
    def action_filter(self) -> None:
        if self._filter is not None:
            self._filter.open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the filter itself a slash is a slash."""
        if action == "other_pane":
            return self.front.can_focus and (not self.panes.alone or self.front.has_focus)
        return action != "filter" or (self._filter is not None and not self._filter.typing)

    def copied(self) -> str:
        """The text for the key that copies; empty: there is none."""
        return ""

    def action_copy(self) -> None:
        if text := self.copied():
            self.context.notify.copy(text)


class ListAndPane(ListAndText[T]):
    """The text is wrapped to the width of its pane."""

    def __init__(self, context: Context, table: RowTable, *, filter: WordFilter | None = None) -> None:
        self.pane = TextPane(id="text")
        super().__init__(context, table, self.pane, filter=filter)
        self._shown = Text()

    def say(self, text: Text) -> None:
        """Show a text from its top; the same one again stays where it is scrolled to."""
        if text != self._shown:
            self._shown = text
            self.pane.show(text)


class ListAndLines(ListAndText[T]):
    """The text is lines in the colours of a diff."""

    def __init__(
        self, context: Context, table: RowTable, *, title: PaneRule | None = None, filter: WordFilter | None = None
    ) -> None:
        self.view = LinesView(diff_style, id="text")
        super().__init__(context, table, self.view, title=title, filter=filter)

    def say(self, words: Iterable[tuple[str, str]], *, title: str = "", indent: int = 4) -> None:
        """Show texts with their styles; lines that follow the first one of a text are indented."""
        self.title_of_text.say(title or self.TEXT)
        lines: list[Line] = []
        for text, style in words:
            lines += paragraph(text, style, self.view.line_width or self.app.size.width, indent)
        self.view.show(TextLines(lines))


def title_of_text(title: str = "") -> PaneRule:
    """The line above a text."""
    return PaneRule(title, id="text-title")
