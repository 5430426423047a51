# SPDX-License-Identifier: Apache-2.0
"""Nightly: what CI did last night, by what a morning asks first; from each line one key to what one does next."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.evidence import CiJob, CiRun, JobState, Page, nightly
from core.evidence.github import OfJob
from core.evidence.nightly import Line, Machine, Night, NightCell, Section, Span, Speed
from core.matrix.query import Query
from core.runs.planning import LaunchPlan
from tui.commands import Changes, Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.ci_programs import show_programs_of
from tui.screens.dialogs import ask_to_start
from tui.screens.list_and_text import ListAndLines
from tui.screens.pick import Option, Pick
from tui.view_models import HeadingTitles, NightRow, night_groups, night_list, night_rows, night_words
from tui.widgets import GroupTable

_FOLDED = ("still", "red", "green", "unread")
"""Sections that are folded until they are unfolded."""
_MOST_LINKS = 200
_NONE = "None is known: `ttmatrix ingest --from-github` reads the last 14 days."


class Shown(NamedTuple):
    """A night as it is shown."""

    night: Night
    page: Sequence[Section]
    newest: object
    """The newest night when this one was read: another value means that there is something newer."""


class NightTable(GroupTable):
    """The lines of the page in their sections. One level in from a line is the log."""

    def action_fold(self, opened: bool) -> None:
        if opened and self.row is not None:
            assert isinstance(self.screen, NightScreen)
            self.screen.action_log()
        else:
            super().action_fold(opened)


class NightScreen(ListAndLines[NightRow]):
    """The lines above, all about the one under the cursor below."""

    PURPOSE = "Which jobs of CI died last night and why, what fails newly, is fixed or slower."
    PLACES = (Where.NIGHTLY,)
    LONG = True
    TEXT = "The night"

    def __init__(self, context: Context) -> None:
        self._groups = NightTable(night_rows(()), HeadingTitles("section", "lines", rate=""), id="night", but=_FOLDED)
        super().__init__(context, self._groups)
        self._shown: Shown | None = None
        self._runs: Sequence[CiRun] = ()
        self._known = False
        """Whether it has been read what runs there are."""
        self._newer = ""
        """The name of a night that is newer than what is shown, or has changed since; empty: there is none."""
        self._look = self.read_when_seen(self._see, context.signals.evidence_changed)

    def on_mount(self) -> None:
        self.title_line("reading the night …")

    # What is shown

    def _see(self) -> None:
        """Read the newest night; where one is shown already, only see whether there is a newer one."""
        if self._shown is None:
            self._read()
        else:
            evidence = self.session.ci
            self.context.background.run("newest night", lambda: evidence.ci_runs, self._compare, supersede=True)

    def _compare(self, runs: Sequence[CiRun]) -> None:
        self._runs, newest = runs, nightly.newest_night(runs)
        if self._shown is not None and newest is not None:
            self._newer = newest.name if _stamp(newest) != self._shown.newest else ""
            self._say()

    def _read(self, run: CiRun | None = None, base: CiRun | None = None) -> None:
        """Read a night, or the newest one, against another one, or the one before it."""
        evidence = self.session.ci

        def work() -> tuple[Sequence[CiRun], Shown | None]:
            runs = evidence.ci_runs
            newest = nightly.newest_night(runs)
            chosen = run or newest
            if chosen is None or newest is None:
                return runs, None
            night = evidence.newest_night() if run is None and base is None else evidence.night(chosen, base)
            return runs, _shown(night, newest) if night is not None else None

        self.context.background.run("nightly", work, self._take, supersede=True, lists=self._shown is None)

    def _take(self, found: tuple[Sequence[CiRun], Shown | None]) -> None:
        first = self._shown is None
        self._runs, self._shown = found
        self._known, self._newer = True, ""
        page = self._shown.page if self._shown else ()
        listed = night_list(page)
        self.table.say_when_empty(
            self.first_step(_NONE) if self._shown is None else "Nothing differs from the night before."
        )
        self.show_rows(night_rows(listed), night_groups(listed))
        if first and self._groups.row is None and listed:
            # What one wants to read first is the first line, not the heading above it.
            self.table.cursor = 1
        self._say()
        self.show_text()

    def _say(self) -> None:
        if self._shown is None:
            self.title_line("no run of CI is known")
            return
        night, key = self._shown.night, self.context.keymap.key("nightly.newest")
        newer = f"{key} shows {self._newer}, which is newer" if self._newer else ""
        if self._newer == night.run.name:
            newer = f"{key} shows what has come since"
        name, *rest = nightly.headline_parts(night)
        against = f"against {night.base.name}" if night.base else "nothing to compare with"
        # What is cut first is what is known anyway.
        self.title_line(name, *reversed(rest), against, keyed=(newer,))

    def show_text(self) -> None:
        one, shown, group = self.current, self._shown, self._groups.group
        if not self._known:
            self.say(())
        elif shown is None:
            self.say((), title="")
        elif one is not None:
            words = [*night_words(one)]
            more = [(f"and {len(words) - _MOST_LINKS:,} more", "dim")] if len(words) > _MOST_LINKS else []
            self.say([*words[:_MOST_LINKS], *more], title=one.section.title)
        elif group is not None and len(shown.page):
            section = next((one for one in shown.page if one.word == group.key), shown.page[0])
            words = [(" ".join(filter(None, (line.area, line.text, line.said))), "") for line in section.lines]
            self.say(words[:_MOST_LINKS], title=section.title)
        else:
            self.say([(nightly.against(shown.night), "dim")], title="")

    # Which night

    @command("nightly.choose", Where.NIGHTLY, "c", "Night", "Choose the night", footer=True, needs=Need.NIGHTS)
    def action_choose(self) -> None:
        self._pick("Which night?", self._shown.night.run if self._shown else None, self._read)

    @command(
        "nightly.base", Where.NIGHTLY, "b", "Base", "Choose what it is compared with", footer=True, needs=Need.NIGHTS
    )
    def action_base(self) -> None:
        if self._shown is not None:
            night = self._shown.night
            self._pick(f"Compare {night.run.name} with which?", night.base, partial(self._read, night.run))

    def _pick(self, title: str, now: CiRun | None, take: Callable[[CiRun], None]) -> None:
        options = [
            Option(run, run.name, f"{day_of(run.created)}  {run.conclusion}  {run.commit[:10]}", run.branch)
            for run in self._runs
        ]
        self.app.push_screen(Pick(title, options, now), lambda run: take(run) if run is not None else None)

    @command("nightly.newest", Where.NIGHTLY, "n", "Newest", "Show the newest night", needs=Need.NIGHTS)
    def action_newest(self) -> None:
        self._read()

    # From a line to what one does next

    @property
    def _line(self) -> Line | None:
        return self.current.line if self.current is not None else None

    def lacks(self, need: Need) -> bool:
        line = self._line
        match need:
            case Need.NIGHTS:
                return not self._runs
            case Need.NIGHT_LINE:
                return line is None and self._groups.group is None
            case Need.NIGHT_JOB:
                return self._job_of(line) is None
            case Need.NIGHT_TESTS:
                return not self._cells_here(line)
            case _:
                return super().lacks(need)

    @command(
        "nightly.enter",
        Where.NIGHTLY,
        "enter",
        "Open",
        "Open the log at the error, or the Triage group",
        footer=True,
        needs=Need.NIGHT_LINE,
        hint=Hint("nightly", "{nightly.enter} opens the log of a job"),
    )
    def action_enter(self) -> None:
        """Open what the line is about: the log of a job, the Triage group of a cause, the tests, the commits."""
        line, go = self._line, self.context.navigation
        if line is None:
            group = self._groups.group
            if group is not None:
                self._groups.action_fold(self._groups.is_folded(group))
        elif line.job is not None:
            self.action_log()
        elif line.cells:
            self._show_tests([cell.id for cell in line.cells])
        elif isinstance(line.about, Span):
            go.show_diff(f"{line.about.before}..{line.about.after}", uplift=line.about.models)
        elif isinstance(line.about, Machine):
            go.show_tests(Query.parse(f"failed_on:{line.about.name}"))
        elif isinstance(line.about, Speed) and line.about.model in self.session.matrix.rows:
            go.show_test(line.about.model)
        elif line.url:
            self.context.notify.open_page(Page(line.url))

    def _show_tests(self, ids: Sequence[str]) -> None:
        """The group of Triage that the tests are in, else the tests in the matrix."""
        if not self.context.navigation.show_triage_of(ids) and not self.go_to_known(ids):
            log = self.context.keymap.key("nightly.log")
            self.context.notify.info(f"The matrix has no such test: {log} shows it in the log of its job.")

    def _job_of(self, line: Line | None) -> tuple[JobState, str] | None:
        """The job whose log tells about a line, with the test to look at."""
        if line is None or self._shown is None:
            return None
        if isinstance(line.about, JobState):
            return line.about, ""
        cell = next((cell for cell in line.cells if cell.job), None)
        if cell is not None:
            return _state_of(self._shown.night, cell), cell.id
        return None

    @command(
        "nightly.log",
        Where.NIGHTLY,
        "L",
        "Log",
        "Show the log of the job, at the error or test",
        footer=True,
        needs=Need.NIGHT_JOB,
    )
    def action_log(self) -> None:
        """The log of the job: at its error, or at the test."""
        found = self._job_of(self._line)
        if found is not None:
            self.context.navigation.show_job_log(*found)

    @command(
        "nightly.programs",
        Where.NIGHTLY,
        "p",
        "IR",
        "Show the IR that the job has left",
        needs=Need.NIGHT_JOB,
        aliases="ir mlir stablehlo programs",
    )
    def action_programs(self) -> None:
        """The programs that the job has left: those of the test, if the line is of one."""
        found = self._job_of(self._line)
        if found is not None:
            state, test = found
            known = {run.id: run for run in self._runs}
            run = known.get(state.job.run)
            of = OfJob(run, state.job.id, test or state.job.short, test) if run is not None else None
            show_programs_of(self, lambda: of)

    def _cells_here(self, line: Line | None) -> list[tuple[str, str, int]]:
        """The cells of a line that could be run here; of a job that died, the test that ran last."""
        return [*dict.fromkeys(self._runnable(line))] if line is not None else []

    def _runnable(self, line: Line) -> Iterator[tuple[str, str, int]]:
        known = self.session.matrix.rows
        for cell in line.cells:
            if cell.id in known:
                yield cell.id, cell.arch, 1
        if self._shown is not None and isinstance(line.about, JobState):
            arch = self._shown.night.archs.get(line.about.job.id, "")
            for node in nightly.suspects(line):
                id = node.partition("[")[2].removesuffix("]")
                if id in known and arch:
                    yield id, arch, 1

    @command(
        "nightly.run",
        Where.NIGHTLY,
        "r",
        "Run here",
        "Run its tests here, or the one that ran last",
        footer=True,
        needs=Need.NIGHT_TESTS,
        changes=Changes.RUNS,
    )
    def action_run(self) -> None:
        """Run the tests of the line on the device here."""
        cells, session = self._cells_here(self._line), self.session

        def plan() -> LaunchPlan:
            return session.look().plan_cells(cells)

        if cells:
            self.context.background.run("plan a rerun", plan, partial(ask_to_start, self), asks=True)

    @command(
        "nightly.issue",
        Where.NIGHTLY,
        "i",
        "Issue",
        "Copy the text of an issue about this line",
        footer=True,
        needs=Need.NIGHT_LINE,
    )
    def action_copy_issue(self) -> None:
        """Copy the text of an issue about the line."""
        if self._shown is not None and self._line is not None:
            self.context.notify.copy(nightly.issue_text(self._shown.night, self._line))

    def page(self) -> Callable[[], Page]:
        """The page of the line; of a heading, that of the whole run."""
        line, night = self._line, self._shown.night if self._shown is not None else None
        if line is None and night is not None:
            return partial(Page, night.run.url)
        return partial(Page, line.url if line is not None else "", "This line has no page on GitHub.")

    action_copy = command(
        "nightly.copy",
        Where.NIGHTLY,
        "y",
        "Copy",
        "Copy the whole page as Markdown, at most 80 lines",
        needs=Need.NIGHTS,
        aliases="markdown report",
    )(ListAndLines.action_copy)

    def copied(self) -> str:
        return nightly.markdown(self._shown.night) if self._shown is not None else ""


def _shown(night: Night, newest: CiRun) -> Shown:
    green = nightly.other_jobs(night)
    return Shown(night, [*nightly.sections(night), *([green] if green.lines else [])], _stamp(newest))


def _stamp(run: CiRun) -> object:
    """A value that changes when a run has an attempt more, or when more of it has been read."""
    return run.id, run.attempt, run.updated, run.whole, run.reports


def _state_of(night: Night, cell: NightCell) -> JobState:
    """The job of a cell; of an earlier attempt only its page is known."""
    known = next((state for state in night.jobs if state.job.id == cell.job), None)
    return known or JobState(CiJob(cell.job, night.run.id, 1, cell.row.job, "completed", "", url=cell.url))
