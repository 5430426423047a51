# SPDX-License-Identifier: Apache-2.0
"""The page of a nightly as sections of lines, in the order in which a morning asks: for commands and for the screen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line, significant
from core.evidence.analysis import Between
from core.evidence.ci_runs import CiJob, JobState
from core.evidence.github import hangs
from core.evidence.nightly.areas import area_of_job
from core.evidence.nightly.cells import Group, Kind, NightCell
from core.evidence.nightly.known import Known
from core.evidence.nightly.night import LostJob, Machine, Night
from core.evidence.nightly.speed import Speed, SpeedTrend
from core.evidence.observation import Ending, Observation

_SHORT = 10
NO_ROW = "no preset has its row at the head of the run"
_OWN = "tt-xla"
_RED = (Kind.NEW, Kind.CHANGED, Kind.PERSISTING)


@dataclass(frozen=True, slots=True)
class Link:
    """A text with the page that it leads to; without one, only the text."""

    text: str
    url: str = ""


class Span(NamedTuple):
    """Commits of one repository."""

    models: bool
    """They are of the models, else of tt-xla."""
    before: str
    after: str


About = JobState | Group | NightCell | Speed | Machine | Span | None
"""What a line is about; None: it only says something."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: where it belongs, what happened, in words of others, and what it is about."""

    area: str = ""
    text: str = ""
    said: str = ""
    """Verbatim: a cause, an error."""
    links: tuple[Link, ...] = ()
    note: str = ""
    about: About = None

    @property
    def job(self) -> CiJob | None:
        """The job that it is about; None: it is about something else."""
        return self.about.job if isinstance(self.about, JobState) else None

    @property
    def cells(self) -> tuple[NightCell, ...]:
        """The cells that it is about."""
        if isinstance(self.about, Group):
            return self.about.cells
        return (self.about,) if isinstance(self.about, NightCell) else ()

    @property
    def url(self) -> str:
        """The page that it leads to; empty: none."""
        return next((one.url for one in self.links if one.url), "")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    word: str
    """What each of its lines is, in a word."""
    title: str
    lines: tuple[Line, ...]
    folded: bool = False


def headline(night: Night) -> str:
    """Everything in one line."""
    return " · ".join(headline_parts(night))


def headline_parts(night: Night) -> list[str]:
    """The parts of that line, the most telling ones first."""
    run = night.run
    attempt = f", attempt {run.attempt}" if run.attempt > 1 else ""
    kinds = [f"{night.count(kind):,} {kind}" for kind in Kind if night.count(kind) or kind is Kind.NEW]
    cells = f"{night.not_run:,} not run" if night.not_run else ""
    parts = (
        f"{run.name}{attempt}",
        day_of(run.created),
        run.commit[:_SHORT],
        run.conclusion,
        f"{night.reported} of {len(night.test_jobs)} groups reported",
        ", ".join(filter(None, (*kinds, cells))),
    )
    return [one_line(part) for part in parts if part]


def against(night: Night) -> str:
    """What it is compared with."""
    if night.base is None:
        return "No run of this workflow before it has results: every failure is new."
    base = night.base
    skipped = f"; {', '.join(night.skipped)} left no results" if night.skipped else ""
    renamed = "" if base.workflow == night.run.workflow else ", of another workflow: this one has no run before it"
    others = f"; what it does not report, with {', '.join(night.others)}" if night.others else ""
    which = f"{base.name} ({day_of(base.created)}, {base.commit[:_SHORT]})"
    return one_line(f"Compared with {which}{renamed}{skipped}{others}.")


