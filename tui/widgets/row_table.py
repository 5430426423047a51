# SPDX-License-Identifier: Apache-2.0
"""A table of any number of rows: only visible lines are made, and made lines are cached."""

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import ClassVar, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from core.base.text import counted, one_line
from tui.commands import Where, command
from tui.view_models import (
    Cell,
    Fitted,
    Fitting,
    HeadedRows,
    IdLook,
    RowSource,
    TableColumn,
    fit,
    paragraph,
    place_text,
)
from tui.widgets.line_base import LinePane, by_lines, by_pages, line_style

_CACHED_STRIPS = 4096
_LEAST_LINES = 3
"""With fewer lines, no heading stays above the rows."""
_WHEEL_ROWS = 3
_AROUND = 2
"""Cells of a line before its first piece and behind its last: the mark, and a blank that the scroll bar covers."""

_ONE_LOOK = Style(reverse=True)
"""Of the row under the cursor, where the theme shows that by swapping the terminal's own colours."""

_Part = tuple[str, Style]


class RowTable(LinePane):
    """Shows a RowSource."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--header", "table--cursor"}
    DEFAULT_CSS = """
    RowTable > .table--header { background: $panel; color: $foreground; text-style: $header-style; }
    RowTable > .table--cursor { background: $cursor; text-style: $cursor-style; }
    RowTable:blur > .table--cursor { background: $cursor-unfocused; text-style: $cursor-unfocused-style; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    """Position of the highlighted row."""

    class Highlighted(Message):
        """The cursor is on another row, or the row under it has changed."""

        def __init__(self, table: "RowTable") -> None:
            super().__init__()
            self.table = table

    def __init__(self, source: RowSource, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source = source
        self._strips: dict[tuple[object, ...], Strip] = {}
        self._looks: dict[tuple[str, bool], Style] = {}
        self._above: int | None = None
        """Rows to be above the cursor in the first frame."""
        self._fitting = Fitting(source)
        self._fitted: Fitted | None = None
        """The fit of the lines that are painted."""
        self._sticky: tuple[RowSource, int, int | None] = (source, 0, None)
        self._when_empty = ""

    def places(self) -> tuple[Where, ...]:
        """The places of a person whose keys go here."""
        return (Where.TABLE,)

    # What is shown

    def show(self, source: RowSource, *, keep: str | None = None) -> None:
        """Show other rows. The cursor goes to the row with key `keep`, else it stays where it is."""
        if not self.looks_alike(source):
            self._strips.clear()
        self.source = source
        self._set_height()
        position = self._position_of(keep) if keep is not None else None
        self.set_reactive(RowTable.cursor, self.validate_cursor(self.cursor if position is None else position))
        self._scroll_to_cursor()
        self.refresh()
        self.post_message(self.Highlighted(self))

    def say_when_empty(self, words: str) -> None:
        """Set the words for when there is no row."""
        if words != self._when_empty:
            self._when_empty = words
            self.repaint_rows()

    @property
    def is_empty(self) -> bool:
        """Whether there is no row that says anything."""
        return not len(self.source)

    def begin_at(self, key: str, above: int) -> None:
        """Have the first frame show the cursor on the row with that key, with so many rows above it."""
        position = self._position_of(key) if key else None
        if position is not None:
            self.set_reactive(RowTable.cursor, position)
            self._above = above

    def go_to(self, key: str, above: int) -> None:
        """Put the cursor on the row with that key, with so many rows above it; without such a row it stays."""
        self.begin_at(key, above)
        self._scroll_to_cursor()
        self.repaint_rows()
        self.post_message(self.Highlighted(self))

    def repaint_rows(self) -> None:
        """Make every visible line again: the cells of the same rows have changed."""
        self._strips.clear()
        self._fitting.forget()
        self.refresh()

    @property
    def cursor_key(self) -> str | None:
        """The key of the row under the cursor; None in an empty table."""
        return self.source.key(self.cursor) if self.cursor < len(self.source) else None

    @property
    def row(self) -> int | None:
        """The number of the row under the cursor, among those that are listed; None: there is none."""
        return self.cursor if self.cursor < len(self.source) else None

    @property
    def place(self) -> str:
        """Where the cursor is, among how many rows."""
        return place_text(self.cursor, len(self.source))

    def _position_of(self, key: str) -> int | None:
        find = getattr(self.source, "position_of", None)
        if find is not None:
            found: int | None = find(key)
            return found
        return next((at for at in range(len(self.source)) if self.source.key(at) == key), None)

    def _set_height(self) -> None:
        self.set_line_count(len(self.source) + 1)

    def on_mount(self) -> None:
        self._set_height()

    def on_resize(self, event: events.Resize) -> None:
        self._strips.clear()
        self._sticky = self.source, -1, None
        self._set_height()
        self._scroll_to_cursor()

    # Painting

    def notify_style_update(self) -> None:
        self._looks.clear()
        self._strips.clear()
        super().notify_style_update()

    def _style(self, name: str, highlighted: bool) -> Style:
        key = (name, highlighted)
        if key not in self._looks:
            own = "table--header" if name == "header" else name
            look = line_style(self, own, "table--cursor" if highlighted else "")
            if highlighted and look.reverse:
                # Swapped colours of single words, and dim ones, would break the row under the cursor into patches.
                look = _ONE_LOOK
            # Styles that are equal are the same one, so that pieces in them become one piece.
            self._looks[key] = next((known for known in self._looks.values() if known == look), look)
        return self._looks[key]

    @property
    def fitting(self) -> Fitting:
        """The widths of the columns."""
        if self._fitting.source is not self.source:
            self._fitting = Fitting(self.source)
        return self._fitting

    def widths(self, total: int) -> list[int]:
        """Width in cells of every column in a line of `total` cells; 0: not shown."""
        return self.fitting.widths(total)

    @property
    def roomy(self) -> int:
        """The cells that the table needs for no text to be cut, with the bar beside it."""
        return self.fitting.roomy + 1

    def id_look(self, width: int) -> IdLook:
        """The display of ids in a table of that width."""
        return self.fitting.look(width)

    def _title(self, column: TableColumn, width: int) -> str:
        """The title of a column; of one that gives way to the others also how many of them do not fit."""
        columns, widths = self.source.columns, self.widths(width)
        dropped = sum(bool(one.width) and not left for one, left in zip(columns, widths, strict=True))
        if not dropped or not column.tells:
            return column.title
        note = f"{counted(dropped, 'column')} {'does' if dropped == 1 else 'do'} not fit"
        both = f"{column.title} · {note}"
        return both if len(both) <= widths[columns.index(column)] else note

    def short_heads(self, width: int) -> bool:
        """Whether in a table of that width a column shows letters in place of the names of its pieces."""
        columns, widths = self.source.columns, self.widths(width)
        return any(column.heads and 0 < width < column.roomy for column, width in zip(columns, widths, strict=True))

    def _line(self, y: int, top: int, width: int) -> Strip:
        """The line at `y` of a table that is scrolled to position `top`."""
        position = self.position_at(y, top)
        key: tuple[object, ...]
        if self._is_head(y):
            key = ("header", width, self.header_look())
        elif position not in range(len(self.source)):
            key = ("blank", width, position if self.is_empty else None)
        else:
            key = (
                self.row_look(position),
                self.cursor_look(position),
                self.mark_at(position),
                width,
            )
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) > _CACHED_STRIPS:
                self._strips.clear()
            strip = self._strips[key] = self._make(y, position, width)
        return strip

    def header(self) -> Sequence[Sequence[Cell]]:
        """The pieces of the line above the rows."""
        return [(Cell(self._title(column, self.size.width)),) for column in self.source.columns]

    def header_look(self) -> object:
        """The key of the header's look; headers with the same key look the same."""
        return self._on_heading(self.cursor)

    def _on_heading(self, position: int) -> bool:
        """Whether there is a heading that has the whole line."""
        find = getattr(self.source, "is_heading", None)
        return find is not None and 0 <= position < len(self.source) and bool(find(position))

    def looks_alike(self, source: RowSource) -> bool:
        """Whether lines made before are good for `source` too, where `row_look` is the same."""
        return False

    def row_look(self, position: int) -> object:
        """The key of a row's look; rows with the same key look the same."""
        return position

    def cursor_look(self, position: int) -> object:
        """The part of a row's look that depends on the cursor; rows with the same value look the same."""
        return position == self.cursor

    def lits(self, position: int, count: int) -> list[bool]:
        """The cells of a row, of `count`, that bear the cursor. Position -1 is the header."""
        return [position == self.cursor] * count

    def mark_at(self, position: int) -> str:
        """One cell in front of a row: whether it is marked."""
        return "▌" if self.source.marked(position) else " "

    def _make(self, y: int, position: int, width: int) -> Strip:
        if self._is_head(y):
            return self._heads(width)
        if position not in range(len(self.source)):
            return self._blank(position, width)
        return (
            self._heading(position, width)
            if self._on_heading(position)
            else self._strip(self.source.cells(position), position, "", width)
        )

    def _is_head(self, y: int) -> bool:
        """Whether the line is that of the heads: without a row there are no columns."""
        return y == 0 and len(self.source) > 0

    def _heads(self, width: int) -> Strip:
        """The titles of the columns, or of the pieces of the heading under the cursor."""
        if not self._on_heading(self.cursor):
            return self._strip(self.header(), -1, "header", width)
        titles, look = cast(HeadedRows, self.source).heading_titles(width - _AROUND), self._style("header", False)
        return Strip([Segment(f" {titles}", look)]).adjust_cell_length(width, look)

    def _heading(self, position: int, width: int) -> Strip:
        source, lit = cast(HeadedRows, self.source), position == self.cursor
        pieces = source.heading(position, width - _AROUND)
        parts = [self._mark(position, "", lit), *((one.text, self._style(one.style, lit)) for one in pieces)]
        return Strip(starmap(Segment, parts)).adjust_cell_length(width, self._style("", lit)).simplify()

    def _blank(self, position: int, width: int) -> Strip:
        """A line below the last row; in an empty table, of what is said there from its first line on."""
        plain = self._style("", False)
        said = paragraph(self._when_empty, "dim", max(1, width - 2)) if self.is_empty else []
        line = position - len(self.source) + (not len(self.source))
        if line >= len(said):
            return Strip.blank(width, plain)
        words = [Segment(cell.text, self._style(cell.style, False)) for cell in said[line]]
        return Strip([Segment(" ", plain), *words]).adjust_cell_length(width, plain)

    def _mark(self, position: int, base: str, lit: bool) -> _Part:
        mark = " " if base else self.mark_at(position)
        # A blank in the colour of marks would be a block of that colour in a cursor that swaps colours.
        return mark, self._style(base if mark == " " else "mark", lit)

    def _strip(self, columns: Sequence[Sequence[Cell]], position: int, base: str, width: int) -> Strip:
        lits = self.lits(position, len(columns) + 1)
        parts, filled = [self._mark(position, base, lits[0])], 1
        names = self.id_look(width)
        widths = _joined(self.widths(width), len(columns), width)
        for number, (column, left) in enumerate(zip(self.source.columns, widths, strict=False)):
            if not left:
                continue
            filled += left + 1
            for at, cell in enumerate(_below_heads(columns[number], column, left, heading=position == -1), 1):
                words = cell.text.rjust(left) if column.right else cell.text
                if column.ids:
                    words = names.text(words, left) if position >= 0 else _with_said(words, names)
                last = at == len(columns[number])
                whole = not last and len(words) <= left and words.isascii()
                text = words if whole else fit(words, left if last else min(left, cell_len(words)), elide=column.elide)
                parts.append((text, self._style(cell.style or base, lits[number])))
                left -= len(text) if text.isascii() else cell_len(text)
            parts.append((" ", self._style(base, lits[number] and lits[number + 1])))
        plain = self._style(base, all(lits[-2:]))
        parts.append((" " * (width - filled), plain))
        return Strip(_merged(parts), max(width, filled)).adjust_cell_length(width, plain)

    def see(self, lines: Sequence[int]) -> None:
        """Make columns wider for texts in these lines, if cells are free; what was painted for other widths is gone."""
        first, last = self.scroll_offset.y - 1 + lines[0], self.scroll_offset.y - 1 + lines[-1]
        grown = self.fitting.see(range(max(0, first), min(last + 1, len(self.source))))
        fitted = self.fitting.at(self.size.width)
        if fitted is not self._fitted:
            if fitted != self._fitted:
                self._strips.clear()
                if grown:
                    self.refresh()
            self._fitted = fitted

    def render_line(self, y: int) -> Strip:
        self.see((y,))
        return self._line(y, self.scroll_offset.y, self.size.width)

    def paint_lines(self, crop: Region) -> list[Strip]:
        # The stock method wraps each line in a new Strip, which loses the text it has already rendered.
        self.see(crop.line_range)
        top, width = self.scroll_offset.y, self.size.width
        strips = [self._line(y, top, width) for y in crop.line_range]
        if crop.x > 0 or crop.right < width:
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    # Moving

    @property
    def lines(self) -> int:
        """Lines below the header."""
        return max(1, self.size.height - 1)

    @property
    def page(self) -> int:
        """Rows that can be read at once: in groups, the first line may be a heading that stays there."""
        return max(1, self.lines - (self._heading_of(self.scroll_offset.y) is not None))

    def _heading_of(self, position: int) -> int | None:
        """The position of the heading of the group of a row; None: there is none."""
        find = getattr(self.source, "heading_of", None)
        found: int | None = None if find is None or position >= len(self.source) else find(position)
        return found

    def sticky(self, top: int) -> int | None:
        """The position of the heading that stays above the rows from `top` on; None: it is there, or there is none."""
        if self._sticky[0] is not self.source or self._sticky[1] != top:
            heading = self._heading_of(top) if self.lines >= _LEAST_LINES else None
            self._sticky = self.source, top, None if heading == top else heading
        return self._sticky[2]

    def position_at(self, y: int, top: int) -> int:
        """The position of the row in a line below the header, in a table that is scrolled to position `top`."""
        heading = self.sticky(top) if y == 1 else None
        return top + y - 1 if heading is None else heading

    def validate_cursor(self, position: int) -> int:
        return max(0, min(position, len(self.source) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if not self._scroll_to_cursor():
            self._refresh_row(old)
            self._refresh_row(new)
        if self._on_heading(old) != self._on_heading(new):
            # Above is what the columns of the row under the cursor are.
            self.refresh(Region(0, 0, self.size.width, 1))
        self.post_message(self.Highlighted(self))

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._looks.clear()
        self._strips.clear()

    def _refresh_row(self, position: int) -> None:
        y = position - self.scroll_offset.y + 1
        if 1 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def _scroll_to_cursor(self) -> bool:
        """Scroll so that the cursor is visible; whether that was needed. Without a size it waits for one."""
        if not self.size.height:
            return False
        if self._above is not None:
            wanted, self._above = max(0, self.cursor - min(self._above, self.lines - 1)), None
            self.scroll_to(y=wanted - self._is_under_heading(wanted), animate=False, force=True)
            return True
        top = self.scroll_offset.y
        if self.cursor < top or self._is_under_heading(top):
            wanted = self.cursor - (self.sticky(self.cursor) is not None)
        elif self.cursor >= top + self.lines:
            wanted = self.cursor - self.lines + 1
        else:
            return False
        self.scroll_to(y=wanted, animate=False, force=True)
        return True

    def _is_under_heading(self, top: int) -> bool:
        """Whether a heading that stays would hide the cursor."""
        return self.cursor == top and self.sticky(top) is not None

    @by_lines("table", Where.TABLE, "Next row", "Previous row")
    def action_move(self, rows: int) -> None:
        self.cursor += rows

    @by_pages("table", Where.TABLE)
    def action_page(self, pages: float) -> None:
        rows = max(1, int(self.page * abs(pages))) * (1 if pages > 0 else -1)
        last = max(0, len(self.source) - self.lines)
        self.scroll_to(y=max(0, min(self.scroll_offset.y + rows, last)), animate=False, force=True)
        self.cursor += rows

    @command("table.top", Where.TABLE, "g,home", "Top", "First row")
    def action_top(self) -> None:
        self.cursor = 0

    @command("table.bottom", Where.TABLE, "G,end", "Bottom", "Last row")
    def action_bottom(self) -> None:
        self.cursor = len(self.source) - 1

    class HeadClicked(Message):
        """The head of a column was clicked."""

        def __init__(self, table: "RowTable", column: int) -> None:
            super().__init__()
            self.table = table
            self.column = column
            """Its number in the columns of the source."""

        @property
        def control(self) -> "RowTable":
            return self.table

    def clicked_row(self, event: events.Click) -> int | None:
        """The position of the row under the pointer; None where there is none."""
        position = self.position_at(event.y, self.scroll_offset.y)
        return position if event.y > 0 and position < len(self.source) else None

    def clicked_column(self, event: events.Click) -> int | None:
        """The number of the column under the pointer; None beside them."""
        end = 1
        for number, width in enumerate(self.widths(self.size.width)):
            end += width + bool(width)
            if width and event.x < end:
                return number
        return None

    def on_click(self, event: events.Click) -> None:
        """A click goes to the row, another one at once into it; on a head, the screen decides."""
        position, column = self.clicked_row(event), self.clicked_column(event)
        if position is not None:
            self.cursor = position
            if event.chain == 2:
                self.app.simulate_key("enter")
        elif self._is_head(event.y) and column is not None:
            self.post_message(self.HeadClicked(self, column))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.cursor += _WHEEL_ROWS

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.cursor -= _WHEEL_ROWS


def _with_said(title: str, names: IdLook) -> str:
    """The title of the column of ids, with what all of them share."""
    return f"{title}: {one_line(names.said)}" if names.said else title


def _joined(widths: Sequence[int], count: int, total: int) -> Sequence[int]:
    """`widths` of columns for a row of `count` cells: the last one has the rest of a line of `total` cells."""
    if not 0 < count < len(widths):
        return widths
    first = widths[: count - 1]
    return [*first, max(0, total - 2 - sum(width + 1 for width in first if width))]


def _below_heads(cells: Sequence[Cell], column: TableColumn, width: int, *, heading: bool) -> Sequence[Cell]:
    """The pieces of a column with names for them: each as wide as its name where the column has that width."""
    if not column.heads or width < column.roomy:
        return cells
    if heading:
        return (Cell(" ".join(column.heads)),)
    padded = [Cell(cell.text.ljust(len(head) + 1), cell.style) for cell, head in zip(cells, column.heads, strict=True)]
    return [*padded[:-1], *cells[-1:]]


def _merged(parts: Iterable[_Part]) -> list[Segment]:
    """Segments of texts, those next to each other in the very same style as one: each costs time and bytes."""
    segments: list[Segment] = []
    texts: list[str] = []
    last: Style | None = None
    for text, style in parts:
        if style is not last:
            if texts:
                segments.append(Segment("".join(texts), last))
            texts, last = [], style
        texts.append(text)
    return [*segments, Segment("".join(texts), last)]


class StillTable(RowTable, can_focus=False):
    """Shows rows without a cursor."""

    def lits(self, position: int, count: int) -> list[bool]:
        return [False] * count
