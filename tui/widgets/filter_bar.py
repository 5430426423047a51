# SPDX-License-Identifier: Apache-2.0
"""The filter line: a prompt, the query, and what it found or what is wrong with it."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Region, Size
from textual.reactive import Reactive, reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.textual_private import CachedLines, show_suggestion, suggestion
from tui.widgets.line_base import CachedText


class LineInput(Input, inherit_css=False):
    """An input that handles keys strictly in the order they are typed.

    The stock input runs its bindings one step later than it takes letters. Over a slow connection keys come in bursts:
    those after the one that leaves the line are for what has the focus then. Code that leaves it must move the focus at
    once, with `Screen.set_focus`.

    Nothing is selected when it gets the focus: typing continues the text and does not replace it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = Input.COMPONENT_CLASSES
    DEFAULT_CSS = """
    LineInput {
        width: 1fr; height: 1; scrollbar-size-horizontal: 0; pointer: text; color: $foreground; background: $surface;
        &:focus { background: $boost; }
        & > .input--cursor {
            background: $input-cursor-background; color: $input-cursor-foreground; text-style: $input-cursor-text-style;
        }
        & > .input--selection { background: $input-selection-background; }
        & > .input--placeholder, & > .input--suggestion { color: $text-disabled; }
    }
    """
    """All that one line needs. The stock input brings the rules of a framed box in all its states, and the frame of one
    that has the focus wins over whatever its parent says: on one line it leaves no row to what is typed."""

    def __init__(self, value: str = "", **options: Any) -> None:
        super().__init__(value, select_on_focus=False, **options)
        self.cursor_blink = False

    async def on_key(self, event: events.Key) -> None:
        if self.screen.focused is not self:
            event.prevent_default().stop()
            self.app.post_message(events.Key(event.key, event.character))
        elif not event.is_printable:
            active = self.screen.active_bindings.get(event.key)
            if active is not None and active.node is self:
                event.prevent_default().stop()
                await self.app.run_action(active.binding.action, self)


_BESIDE_QUERY = 6
"""Cells that the prompt, the cursor and a gap take beside the query."""
_BESIDE_NOTE = 2
"""Cells of padding beside the note."""
_STEP = 8
"""The width of the note changes by so many cells."""
_USUAL_NOTE = 40
"""Cells that it has where the query leaves them: it is laid out anew only for longer ones. A layout is a third of what
a letter costs."""


class QueryInput(LineInput):
    """An input that reports each change at once, so that text, rows and completion are painted in one frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", "Apply", tooltip="Apply the query and go to the rows"),
        Binding("down", "keep", "Apply", show=False),
        Binding("escape", "clear", "Clear", tooltip="Clear the query and go to the rows"),
        Binding("tab", "take_completion", "Complete", tooltip="Take the completion that is shown"),
        Binding("tab", "keep", "Apply", show=False),
    ]

    # As they come, these have the whole screen laid out again for each letter, in case the width depends on the text.
    value: reactive[str] = reactive("", init=False)
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))

    def __init__(
        self,
        value: str,
        changed: Callable[[str], None],
        left: Callable[[], None],
        complete: Callable[[str], str] | None,
        placeholder: str,
        base: Callable[[], str],
    ) -> None:
        super().__init__(value, placeholder=placeholder, id="filter")
        self._base = base
        self._changed = changed
        self._left = left
        self._complete = complete
        self._quiet = False
        self._word_at = -1
        """The position of a space from `begin_word`, which a person may type too."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A line that completes nothing has no key for it."""
        return action != "take_completion" or self._complete is not None

    def on_resize(self) -> None:
        """The line has another width: the cursor stays in sight."""
        self.scroll_to_region(Region(cell_len(self.value[: self.cursor_position]), 0, 1, 1), force=True, animate=False)

    def show(self, value: str) -> None:
        """Show a query whose rows are shown already, without reporting it."""
        self._quiet = True
        self.value = value
        self._quiet = False

    def begin_word(self) -> None:
        """Place the cursor after the query and a space: what is typed never extends the last word."""
        if self.value and not self.value.endswith((" ", "(", ":", ",")):
            self.show(f"{self.value} ")
            self._word_at = len(self.value)
        self.cursor_position = len(self.value)

    def insert_text_at_cursor(self, text: str) -> None:
        """Insert what is typed or pasted, with one space before a new word."""
        if self.cursor_position == self._word_at:
            text = text.removeprefix(" ")
        self._word_at = -1
        super().insert_text_at_cursor(text)

    def on_blur(self) -> None:
        """Without a new word, the query is what it was; unless the whole terminal has lost the focus for a while."""
        if self.app.app_focus and self._word_at == len(self.value):
            self.show(self.value[:-1])

    def on_input_changed(self, event: Input.Changed) -> None:
        """`watch_value` has reported it already."""
        event.stop()

    def watch_value(self, value: str) -> None:
        """Report the change now: Input.Changed comes a frame later."""
        if self.is_mounted and not self._quiet:
            try:
                self._report(value)
            except Exception as error:  # noqa: BLE001 - what is typed stays, even if its rows cannot be found
                self.call_next(_raise, error)
        if isinstance(self.parent, FilterBar):
            self.parent.fit()

    def _report(self, value: str) -> None:
        if self._complete is not None:
            show_suggestion(self, self._complete(value))
        self._changed(value)

    def action_take_completion(self) -> None:
        """Take the completion that is shown, as the right arrow does; without one, tab leaves the line."""
        if self.cursor_at_end and suggestion(self):
            self.action_cursor_right()
        else:
            self.screen.focus_next()

    def action_keep(self) -> None:
        self._left()

    def action_clear(self) -> None:
        self.value = self._base()
        self._left()