def sections(night: Night) -> list[Section]:
    """The page, without what has nothing to say."""
    found = (
        Section("died", "Jobs without a whole report", tuple(_jobs(night))),
        Section("new", "New failures", tuple(_groups(night, Kind.NEW))),
        Section("changed", "Other cause than before", tuple(_groups(night, Kind.CHANGED))),
        Section("missing", "Missing from the report of their job", tuple(_groups(night, Kind.MISSING))),
        Section("machine", "Machines that fail alone", tuple(_machines(night))),
        Section("fixed", "Fixed", tuple(_groups(night, Kind.FIXED))),
        Section("repeated", "Passed only when repeated", tuple(_retried(night))),
        Section("speed", "Performance", tuple(_speeds(night))),
        Section("pcc", "PCC fell, without a new failure", tuple(_drops(night))),
        Section("moved", "What changed", tuple(_versions(night))),
        Section("still", "Persisting", tuple(_groups(night, Kind.PERSISTING)), folded=True),
        Section("red", "Other jobs that failed", tuple(_red_jobs(night)), folded=True),
        Section("unread", "Could not be read", tuple(_unread(night)), folded=True),
    )
    return [one for one in found if one.lines]


def other_jobs(night: Night) -> Section:
    """The jobs that ended well, which the page leaves out."""
    told = {one.state.job.id for one in night.lost}
    green = (state for state in night.jobs if not state.job.failed and state.job.id not in told)
    lines = (_plain_job(state, state.job.conclusion) for state in green)
    return Section("green", "Jobs that ended well", tuple(lines), folded=True)


def _jobs(night: Night) -> Iterator[Line]:
    for one in night.lost:
        yield _job(one, night)
    for name in night.absent:
        words = "a group of the run before is in no preset any more:" if name in night.removed else ""
        yield Line(text=words or "a group of the run before is not in this one:", said=name)
    if night.absent_cells:
        yield Line(text=f"{counted(len(night.absent_cells), 'cell')} of groups that are not in this run")


def _job(one: LostJob, night: Night) -> Line:
    state = one.state
    job, death = state.job, state.death
    how = death.how if death else _how(one)
    step = f" in {death.step!r}" if death and death.step else ""
    read = f", {state.report.tests} of its tests are read" if state.report and state.report.cut else ""
    notes = [f"last test: {death.test}"] if death and death.test else []
    notes += [f"the device hung in {death.op}"] if death and death.op else []
    notes += [death.log] if death and death.log else []
    notes += [f"{counted(len(one.cells), 'cell')} without a result"] if one.cells else []
    notes += [NO_ROW] if night.has_no_row(job) else []
    return Line(
        one.area,
        f"{how}{step}{read}",
        death.error if death else "",
        (Link(job.short, job.url),),
        "; ".join(notes),
        state,
    )


def _how(one: LostJob) -> str:
    """How a job ended that did not die."""
    report = one.state.report
    if one.skipped:
        return "was skipped, because something before it failed"
    return "its report has no tests" if report and report.is_empty else "its report was not read"


def _red_jobs(night: Night) -> Iterator[Line]:
    """The jobs that failed and left whole reports, with what failed in them."""
    told = {one.state.job.id for one in night.lost}
    found = Counter[tuple[int, Kind]]()
    for group in night.groups:
        if group.kind in _RED:
            found.update((cell.job, group.kind) for cell in group.cells)
    for state in night.jobs:
        job = state.job
        if job.failed and job.id not in told:
            kinds = [f"{found[job.id, kind]:,} {kind}" for kind in _RED if found[job.id, kind]]
            step = f"failed in {job.failed_step.name!r}" if job.failed_step else job.conclusion
            expected = "" if job.parts.benchmark else ", no test against what is expected"
            yield _plain_job(state, ", ".join(kinds) or f"{step}{expected}")


def _plain_job(state: JobState, words: str) -> Line:
    tests = state.report.tests if state.report and state.report.reports else None
    text = words if tests is None else f"{words}; {counted(tests, 'test')}"
    return Line(area_of_job(state.job.parts), text, links=(Link(state.job.short, state.job.url),), about=state)


def _groups(night: Night, kind: Kind) -> Iterator[Line]:
    for group in night.of_kind(kind):
        found = [night.known[cell.id, cell.arch] for cell in group.cells if (cell.id, cell.arch) in night.known]
        yield _group(group, [*_known(group, found), *_hung(group, night)])


