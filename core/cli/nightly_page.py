# SPDX-License-Identifier: Apache-2.0
"""The page of a nightly as sections of lines, in the order in which a morning asks; and the same as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line, significant
from core.cli import records
from core.cli.commits_report import commits_document
from core.evidence import JobState
from core.evidence.analysis import Between
from core.evidence.nightly import Group, Kind, Known, LostJob, Night, NightCell, Speed, SpeedTrend

_SHORT = 10
_UNKNOWN = Known("", "", False, "")
_KINDS: dict[Kind, Literal["new", "persisting", "fixed", "missing"]] = {
    Kind.NEW: "new",
    Kind.CHANGED: "persisting",
    Kind.PERSISTING: "persisting",
    Kind.FIXED: "fixed",
    Kind.MISSING: "missing",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A text with the page that it leads to; without one, only the text."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: where it belongs, what happened, in words of others, and what it is about."""

    area: str = ""
    text: str = ""
    said: str = ""
    """Verbatim: a cause, an error."""
    links: tuple[Link, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    title: str
    lines: tuple[Line, ...]
    folded: bool = False


def headline(night: Night) -> str:
    """Everything in one line."""
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
    return " · ".join(one_line(part) for part in parts if part)


def against(night: Night) -> str:
    """What it is compared with."""
    if night.base is None:
        return "No run of this workflow before it has results: every failure is new."
    base = night.base
    skipped = f"; {', '.join(night.skipped)} left no results" if night.skipped else ""
    others = f"; what it does not report, with {', '.join(night.others)}" if night.others else ""
    return one_line(f"Compared with {base.name} ({day_of(base.created)}, {base.commit[:_SHORT]}){skipped}{others}.")


def sections(night: Night) -> list[Section]:
    """The page, without what has nothing to say."""
    found = (
        Section("Jobs without a whole report", tuple(_jobs(night))),
        Section("New failures", tuple(_groups(night, Kind.NEW))),
        Section("Other cause than before", tuple(_groups(night, Kind.CHANGED))),
        Section("Missing from the report of their job", tuple(_groups(night, Kind.MISSING))),
        Section("Machines that fail alone", tuple(_machines(night))),
        Section("Fixed", tuple(_groups(night, Kind.FIXED))),
        Section("Passed only when repeated", tuple(_retried(night))),
        Section("Performance", tuple(_speeds(night))),
        Section("PCC fell, though passing", tuple(_drops(night))),
        Section("What changed", tuple(_versions(night))),
        Section("Persisting", tuple(_groups(night, Kind.PERSISTING)), folded=True),
        Section("Could not be read", tuple(_unread(night)), folded=True),
    )
    return [one for one in found if one.lines]


def _jobs(night: Night) -> Iterator[Line]:
    for one in night.lost:
        yield _job(one)
    for name in night.absent:
        yield Line(text="a group of the run before is not in this one:", said=name)
    if night.absent_cells:
        yield Line(text=f"{counted(len(night.absent_cells), 'cell')} of groups that are not in this run")


def _job(one: LostJob) -> Line:
    state = one.state
    job, death = state.job, state.death
    how = death.how if death else "its report was not read"
    step = f" in {death.step!r}" if death and death.step else ""
    read = f", {state.report.tests} of its tests are read" if state.report and state.report.cut else ""
    notes = [f"last test: {death.test}"] if death and death.test else []
    notes += [death.log] if death and death.log else []
    notes += [f"{counted(len(one.cells), 'cell')} without a result"] if one.cells else []
    return Line(
        one.area,
        f"{how}{step}{read}",
        death.error if death else "",
        (Link(_job_name(state), job.url),),
        "; ".join(notes),
    )


def _job_name(state: JobState) -> str:
    parts = state.job.parts
    if not parts.has_tests:
        return state.job.name
    place = "" if parts.position is None else f" {parts.position}"
    return f"{parts.row or parts.caller}{place} on {parts.runner}"


def _groups(night: Night, kind: Kind) -> Iterator[Line]:
    for group in night.of_kind(kind):
        found = [night.known[cell.id, cell.arch] for cell in group.cells if (cell.id, cell.arch) in night.known]
        yield _group(group, _known(group, found))


def _known(group: Group, found: Sequence[Known]) -> list[str]:
    """Since when, whether it comes and goes, and the issues that are cited."""
    since = {one.since for one in found if one.since} if group.kind is not Kind.NEW else set()
    flaky = sum(one.flaky for one in found)
    issues = sorted({one.issue for one in found if one.issue})
    words = [f"since {next(iter(since))}"] if len(since) == 1 else [f"since {len(since)} runs"] if since else []
    words += [f"{flaky} of {len(found)} flaky"] if flaky else []
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
    return Line(group.area, f"{text} {verb if said else ''}".strip(), said, tuple(links), "; ".join(note))


def _machines(night: Night) -> Iterator[Line]:
    for one in night.machines:
        yield Line(text=f"{one.name}: {one.failed} of {one.ran} fail; elsewhere {one.elsewhere:.0%}")


def _retried(night: Night) -> Iterator[Line]:
    for cell in night.retried:
        yield Line(text=f"attempt {cell.row.attempts}", links=(_link(cell),))


def _link(cell: NightCell) -> Link:
    return Link(f"{cell.id} ({cell.arch})", cell.url)


def _speeds(night: Night) -> Iterator[Line]:
    shown = (SpeedTrend.REGRESSED, SpeedTrend.IMPROVED, SpeedTrend.UNPROVEN)
    for one in night.speeds:
        if one.trend in shown:
            yield Line("", _speed(one), links=(Link(f"{one.model} ({one.arch})", one.url),))
    without = [one for one in night.speeds if one.trend is SpeedTrend.WITHOUT_BASE]
    if without:
        names = sorted({f"{one.model} ({one.arch})" for one in without})
        yield Line(text=f"no baseline: {', '.join(names[:5])}{' and others' if len(names) > 5 else ''}")
    for job in night.jobs:
        step = job.job.failed_step
        if job.job.parts.benchmark and step and job.report and job.report.performance:
            yield Line(text=f"failed in {step.name!r}", links=(Link(_job_name(job), job.job.url),))


def _speed(one: Speed) -> str:
    change = f"{one.change:+.1%}" if one.change is not None else ""
    before = significant(one.before, 4) if one.before is not None else "nothing"
    noise = f", noise of {len(one.values) - 1} nights {one.noise:.1%}" if one.noise is not None else ""
    return f"{one.trend}: {one.metric} {before} -> {significant(one.after, 4)} ({change}{noise})"


def _drops(night: Night) -> Iterator[Line]:
    for cell, _ in sorted(night.drops, key=lambda one: -one[1]):
        was = cell.before.pcc if cell.before else None
        yield Line(text=f"pcc {was} -> {cell.row.pcc}", links=(_link(cell),))


def _versions(night: Night) -> Iterator[Line]:
    found = night.versions
    if found is None:
        return
    if found.older:
        yield Line(text="The head is older than that of the run before.")
    if found.own.before and found.own.before == found.own.after:
        yield Line(text="Both runs tested one head: what differs is noise, machines, or what nothing pins.")
        return
    yield from _commits("tt-xla", found.own, found.url)
    yield from _commits("tt_forge_models", found.models, found.models_url)
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
        subjects = "; ".join(commit.subject for commit in one.commits[:3])
        more = f"; and {len(one.commits) - 3} more" if len(one.commits) > 3 else ""
        text = f"{name}: {counted(len(one.commits), 'commit')}, {one.before[:_SHORT]}..{one.after[:_SHORT]}:"
        yield Line(text=text, said=f"{subjects}{more}", links=(Link("compare", url),) if url else ())


def _unread(night: Night) -> Iterator[Line]:
    for one in night.run.unread:
        yield Line(text=one.why, said=one.name)
    if night.unheard:
        text = f"{counted(night.unheard, 'result')} of nothing: signal 0 of pytest-forked is no crash"
        yield Line(text=text)


def document(night: Night) -> records.Nightly:
    """The same as JSON."""
    run, found = night.run, night.versions
    return records.Nightly(
        run=run.name,
        against=night.base.name if night.base else None,
        commit=run.commit,
        url=run.url,
        attempt=run.attempt,
        conclusion=run.conclusion,
        groups=len(night.test_jobs),
        reported=night.reported,
        not_run=night.not_run,
        jobs=[_job_record(one, night) for one in _red_first(night.jobs)],
        failures=[
            records.NightFailures(
                kind=_KINDS[group.kind],
                area=group.area,
                cause=group.cause,
                tests=[_test_record(cell, night) for cell in group.cells],
                was=group.was or None,
            )
            for group in night.groups
        ],
        retried=[_test_record(cell, night) for cell in night.retried],
        performance=[_number_record(one) for one in night.speeds],
        machines=[records.NightMachine(name=one.name, failed=one.failed, ran=one.ran) for one in night.machines],
        commits=[commits_document(one) for one in (found.own, found.models)] if found else [],
        pins=[
            records.NightPin(name=pin.name, before=pin.before or None, after=pin.after or None, url=pin.url or None)
            for pin in (found.pins if found else ())
        ],
        older=bool(found and found.older),
        unread=[records.NightUnread(name=one.name, why=one.why) for one in run.unread],
    )


def _red_first(jobs: Sequence[JobState]) -> list[JobState]:
    return sorted(jobs, key=lambda one: (not one.job.failed, one.job.name))


def _job_record(one: JobState, night: Night) -> records.NightJob:
    job, death = one.job, one.death
    cells = next((lost.cells for lost in night.lost if lost.state.job.id == job.id), ())
    step = job.failed_step
    return records.NightJob(
        name=job.name,
        status=job.status,
        conclusion=job.conclusion,
        arch=night.archs.get(job.id, ""),
        url=job.url,
        tests=one.report.tests if one.report and one.report.reports else None,
        died=str(death.how) if death else None,
        id=job.id,
        attempt=job.attempt,
        machine=job.machine or None,
        step=step.name if step else None,
        error=death.error or None if death else None,
        last_test=death.test or None if death else None,
        not_run=len(cells),
    )


def _test_record(cell: NightCell, night: Night) -> records.NightTest:
    known = night.known.get((cell.id, cell.arch), _UNKNOWN)
    return records.NightTest(
        id=cell.id,
        arch=cell.arch,
        url=cell.url or None,
        machine=cell.machine or None,
        attempts=cell.row.attempts,
        since=known.since or None,
        last_good=known.good or None,
        flaky=known.flaky,
        issue=known.issue or None,
    )


def _number_record(one: Speed) -> records.NightNumber:
    return records.NightNumber(
        model=one.model,
        arch=one.arch,
        metric=one.metric,
        before=one.before,
        after=one.after,
        change=one.change,
        trend=str(one.trend),
        noise=one.noise,
        nights=len(one.values) - 1,
        url=one.url or None,
    )