def _raise(error: Exception) -> None:
    raise error


class FilterBar(Horizontal, CachedLines):
    """Shows and edits a query.

    `changed` is called with the text of each edit; `left` when a person is done with it and wants the rows: it moves
    the focus there at once. `complete` gives a text with its last word completed, or an empty one. Escape leaves what
    `base` gives: nothing, or what the rows were narrowed to before.
    """

    def __init__(
        self,
        query: str,
        changed: Callable[[str], None],
        left: Callable[[], None],
        complete: Callable[[str], str] | None = None,
        placeholder: str = "e.g. llama status:xfail arch:p150 !mode:training",
        base: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(id="filter-line")
        self._base = base
        self._note = ""
        self._note_cells = 0
        self._placeholder = placeholder
        self._query = query
        self._changed = changed
        self._left = left
        self._complete = complete

    DEFAULT_CSS = """
    FilterBar.long { height: 2; layout: grid; grid-size: 2 2; grid-columns: 4 1fr; grid-rows: 1; }
    FilterBar.long > #filter-note { column-span: 2; }
    """

    def compose(self) -> ComposeResult:
        yield CachedText("─ /", id="filter-prompt", markup=False)
        yield QueryInput(self._query, self._changed, self._left, self._complete, self._placeholder, self._base)
        yield CachedText("", id="filter-note", markup=False)

    @property
    def input(self) -> QueryInput:
        return self.query_one(QueryInput)

    def light(self, lit: bool) -> None:
        """Show whether it has the keys, or in the matrix the rows below it, as a rule above a pane does."""
        prompt = self.query_one("#filter-prompt", CachedText)
        prompt.set_class(lit, "lit")
        prompt.update("━ /" if lit else "─ /", layout=False)

    def note(self, text: str, *, error: bool = False) -> None:
        """Say what the query found, or what is wrong with it."""
        self._note = text
        shown = self.query_one("#filter-note", Static)
        shown.set_class(error, "error")
        # The size follows in steps, so that nothing needs to be laid out again for each key.
        shown.update(Text(text, no_wrap=True, overflow="ellipsis"), layout=False)
        self.fit()

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Give the query and its completion their width: the note takes what is left, else a line of its own."""
        completed = max(self.input.value, suggestion(self.input), key=cell_len)
        width, query = self.size.width, cell_len(completed) + _BESIDE_QUERY
        if not width:
            return
        left, wanted = width - query, cell_len(self._note) + _BESIDE_NOTE
        below = wanted > left
        self.set_class(below, "long")
        usual = min(_USUAL_NOTE, width - cell_len(completed or self._placeholder) - _BESIDE_QUERY)
        cells = width if below else min(left, max(usual, -(-wanted // _STEP) * _STEP))
        note = self.query_one("#filter-note", Static)
        if cells != self._note_cells:
            self._note_cells = cells
            note.styles.width = cells


class WordFilter(FilterBar):
    """A filter of words over a list, hidden while it is empty: what is listed has all of them.

    `changed` is called whenever other words are typed; `rows` gets the keys when a person is done.
    """

    def __init__(self, rows: Widget, changed: Callable[[], None], placeholder: str) -> None:
        super().__init__("", self._take, self._leave, placeholder=placeholder)
        self.display = False
        self.words = ""
        """The typed text."""
        self._rows = rows
        self._words_changed = changed

    @property
    def active(self) -> bool:
        """Whether something is typed."""
        return bool(self.words)

    def matches(self, text: str) -> bool:
        """Whether a text in lower case has all of the words."""
        return all(word in text for word in self.words.lower().split())

    @property
    def typing(self) -> bool:
        """Whether keys go to the filter, where a slash is a slash."""
        return self.screen.focused is self.input

    def open(self) -> None:
        """Show the filter and give it the keys."""
        self.display = True
        # At once: what is typed right after the key belongs to the filter, and must never run as commands.
        self.screen.set_focus(self.input)
        self.input.begin_word()

    def clear(self) -> None:
        """List everything again."""
        self.input.value = ""
        self.display = False

    def _take(self, text: str) -> None:
        self.words = text
        self._words_changed()

    def _leave(self) -> None:
        self.screen.set_focus(self._rows)
        self.display = self.active