def _hung(group: Group, night: Night) -> list[str]:
    """The ops in which the device hung, where that is the cause: by the logs of the jobs of its tests."""
    mine = {cell.job for cell in group.cells} if hangs(group.cause) else set()
    ops = sorted({op for one in night.jobs if one.job.id in mine for op in one.job.hung_in or ()})
    return [f"the device hung in {', '.join(ops[:3])}{' and others' if len(ops) > 3 else ''}"] if ops else []


def _known(group: Group, found: Sequence[Known]) -> list[str]:
    """Since when, whether it comes and goes, and the issues that are cited."""
    since = {one.since for one in found if one.since} if group.kind is not Kind.NEW else set()
    flaky = sum(one.flaky for one in found)
    issues = sorted({one.issue for one in found if one.issue})
    words = [f"since {next(iter(since))}"] if len(since) == 1 else [f"since {len(since)} runs"] if since else []
    words += [f"{flaky} of {len(found)} flaky"] if flaky else []
    first = sum(cell.before is None for cell in group.cells) if group.kind is Kind.NEW else 0
    words += [f"{first} of {counted(len(group.cells), 'cell')} without a result before"] if first else []
    return words + [f"cited: {', '.join(issues[:3])}"] * bool(issues)


def _group(group: Group, known: Sequence[str]) -> Line:
    links = [
        Link(f"{id} ({', '.join(sorted({cell.arch for cell in cells}))})", cells[0].url)
        for id, cells in group.tests.items()
    ]
    archs = ", ".join(sorted({cell.arch for cell in group.cells if cell.arch}))
    text = f"{counted(len(group.tests), 'test')} on {archs}" if archs else counted(len(group.tests), "test")
    attempts = max(cell.row.attempts for cell in group.cells)
    machines = {cell.machine for cell in group.cells if cell.machine}
    note = [f"was: {group.was}"] if group.was else []
    note += known
    note += [f"in {attempts} attempts"] if attempts > 1 and group.kind is not Kind.FIXED else []
    note += [f"all on {next(iter(machines))}"] if len(machines) == 1 and len(group.cells) > 1 else []
    verb = "failed with" if group.kind is Kind.FIXED else ""
    cause = group.cells[0].before.reason if group.kind is Kind.FIXED and group.cells[0].before else group.cause
    said = "" if group.kind is Kind.MISSING else cause
    head = f"{text} {verb if said else ''}".strip()
    return Line(group.area, head, said, tuple(links), "; ".join(note), group)


def _machines(night: Night) -> Iterator[Line]:
    for one in night.machines:
        yield Line(text=f"{one.name}: {one.failed} of {one.ran} fail; elsewhere {one.elsewhere:.0%}", about=one)


def _retried(night: Night) -> Iterator[Line]:
    for cell in night.retried:
        yield Line(text=f"attempt {cell.row.attempts}", links=(_link(cell),), about=cell)


def _link(cell: NightCell) -> Link:
    return Link(f"{cell.id} ({cell.arch})", cell.url)


def _speeds(night: Night) -> Iterator[Line]:
    shown = (SpeedTrend.REGRESSED, SpeedTrend.IMPROVED, SpeedTrend.OTHER_UNIT, SpeedTrend.UNPROVEN)
    for one in night.speeds:
        if one.trend in shown:
            yield Line("", _speed(one), links=(Link(f"{one.model} ({one.arch})", one.url),), about=one)
    without = [one for one in night.speeds if one.trend is SpeedTrend.WITHOUT_BASE]
    if without:
        names = sorted({f"{one.model} ({one.arch})" for one in without})
        yield Line(text=f"no baseline: {', '.join(names[:5])}{' and others' if len(names) > 5 else ''}")
    for job in night.jobs:
        step = job.job.failed_step
        if job.job.parts.benchmark and step and job.report and job.report.performance:
            yield Line(text=f"failed in {step.name!r}", links=(Link(job.job.short, job.job.url),), about=job)
    if night.silent:
        yield Line(text="no number any more:", said=", ".join(night.silent))
    benchmarks = [one.job for one in night.jobs if one.job.parts.benchmark and one.job.conclusion != "skipped"]
    if benchmarks:
        passed = sum(not one.failed for one in benchmarks)
        steady = sum(one.trend is SpeedTrend.STEADY for one in night.speeds)
        text = f"{passed} of {counted(len(benchmarks), 'benchmark job')} passed; {counted(steady, 'number')} steady"
        yield Line(text=text)


