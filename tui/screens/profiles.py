# SPDX-License-Identifier: Apache-2.0
"""Profiles: tests under several profiles in one batch, and how their numbers differ from those of the first."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.files import atomic_write
from core.base.text import counted, one_line
from core.evidence import Page
from core.evidence.analysis import FORMATS, ProfileTable, exported, profile_table
from core.runs.log import side_by_side
from core.runs.planning import newest_comparison, profiles_of, shown_name
from core.runs.store import RunRecord
from tui.commands import Need, Where, command
from tui.keymap import advice
from tui.protocol import Context
from tui.screens.dialogs import Ask
from tui.screens.list_and_text import ListAndLines
from tui.screens.pick import Option, Pick
from tui.screens.program_pair import compare_programs
from tui.screens.side_by_side import SideBySide
from tui.view_models import SORTS, ListedPairs, Pair, Tried, profile_rows, profile_words
from tui.widgets import RowTable

_SUFFIXES = {".csv": FORMATS[0], ".md": FORMATS[1]}
NONE = "No batch of several profiles has run here. {matrix.run_with} in the matrix starts one: choose what to compare."


class BatchTable(RowTable):
    """The table of a batch: only here the key for sorting sorts, in the text it scrolls."""

    def places(self) -> tuple[Where, ...]:
        return (Where.PROFILE_TABLE, *super().places())

    @command(
        "profiles.sort",
        Where.PROFILE_TABLE,
        "greater_than_sign",
        "Sort",
        "Sort by the next column",
        footer=True,
        needs=Need.PROFILE_ROW,
    )
    def action_next_sort(self) -> None:
        """Have the screen sort."""
        assert isinstance(self.screen, ProfilesScreen)
        self.screen.sort_by_next()


class ProfilesScreen(ListAndLines[Tried]):
    """The table of a batch above, each run of the row under the cursor below."""

    PLACES = (Where.PROFILES,)
    TEXT = "The test"

    def __init__(self, context: Context) -> None:
        self.shown = ProfileTable(("",), {})
        """The numbers of that batch."""
        super().__init__(context, BatchTable(profile_rows(self.shown), id="profiles"))
        self.chosen = ""
        """The batch that is shown; empty: the newest with several profiles."""
        self._sort, self._reverse = SORTS[0], False

    def on_mount(self) -> None:
        self.follow(self.context.signals.runs_changed, self.with_widgets(self._show))
        self._show()

    def show_batch(self, batch: str) -> None:
        """Show the runs of a batch, as far as they have come."""
        self.chosen = batch
        if self.is_mounted:
            self._show()

    # What is shown

    def _records(self) -> list[RunRecord]:
        batch = self.chosen or newest_comparison(self.session.runs)
        found = [one for one in self.session.runs if batch and one.spec.batch == batch]
        return sorted(found, key=lambda one: one.spec.created)

    def _show(self) -> None:
        records = self._records()
        table = self.shown = profile_table(records, profiles_of(records) or ("",))
        queued = f"The runs of batch {self.chosen} are not queued yet." if self.chosen else NONE
        self.table.say_when_empty(advice(queued, self.context.keymap, read_only=self.session.read_only))
        self.show_rows(profile_rows(table, self._sort, reverse=self._reverse, width=self.table.line_width))
        left = sum(one.active for one in records)
        by = f"by {self._sort or 'request'}{' ↓' if self._reverse else ''}" if self._sort or self._reverse else ""
        if not records:
            self.title_line("waiting for the queue" if self.chosen else "no profiles to compare")
        else:
            profiles = counted(len(table.profiles), "profile")
            self.title_line(f"{counted(len(table.rows), 'test')}, {profiles}", f"{left:,} to run" if left else "", by)
        self.show_text()

    def resized(self) -> None:
        # What a row has room for depends on the width, too.
        self._show()

    def show_text(self) -> None:
        table, current = self.shown, self.current
        if current is not None:
            heading = f"{current[0]}   compared with {shown_name(table.profiles[0])}"
            self.say(profile_words(table, *current), title=one_line(heading))

    def page(self) -> Callable[[], Page]:
        return self.page_of_tests([self.current[0]] if self.current is not None else [])

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.PROFILE_ROW:
                return self.current is None
            case Need.OTHER_PROFILE:
                return self._both() is None
            case Need.ROW_RUN:
                return self._newest is None
            case _:
                return super().lacks(need)

    @property
    def _newest(self) -> RunRecord | None:
        """The newest run of the row under the cursor that has begun."""
        if self.current is None:
            return None
        id, profile = self.current
        return next((one for one in reversed(self.shown.rows[id][profile].runs) if one.started), None)

    def _both(self) -> tuple[RunRecord, RunRecord] | None:
        """The newest ended run of the row under the cursor after that of the first profile; None: there are no two."""
        if self.current is None:
            return None
        id, profile = self.current
        table = self.shown
        first = table.profiles[0]
        # In the row of the first profile it is compared with the last one.
        other = profile if profile != first else table.profiles[-1]
        cells = [table.rows[id][name] for name in (first, other)]
        ended = [[run for run in cell.runs if not run.active] for cell in cells]
        return (ended[0][-1], ended[1][-1]) if all(ended) and first != other else None

    # Actions

    @command(
        "profiles.logs",
        Where.PROFILES,
        "enter",
        "Logs",
        "Logs beside the first profile's",
        footer=True,
        needs=Need.ROW_RUN,
    )
    def action_logs(self) -> None:
        """The log of the row beside that of the first profile; where there are no two yet, its own."""
        both, newest = self._both(), self._newest
        if both is not None:
            one, other = both
            self.context.background.run(
                "logs beside each other", partial(side_by_side, one, other), self._show_logs, asks=True
            )
        elif newest is not None:
            self.context.navigation.show_run(newest.spec.run_id)

    def _show_logs(self, rows: list[tuple[str, str, bool]]) -> None:
        both = self._both()
        if both is not None:
            self.app.push_screen(SideBySide("Two logs", _heads(both), ListedPairs([Pair(*row) for row in rows])))

    @command(
        "profiles.ir",
        Where.PROFILES,
        "i",
        "IR",
        "Programs beside the first profile's",
        footer=True,
        needs=Need.OTHER_PROFILE,
    )
    def action_programs(self) -> None:
        """A program of the row beside that of the first profile."""
        both = self._both()
        if both is not None:
            compare_programs(self, *both, heads=_heads(both))

    @command("profiles.batch", Where.PROFILES, "b", "Batch", "Choose another batch", footer=True)
    def action_batch(self) -> None:
        """Choose another batch with several profiles."""
        batches: dict[str, list[RunRecord]] = {}
        for record in self.session.runs:
            batches.setdefault(record.spec.batch, []).append(record)
        several = {name: runs for name, runs in batches.items() if name and len(profiles_of(runs)) > 1}
        options = [Option(name, name, _batch_words(runs)) for name, runs in several.items()]
        if not options:
            self.context.notify.info(advice(NONE, self.context.keymap, read_only=self.session.read_only))
        else:
            pick = Pick("Batch of profiles", options, self.chosen or options[0].value)
            self.app.push_screen(pick, lambda name: self.show_batch(name) if name else None)

    def sort_by_next(self) -> None:
        """Sort by the next column."""
        self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        self._show()

    @command("profiles.turn", Where.PROFILES, "O", "Reverse", "Reverse sort", needs=Need.PROFILE_ROW)
    def action_reverse_sort(self) -> None:
        self._reverse = not self._reverse
        self._show()

    @command(
        "profiles.export",
        Where.PROFILES,
        "x",
        "Export",
        "Export as CSV or Markdown",
        footer=True,
        needs=Need.PROFILE_ROW,
    )
    def action_export(self) -> None:
        """Write the table to a file."""
        table = self.shown
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

    @command("profiles.test", Where.PROFILES, "t", "Test", "Show the test in the matrix", needs=Need.PROFILE_ROW)
    def action_go_to_test(self) -> None:
        if self.current is not None:
            self.go_to_test(self.current[0])

    @command(
        "profiles.copy",
        Where.PROFILES,
        "y",
        "Copy",
        "Copy the table as Markdown",
        action="copy",
        needs=Need.PROFILE_ROW,
    )
    def copied(self) -> str:
        return exported(self.shown, "markdown")


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
