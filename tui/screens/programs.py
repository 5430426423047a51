# SPDX-License-Identifier: Apache-2.0
"""Programs: what the stages of compilation of a run have left, as text, as counts of ops, and compared."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget

from core.base.files import read_text
from core.base.text import counted, one_line
from core.evidence import Page, github
from core.evidence.github import OfJob
from core.providers import info_of
from core.runs import PATTERNS, first_pattern, patterns_of
from core.runs.ir import Counts, Op, Program, count_ops, programs, programs_in, read_ops
from core.runs.log import LogFile, LogLook
from core.runs.planning import shown_name
from core.runs.store import RunRecord
from tui.commands import Need, Where, command
from tui.keymap import need_words, with_keys
from tui.protocol import Context
from tui.screens.list_and_text import ListAndText, title_of_text
from tui.screens.pattern_check import PatternCheck
from tui.screens.pick import Option, Pick
from tui.screens.program_pair import compare_programs, show_pair
from tui.view_models import ops_text, program_rows
from tui.widgets import LogPane, LogView, ProgramPainter, RowTable, TextPane

_MOST_LINES = 200
"""Of a first pattern: more would hardly be read."""


class ProgramTable(RowTable):
    """The table of programs: only here the key for marking marks, in the text it scrolls."""

    def places(self) -> tuple[Where, ...]:
        return (Where.PROGRAM_TABLE, *super().places())

    @command(
        "programs.mark",
        Where.PROGRAM_TABLE,
        "space",
        "Mark",
        "Mark the program for comparison",
        footer=True,
        needs=Need.PROGRAM,
    )
    def action_mark(self) -> None:
        """Have the screen mark what is under the cursor."""
        assert isinstance(self.screen, ProgramsScreen)
        self.screen.mark()


class ProgramsScreen(ListAndText[Program]):
    """The programs of a run above, the text of the one under the cursor, or its ops, below."""

    PLACES = (Where.PROGRAMS,)
    PURPOSE = "What a model became at each stage of its compilation."

    def __init__(self, context: Context) -> None:
        self.painter = ProgramPainter()
        self.pane = LogPane(self.painter, copy_key=context.keymap.key("log.copy"), id="text")
        self.detail = TextPane(id="run-detail")
        table = ProgramTable(program_rows(()), id="programs")
        self._title = title_of_text()
        super().__init__(context, table, self.pane, title=self._title)
        self.record: RunRecord | None = None
        self._of_job: OfJob | None = None
        """The job of CI whose programs are shown, instead of a run here."""
        self._found: Sequence[Program] = ()
        self._in_use: Sequence[github.InUse] = ()
        self._marked = ""
        """The name of the marked program; empty: none is."""
        self._shown = ""
        self._counting = False
        """Whether ops are shown in the place of the text."""

    def instead(self) -> ComposeResult:
        yield self.detail

    def on_mount(self) -> None:
        self._show()

    @property
    def front(self) -> Widget:
        return self.detail if self._counting else self.view

    @property
    def view(self) -> LogView:
        """The text."""
        return self.pane.view

    def show_run(self, run_id: str) -> None:
        """Show the programs of a run."""
        self.record = next((one for one in self.session.all_runs if one.spec.run_id == run_id), None)
        self._leave(None)
        self._take(programs(self.record) if self.record else [])

    def show_dumps(self, directories: Sequence[Path], of: OfJob) -> None:
        """Show the programs that a job of CI has left: those of the test in question, if any is, else all."""
        self.record = None
        self._leave(of)
        self._in_use = [github.InUse(one) for one in directories]
        session = self.session

        def work() -> Sequence[Program]:
            found = [one for directory in directories for one in programs_in(directory)]
            info = info_of(session.workspace.model_infos, of.test) if of.test in session.matrix.rows else None
            return [one for one in found if info is not None and _is_of(one, info.name)] or found

        self.context.background.run("programs of CI", work, self._take, supersede=True, lists=True)

    def on_unmount(self) -> None:
        self._leave(None)

    def _leave(self, of: OfJob | None) -> None:
        """Read nothing more of what was shown; the next is of a job, or of a run here."""
        for one in self._in_use:
            one.close()
        self._of_job, self._found, self._in_use = of, (), ()
        self._marked = self._shown = ""

    def _take(self, found: Sequence[Program]) -> None:
        self._found = found
        if self.is_mounted:
            self._show()

    @property
    def _test(self) -> str:
        """The test whose programs these are; empty: it is unknown."""
        if self.record is not None:
            return self.record.spec.test_id
        return self._of_job.test if self._of_job is not None else ""

    def page(self) -> Callable[[], Page]:
        if self._of_job is not None:
            return partial(Page, self._of_job.url, "The page of this job is not known.")
        return partial(Page, why="These programs are of a run here: it has no job of CI.")

    def _show(self) -> None:
        found, of = self._found, self._of_job
        key = self.context.keymap.key("runs.programs")
        none = need_words(Need.PROGRAM, self.context.keymap) if self.record or of else f"{key} on a run shows them."
        self.table.say_when_empty(f"{self.PURPOSE} {none}")
        self.show_rows(program_rows(found, {self._marked}))
        if of is not None:
            self.title_line(f"{counted(len(found), 'program')} of {one_line(of.words)}", of.run.name)
        elif self.record is None:
            self.title_line("no run")
        else:
            spec = self.record.spec
            words = f"{counted(len(found), 'program')} of {one_line(spec.test_id)}"
            self.title_line(words, shown_name(spec.profile), spec.run_id)
        self.show_text()

    def show_text(self) -> None:
        program, title = self.current, self._title
        if program is None:
            return
        title.say(program.stage, one_line(Path(program.name).name), f"{program.size:,} bytes")
        if program.name != self._shown:
            self._shown = program.name
            self.pane.open(LogFile(program.file), follow=False)
            if self._counting:
                self._count(program)

    def _count(self, program: Program) -> None:
        self.detail.show(Text("counting …", "dim"))
        work = partial(_counted, program)
        self.context.background.run("count ops", work, partial(self._show_counts, program), supersede=True)

    def _show_counts(self, program: Program, counts: Counts) -> None:
        if program == self.current:
            self.detail.show(ops_text(program, counts))

    def lacks(self, need: Need) -> bool:
        match need:
            case Need.PROGRAM:
                return self.current is None
            case Need.TWO_PROGRAMS:
                return self.current is None or self._marked in ("", self.current.name)
            case Need.FILTERS:
                return self.view.look is None or not self.view.look.filters
            case _:
                return super().lacks(need)

    def close_one(self) -> bool:
        """From what is searched for, from the ops, from the text to the list."""
        if self.view.has_focus and self.view.clear():
            return True
        if self._counting:
            self.action_ops()
            return True
        if not self.table.has_focus:
            self.table.focus()
            return True
        return False

    # Actions

    @command(
        "programs.enter",
        Where.PROGRAMS,
        "enter",
        "Text",
        "Go to the text of the program",
        footer=True,
        needs=Need.PROGRAM,
    )
    def action_text(self) -> None:
        if self._counting:
            self.action_ops()
        self.set_focus(self.view)

    def mark(self) -> None:
        """Mark the program, or unmark it."""
        if self.current is not None:
            self._marked = "" if self._marked == self.current.name else self.current.name
            self._show()

    @command(
        "programs.compare",
        Where.PROGRAMS,
        "c",
        "Compare",
        "Compare with the marked one",
        footer=True,
        needs=Need.TWO_PROGRAMS,
    )
    def action_compare(self) -> None:
        """Compare with the marked program of this run."""
        program, found = self.current, self._found
        marked = next((one for one in found if one.name == self._marked), None)
        if marked is not None and program is not None:
            show_pair(self, (marked, program), (marked.name, program.name))

    @command(
        "programs.other", Where.PROGRAMS, "b", "Other run", "Compare with another run", footer=True, needs=Need.PROGRAM
    )
    def action_other_run(self) -> None:
        """Compare with the same program of another run of this test."""
        record = self.record
        if record is None:
            self.context.notify.info("There is no other run here: these programs are of a job of CI.")
            return
        others = [
            one
            for one in self.session.all_runs
            if one.spec.test_id == record.spec.test_id and one.spec.run_id != record.spec.run_id and not one.active
        ]
        options = [
            Option(one, shown_name(one.spec.profile), one.spec.run_id, str(one.outcome or one.state)) for one in others
        ]
        if not options:
            self.context.notify.info("There is no other run of this test.")
            return

        def compare(other: RunRecord | None) -> None:
            if other is not None:
                first, second = (f"{shown_name(one.spec.profile)}  {one.spec.run_id}" for one in (record, other))
                compare_programs(self, record, other, (first, second))

        self.app.push_screen(Pick("Compare with which run?", options), compare)

    @command("programs.ops", Where.PROGRAMS, "d", "Ops", "Toggle text / op counts", footer=True, needs=Need.PROGRAM)
    def action_ops(self) -> None:
        """Show how many ops of each name there are, or the text again."""
        self._counting = not self._counting
        self.set_class(self._counting, "detailed")
        if self._counting and self.current is not None:
            self._count(self.current)
        if not self.table.has_focus:
            self.set_focus(self.detail if self._counting else self.view)

    @command(
        "programs.source", Where.PROGRAMS, "s", "Source", "Open $EDITOR where the op comes from", needs=Need.PROGRAM
    )
    def action_source(self) -> None:
        """Open the editor where the op at the line found last, else at the top, comes from."""
        look, program = self.view.look, self.current
        if look is None or program is None:
            return
        top, found = look.number_at(self.view.scroll_offset.y), self.view.finder.current
        at = found if found is not None and top <= found < top + self.view.size.height else top
        self.context.background.run("source of an op", partial(_place, program, at + 1), self._open, supersede=True)

    @command("programs.unfold", Where.PROGRAMS, "u", "Constants", "Fold or unfold large constants", needs=Need.PROGRAM)
    def action_unfold(self) -> None:
        """Show large constants, or fold them again."""
        self.painter.folded = not self.painter.folded
        self.view.painter.forget()
        self.view.refresh()

    @command(
        "programs.pattern", Where.PROGRAMS, "p", "FileCheck", "Try a FileCheck pattern", footer=True, needs=Need.PROGRAM
    )
    def action_pattern(self) -> None:
        """Try a pattern on the program: one of the entry, another of the checkout, or a new one."""
        program = self.current
        if program is None:
            return
        rows = self.session.matrix
        row = rows.rows.get(self._test)
        named = patterns_of(None if row is None else rows.entry(row))
        directory = self.session.checkout.root / PATTERNS
        present = sorted(file.name for file in directory.glob("*.mlir"))
        options = [Option(name, name, _of_entry(name, name in present), _fits(name, program)) for name in named]
        others = sorted((name for name in present if name not in named), key=lambda name: not _fits(name, program))
        options += [Option(name, name, "", _fits(name, program)) for name in others]
        options.append(Option("", "new", "an empty pattern; {programs.first} writes one from lines"))
        options[-1] = replace(options[-1], help=with_keys(options[-1].help, self.context.keymap))
        pick = Pick("Try which pattern?", options, options[0].value)
        self.app.push_screen(pick, lambda name: None if name is None else self._try_pattern(program, name))

    def _try_pattern(self, program: Program, name: str) -> None:
        file = self.session.checkout.root / PATTERNS / name
        there = bool(name) and file.is_file()
        text = read_text(file) if there else ""
        self.app.push_screen(PatternCheck(self.context, program, name or _new_name(program), text, saved=there))

    @command("programs.first", Where.PROGRAMS, "P", "First", "Start a pattern from chosen lines", needs=Need.PROGRAM)
    def action_first_pattern(self) -> None:
        """Write a first pattern from the lines of the region; without one from the line found last, or at the top."""
        look, program = self.view.look, self.current
        if look is None or program is None or not look.line_count:
            return
        region = self.view.drawn
        first, count = region.rows(look) if region else (self._row(look), 1)
        if count > _MOST_LINES:
            self.context.notify.info(f"A pattern is made from at most {_MOST_LINES} lines: draw a smaller region.")
            return
        text = first_pattern(list(look.lines(first, count)))
        self.app.push_screen(PatternCheck(self.context, program, _new_name(program), text, saved=False))

    def _row(self, look: LogLook) -> int:
        """The row of the line found last, if it is visible, else of the one at the top."""
        top, found = self.view.scroll_offset.y, self.view.finder.current
        row = top if found is None else look.row_at(found)
        return row if top <= row < top + self.view.size.height else top

    def _open(self, op: Op | None) -> None:
        if op is None:
            self.context.notify.info("No op from this line on has a source location.")
            return
        file, _, line = op.place.rpartition(":")
        if not (self.session.checkout.root / file).is_file():
            self.context.notify.info(f"{op.name} comes from {op.place}, which is not on this machine.")
        else:
            self.context.files.edit_file(file, int(line))


def _of_entry(name: str, there: bool) -> str:
    return "of the entry" if there else f"of the entry; there is no {(PATTERNS / name).as_posix()}"


def _fits(name: str, program: Program) -> str:
    """The stage that a pattern is for, by its name, where it is that of the program."""
    return program.stage if name.removesuffix(".mlir").rpartition(".")[2] == program.stage else ""


def _new_name(program: Program) -> str:
    return f"new.{program.stage}.mlir"


def _counted(program: Program) -> Counts:
    return count_ops(program.file, program.stage)


def _place(program: Program, line: int) -> Op | None:
    """The first op from a line on that says where it comes from."""
    ops = read_ops(program.file, program.stage)
    after = range(bisect_left(ops.lines, line), len(ops))
    return next((op for op in map(ops.__getitem__, after) if op.place), None)


def _is_of(program: Program, model: str) -> bool:
    """Whether a program is in the folder that a dump of CI has for a model, by its name in reports."""
    folder = program.name.partition("/")[0]
    return re.sub(r"\W|_", "", folder).lower() == re.sub(r"\W|_", "", model).lower()
