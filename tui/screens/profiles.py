# SPDX-License-Identifier: Apache-2.0
"""Profiles: tests under several profiles in one batch, and how their numbers differ from those of the first."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from core.errors import TTMatrixError, UsageError
from core.evidence.analysis import FORMATS, ProfileTable, exported, profile_table
from core.files import atomic_write
from core.runs.log import side_by_side
from core.runs.planning import newest_comparison, profiles_of, shown_name
from core.runs.store import RunRecord
from core.text import counted, one_line
from tui.commands import Where, bindings
from tui.keymap import with_keys
from tui.needs import Need
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Ask
from tui.screens.panes import Divider, Pane
from tui.screens.pick import Option, Pick
from tui.screens.program_pair import compare_programs
from tui.screens.side_by_side import SideBySide
from tui.view_models import SORTS, Line, ListedPairs, Pair, ProfileRows, diff_style, paragraph, profile_words
from tui.widgets import LinesView, RowTable, TextLines

_SUFFIXES = {".csv": FORMATS[0], ".md": FORMATS[1]}
NONE = "No batch of several profiles has run here. {matrix.run_with} in the matrix starts one: choose what to compare."


class ProfilesScreen(SessionScreen):
    """The table of a batch above, each run of the row under the cursor below."""

    PLACES = (Where.PROFILES,)
    PANES = (Pane("list", ("#changes-box",)), Pane("text", ("#diff", "#diff-title")))
    DIVIDERS = (Divider("#diff-title", "#changes-box"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.PROFILES)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.table = RowTable(ProfileRows(ProfileTable(("",), {})), id="changes")
        self.view = LinesView(diff_style, id="diff")
        self.chosen = ""
        """The batch that is shown; empty: the newest with several profiles."""
        self._sort, self._reverse = SORTS[0], False

    def places(self) -> tuple[Where, ...]:
        return (Where.PROFILES, Where.LINES if self.view.has_focus else Where.TABLE)

    def body(self) -> ComposeResult:
        with Vertical(id="changes-box"):
            yield self.table
        yield Static("", id="diff-title", markup=False)
        yield self.view

    def on_mount(self) -> None:
        self.follow(self.context.signals.runs_changed, self.with_widgets(self._show))
        self.table.focus()
        self._show()

    def show_batch(self, batch: str) -> None:
        """Show the runs of a batch, as far as they have come."""
        self.chosen = batch
        if self.is_mounted:
            self._show()

    # What is shown

    @property
    def rows(self) -> ProfileRows:
        """The rows of the table."""
        assert isinstance(self.table.source, ProfileRows)
        return self.table.source

    @property
    def _current(self) -> tuple[str, str] | None:
        """Test and profile under the cursor."""
        pairs = self.rows.pairs
        return pairs[self.table.cursor] if self.table.cursor < len(pairs) else None

    def _records(self) -> list[RunRecord]:
        batch = self.chosen or newest_comparison(self.session.runs)
        found = [one for one in self.session.runs if batch and one.spec.batch == batch]
        return sorted(found, key=lambda one: one.spec.created)

    def _show(self) -> None:
        records = self._records()
        table = profile_table(records, profiles_of(records) or ("",))
        rows = ProfileRows(table, self._sort, reverse=self._reverse)
        self.table.show(rows, keep=self.table.cursor_key)
        self.panes.fit(len(rows))
        left = sum(one.active for one in records)
        by = f"by {self._sort or 'request'}{' ↓' if self._reverse else ''}" if self._sort or self._reverse else ""
        if not records:
            self.title_line("waiting for the queue" if self.chosen else "no profiles to compare")
        else:
            profiles = counted(len(table.profiles), "profile")
            self.title_line(f"{counted(len(table.rows), 'test')}, {profiles}", f"{left:,} to run" if left else "", by)
        self._show_words()

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._show_words()

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            self.panes.fit(len(self.rows))
            self.call_after_refresh(self._show_words)

    def _show_words(self) -> None:
        table, current, width = self.rows.table, self._current, self.view.line_width
        title = self.query_one("#diff-title", Static)
        if current is None:
            title.update("")
            queued = f"The runs of batch {self.chosen} are not queued yet." if self.chosen else NONE
            words = [(with_keys(queued, self.context.keymap), "dim")]
        else:
            first = shown_name(table.profiles[0])
            title.update(one_line(f"{current[0]}   compared with {first}"))
            words = profile_words(table, *current)
        lines: list[Line] = []
        for text, style in words:
            lines += paragraph(text, style, width, 4)
        self.view.show(TextLines(lines))

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.PROFILE_ROW:
                return self._current is None
            case Need.OTHER_PROFILE:
                return self._both() is None
            case _:
                return super().lacks(need)

    def _both(self) -> tuple[RunRecord, RunRecord] | None:
        """The newest ended run of the row under the cursor after that of the first profile; None: there are no two."""
        if self._current is None:
            return None
        id, profile = self._current
        table = self.rows.table
        first = table.profiles[0]
        # In the row of the first profile it is compared with the last one.
        other = profile if profile != first else table.profiles[-1]
        cells = [table.rows[id][name] for name in (first, other)]
        ended = [[run for run in cell.runs if not run.active] for cell in cells]
        return (ended[0][-1], ended[1][-1]) if all(ended) and first != other else None

    # Actions

    def action_logs(self) -> None:
        """The log of the row beside that of the first profile."""
        both = self._both()
        if both is not None:
            one, other = both
            self.context.background.run(
                "logs beside each other", partial(side_by_side, one, other), self._show_logs, asks=True
            )

    def _show_logs(self, rows: list[tuple[str, str, bool]]) -> None:
        both = self._both()
        if both is not None:
            self.app.push_screen(SideBySide("Two logs", _heads(both), ListedPairs([Pair(*row) for row in rows])))

    def action_programs(self) -> None:
        """A program of the row beside that of the first profile."""
        both = self._both()
        if both is not None:
            compare_programs(self, *both, heads=_heads(both))

    def action_batch(self) -> None:
        """Choose another batch with several profiles."""
        batches: dict[str, list[RunRecord]] = {}
        for record in self.session.runs:
            batches.setdefault(record.spec.batch, []).append(record)
        several = {name: runs for name, runs in batches.items() if name and len(profiles_of(runs)) > 1}
        options = [Option(name, name, _batch_words(runs)) for name, runs in several.items()]
        if not options:
            self.context.notify.info(with_keys(NONE, self.context.keymap))
        else:
            pick = Pick("Batch of profiles", options, self.chosen or options[0].value)
            self.app.push_screen(pick, lambda name: self.show_batch(name) if name else None)

    def action_next_sort(self) -> None:
        self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self._show()

    def action_reverse_sort(self) -> None:
        self._reverse = not self._reverse
        self._show()

    def action_export(self) -> None:
        """Write the table to a file."""
        table = self.rows.table
        ask = Ask(
            "Write this table to a file",
            "A name that ends with .csv or .md, relative to the directory that ttmatrix was started in.",
            value="profiles.md",
            verb="write",
            check=_check_file,
        )
        self.app.push_screen(ask, lambda name: self._write(table, Path(name.strip())) if name else None)

    def _write(self, table: ProfileTable, file: Path) -> None:
        def work() -> Path:
            self.session.check_writable()
            atomic_write(file.absolute(), exported(table, _SUFFIXES[file.suffix]))
            return file

        self.context.background.run("write profiles", work, lambda done: self.context.notify.info(f"Wrote {done}."))

    def action_copy(self) -> None:
        self.context.notify.copy(exported(self.rows.table, "markdown"))

    def action_go_to_test(self) -> None:
        if self._current is not None:
            self.context.navigation.show_test(self._current[0])

    def action_other_pane(self) -> None:
        (self.table if self.view.has_focus else self.view).focus()


def _heads(both: Sequence[RunRecord]) -> tuple[str, str]:
    first, second = (f"{shown_name(one.spec.profile)}  {one.spec.run_id}" for one in both)
    return first, second


def _batch_words(runs: Sequence[RunRecord]) -> str:
    tests = counted(len({one.spec.test_id for one in runs}), "test")
    return f"{tests}: {', '.join(map(shown_name, profiles_of(runs)))}"


def _check_file(name: str) -> None:
    file = Path(name.strip())
    if file.suffix not in _SUFFIXES:
        raise UsageError(f"The name must end with {' or '.join(_SUFFIXES)}")
    if file.exists():
        raise UsageError(f"{file} exists already", hint="Name another file.")
    if not file.absolute().parent.is_dir():
        raise TTMatrixError(f"There is no directory {file.absolute().parent}")