def _speed(one: Speed) -> str:
    change = f"{one.change:+.1%}" if one.change is not None else ""
    before = significant(one.before, 4) if one.before is not None else "nothing"
    noise = f", noise of {one.nights} nights {one.noise:.1%}" if one.noise is not None else ""
    kind = f"{'gradually ' * (one.gradual)}since {one.since}"
    since = f", {kind}" if one.since not in ("", one.runs[-1]) else ""
    return f"{one.trend}{since}: {one.metric} {before} -> {significant(one.after, 4)} ({change}{noise})"


def _drops(night: Night) -> Iterator[Line]:
    for cell, _ in sorted(night.drops, key=lambda one: -one[1]):
        was = cell.before.pcc if cell.before else None
        now = "no number" if cell.row.pcc is None else cell.row.pcc
        yield Line(text=f"pcc {was} -> {now}{_below(cell.row)}", links=(_link(cell),), about=cell)


def _below(row: Observation) -> str:
    """Why a PCC below its threshold is no new failure; empty: it is above."""
    if row.ending is Ending.PASSED:
        return ""
    if not row.as_expected:
        return ", fails as before"
    return ", not checked" if row.pcc_checked is False else ", expected to fail"


def _versions(night: Night) -> Iterator[Line]:
    found = night.versions
    if found is None:
        return
    if found.chain:
        yield Line(text=f"built of {', '.join(f'{name} {commit[:_SHORT]}' for name, commit in found.chain)}")
    if found.older:
        yield Line(text="The head is older than that of the run before.")
    if found.own.before and found.own.before == found.own.after:
        yield Line(text="Both runs tested one head: what differs is noise, machines, or what nothing pins.")
        return
    if found.asked:
        yield Line(text=f"Some of it is what GitHub said on {found.asked}.")
    yield from _commits(_OWN, found.own, found.url)
    yield from _commits("tt_forge_models", found.models, found.models_url)
    for name, commits, url in found.others:
        yield from _commits(name, commits, url)
    if found.touched:
        names = ", ".join(found.touched[:12])
        yield Line(text=f"models touched: {names}{f' and {len(found.touched) - 12} more' * (len(found.touched) > 12)}")
    for pin in found.pins:
        versions = f"{pin.before or 'none'} -> {pin.after or 'none'}"
        yield Line(text=f"{pin.name}: {versions}", links=(Link("compare", pin.url),) if pin.url else ())


def _commits(name: str, one: Between, url: str) -> Iterator[Line]:
    if one.unknown:
        yield Line(text=f"{name}: {one.unknown}")
    elif one.commits:
        count = len(one.commits) + one.more
        span = Span(name != _OWN, one.before, one.after)
        page = url.partition("/compare/")[0]
        links = [Link("compare", url)] if url else []
        links += [
            Link(
                f"{commit.id[:8]} {commit.subject}{f' ({commit.author})' if commit.author else ''}",
                f"{page}/commit/{commit.id}" if page else "",
            )
            for commit in one.commits
        ]
        text = f"{name}: {counted(count, 'commit')}, {one.before[:_SHORT]}..{one.after[:_SHORT]}"
        more = f"; {one.more} more are not listed" if one.more else ""
        yield Line(text=f"{text}{more}", links=tuple(links), about=span)


def _unread(night: Night) -> Iterator[Line]:
    gone = [one for one in night.jobs if night.has_no_row(one.job)]
    if gone:
        links = tuple(Link(one.job.short, one.job.url) for one in gone)
        yield Line(text=f"{counted(len(gone), 'job')}: {NO_ROW}", links=links)
    for one in night.run.unread:
        yield Line(text=one.why, said=one.name)
    if night.unheard:
        text = f"{counted(night.unheard, 'result')} of nothing: signal 0 of pytest-forked is no crash"
        yield Line(text=text)
