# SPDX-License-Identifier: Apache-2.0
"""A FileCheck pattern beside the program it is tried on: edited here, tried without a run, written on request."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import TextArea

from core.base.errors import TTMatrixError, UsageError
from core.base.files import atomic_write
from core.base.text import one_line, printable
from core.runs import PATTERNS, Trial, try_pattern
from core.runs.ir import Program
from tui.protocol import Context
from tui.screens.dialogs import Ask, Confirm, DialogKey, problem_words
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import checked_at, pattern_lines, place_text, program_lines, verdict_words
from tui.widgets import LinesView, PaneRule, TextLines

_AT_ONCE = 2**20
"""Bytes of a program up to which a pattern is tried after every change of its text."""


class PatternCheck(WholeDialog[None]):
    """A pattern with the result of each of its lines, and below the lines of the program that one of them is about."""

    KEYS = (
        DialogKey("tab", "app.focus_next", "next pane"),
        DialogKey("ctrl+r", "try", "try", ahead=True),
        DialogKey("ctrl+s", "save", "save", ahead=True),
    )

    def __init__(self, context: Context, program: Program, name: str, text: str, *, saved: bool) -> None:
        """`name` is that of the pattern's file in `tests/filecheck`; `saved`: it is there and has this text."""
        super().__init__()
        self.context = context
        self._program = program
        self._file_name = name
        self._saved = text if saved else None
        """The text that the file has; None: there is no file."""
        self._trial: Trial | None = None
        self._text = TextArea(
            printable(text), id="pattern", soft_wrap=False, show_line_numbers=True, tab_behavior="focus"
        )
        self._text.cursor_blink = False
        self._results = LinesView(lambda _: "", id="pattern-results")
        self._lines = LinesView(lambda _: "", id="text")
        self._title_of_lines = PaneRule(one_line(Path(program.name).name))

    def body(self) -> ComposeResult:
        yield self.rule
        with Horizontal(id="pattern-halves"):
            yield self._text
            yield self._results
        yield self._title_of_lines
        yield self._lines

    def rules(self) -> Mapping[Widget, PaneRule]:
        return {self._text: self.rule, self._lines: self._title_of_lines}

    def place_of(self, pane: Widget) -> str:
        """The line under the cursor. The lines of the program have their numbers."""
        line, lines = self._text.cursor_location[0], self._text.document.line_count
        return place_text(line, lines) if pane is self._text else ""

    def on_mount(self) -> None:
        self._say_file()
        self._text.focus()
        self.watch(self._text, "scroll_y", self._scroll_along, init=False)
        self.action_try()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_lines)

    def on_text_area_changed(self) -> None:
        self._say_file()
        if self._program.size <= _AT_ONCE:
            self.action_try()
        else:
            self.say("edited: ^r tries it", "dim")

    def on_text_area_selection_changed(self) -> None:
        self.show_places()
        self._show_lines()

    def _say_file(self) -> None:
        state = "not written yet" if self._saved is None else "edited" if self._text.text != self._saved else ""
        self.rule.say(one_line((PATTERNS / self._file_name).as_posix()), state)

    def action_try(self) -> None:
        """Try the text on the program, as it is now."""
        if not self._text.text.strip():
            self._trial = None
            self._show()
            self.say("The pattern is empty: write a CHECK line.", "dim")
            return
        if self._program.size > _AT_ONCE:
            self.say(f"trying it on {self._program.size / 2**20:.0f} MiB …", "dim")
        work = partial(try_pattern, self._text.text, self._program.file)
        self.context.background.run("try a pattern", work, self._show_trial, supersede=True, fail=self._show_mistake)

    def _show_mistake(self, mistake: TTMatrixError) -> None:
        """A mistake in a pattern that is being typed is no error to close: it is shown in its place."""
        if self.is_attached:
            self._trial = None
            self._show()
            self.say(one_line(problem_words(mistake)), "error")

    def _show_trial(self, trial: Trial) -> None:
        if not self.is_attached:
            return
        first, self._trial = self._trial is None, trial
        failed = next((one for one in trial.result.lines if not one.matched), None)
        if first and failed is not None and self._text.text == self._saved:
            self._text.move_cursor((failed.line - 1, 0))
        self._show()
        self.say(*verdict_words(trial))

    def _show(self) -> None:
        self._results.show(TextLines(pattern_lines(self._trial, self._text.text)))
        self._scroll_along()
        self._show_lines()

    def _scroll_along(self) -> None:
        self._results.scroll_to(y=self._text.scroll_y, animate=False, force=True)

    def _show_lines(self) -> None:
        """The lines of the program that the line under the cursor is about."""
        one = checked_at(self._trial, self._text.cursor_location[0] + 1) if self._trial else None
        lines, at = program_lines(self._trial, one)
        self._lines.show(TextLines(lines))
        self._lines.go_to_row(max(0, at - self._lines.size.height // 2))

    def action_save(self) -> None:
        """Write the pattern to a file of the checkout."""
        ask = Ask(
            "Write this pattern to a file",
            "Relative to the checkout. The field filechecks of an entry names files of tests/filecheck.",
            value=(PATTERNS / self._file_name).as_posix(),
            verb="write",
            check=_check_name,
            doubt=lambda name: f"{name.strip()} exists and is replaced." if self._file(name).exists() else "",
        )
        self.app.push_screen(ask, lambda name: self._write(name.strip()) if name else None)

    def _file(self, name: str) -> Path:
        return self.context.session.checkout.root / name.strip()

    def _write(self, name: str) -> None:
        text, session, file = self._text.text, self.context.session, self._file(name)
        text = text if text.endswith("\n") else f"{text}\n"

        def work() -> str:
            session.check_writable()
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, text)
            return text

        def written(text: str) -> None:
            self._saved, self._file_name = self._text.text, file.name
            self.context.notify.info(f"Wrote {name}.")
            if self.is_attached:
                self._say_file()

        self.context.background.run("write a pattern", work, written)

    def action_leave(self) -> None:
        """Close; what was edited and not written is asked about."""
        text = self._text.text
        if text == (self._saved or "") or not text.strip():
            self.dismiss(None)
            return
        question = Confirm("Close without writing the pattern?", "What was edited is lost.", verb="close")
        self.app.push_screen(question, self._close)

    def _close(self, sure: bool | None) -> None:
        if sure:
            self.dismiss(None)


def _check_name(name: str) -> None:
    file = Path(name.strip())
    if file.suffix != ".mlir":
        raise UsageError("The name must end with .mlir, such as fused_gelu.ttnn.mlir")
    if file.is_absolute() or ".." in file.parts:
        raise UsageError("The name must be one of a file of the checkout")
