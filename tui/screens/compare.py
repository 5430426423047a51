# SPDX-License-Identifier: Apache-2.0
"""Compare: how the results of two runs differ, with the commits between them."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from core.evidence.analysis import Difference, DifferenceKind
from core.text import one_line
from tui.commands import Where, bindings
from tui.evidence_service import Compared, Knowledge
from tui.needs import Need
from tui.protocol import Context
from tui.screens.base import SessionScreen, WhenSeen
from tui.screens.panes import Divider, Pane
from tui.screens.pick import Option, Pick
from tui.view_models import DifferenceRows, Line, commit_words, diff_style, paragraph, sides
from tui.widgets import CachedText, KeyLine, LinesView, RowTable, TextLines

_KINDS = (None, *DifferenceKind)
_NO_RUNS = (
    "A run is a nightly with ingested reports, or a batch of device runs here. "
    "`ttmatrix ingest PATH --run-name NAME` adds one."
)


class CompareScreen(SessionScreen):
    """What differs above, both results of the cell under the cursor and the commits below."""

    PLACES = (Where.COMPARE,)
    PANES = (Pane("list", ("#changes-box",)), Pane("text", ("#diff", "#diff-title")))
    DIVIDERS = (Divider("#diff-title", "#changes-box"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.COMPARE)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.table = RowTable(DifferenceRows(()), id="changes")
        self.view = LinesView(diff_style, id="diff")
        self.knowledge = Knowledge(context.session)
        self._evidence = WhenSeen(
            self, self._read_evidence, context.signals.matrix_changed, context.signals.evidence_changed
        )
        self.kind: DifferenceKind | None = None
        """The kind of differences that are listed; None: all."""
        self._found: Compared | None = None
        self._names: tuple[str, str] | None = None
        """The runs that were chosen; None: the last two."""

    def places(self) -> tuple[Where, ...]:
        return (Where.COMPARE, Where.LINES if self.view.has_focus else Where.TABLE)

    def compose(self) -> ComposeResult:
        yield CachedText("", id="title", markup=False)
        with Vertical(id="changes-box"):
            yield self.table
        yield Static("", id="diff-title", markup=False)
        yield self.view
        yield KeyLine()

    def on_mount(self) -> None:
        self.follow(self.context.signals.pending_changed, self._say)
        self.follow(self.context.signals.runs_changed, self._say)
        self.table.focus()
        self._say()
        self._evidence.start()

    def on_screen_resume(self) -> None:
        self._evidence.resume()

    def _read_evidence(self) -> None:
        work = partial(self.knowledge.compare, self._names)
        self.context.background.run("compare", work, self._take, supersede=True)

    def _take(self, found: Compared) -> None:
        self._found = found
        self._show()

    @property
    def _listed(self) -> Sequence[Difference]:
        found = self._found.comparison.differences if self._found else ()
        return [one for one in found if self.kind in (None, one.kind)]

    @property
    def current(self) -> Difference | None:
        """The difference under the cursor."""
        listed = self._listed
        return listed[self.table.cursor] if self.table.cursor < len(listed) else None

    def _show(self) -> None:
        self.table.show(DifferenceRows(self._listed), keep=self.table.cursor_key)
        self.panes.fit(len(self.table.source))
        self._say()

    def _say(self) -> None:
        found = self._found
        if found is None:
            self.title_line("comparing …")
            return
        if not found.before:
            self.title_line("no two runs to compare")
            self.view.show(TextLines(paragraph(_NO_RUNS, "dim", self.view.line_width)))
            return
        counts = ", ".join(f"{count:,} {kind}" for kind, count in found.comparison.counts.items() if count)
        self.title_line(counts or "no differences", f"only {self.kind}" if self.kind else "")
        names = f"{one_line(found.before)} → {one_line(found.after)}"
        self.query_one("#diff-title", Static).update(f"{names}   {found.comparison.passing:,} pass in both")

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.TWO_RESULTS:
                return self._found is None or not self._found.before
            case Need.DIFFERENCE:
                return self.current is None
            case _:
                return super().lacks(need)

    def close_one(self) -> bool:
        """From one kind to all kinds."""
        if self.kind is None:
            return False
        self.kind = None
        self._show()
        return True

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._show_words()

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            self.panes.fit(len(self.table.source))
            self.call_after_refresh(self._show_words)

    def _show_words(self) -> None:
        found, width = self._found, self.view.line_width
        if found is None or not found.before:
            return
        texts = sides(self.current) if self.current else []
        texts += [("", ""), *commit_words("tt-xla", found.commits), *commit_words("models", found.models)]
        lines: list[Line] = []
        for text, style in texts:
            lines += paragraph(text, style, width, 4)
        self.view.show(TextLines(lines))

    # Actions

    def action_next_kind(self) -> None:
        self.kind = _KINDS[(_KINDS.index(self.kind) + 1) % len(_KINDS)]
        self._show()

    def action_choose_run(self, side: str) -> None:
        """Choose one of the two runs from all that are known."""
        found = self._found
        if found is None or not found.before:
            return
        options = [Option(name, "", name) for name in found.runs]
        chosen = found.before if side == "before" else found.after
        pick = Pick(f"The {'earlier' if side == 'before' else 'later'} run", options, chosen)

        def take(name: str | None) -> None:
            if name is not None:
                self._names = (name, found.after) if side == "before" else (found.before, name)
                self._evidence.ask()

        self.app.push_screen(pick, take)

    def action_go_to_test(self) -> None:
        one = self.current
        if one is None or one.id not in self.session.view.matrix.rows:
            self.context.notify.info("The checkout has no such test.")
        else:
            self.context.navigation.show_test(one.id)

    def action_copy_id(self) -> None:
        if self.current is not None:
            self.context.notify.copy(self.current.id)

    def action_other_pane(self) -> None:
        (self.table if self.view.has_focus else self.view).focus()
