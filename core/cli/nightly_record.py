# SPDX-License-Identifier: Apache-2.0
"""A nightly as JSON."""

from collections.abc import Sequence
from typing import Literal

from core.cli import records
from core.cli.commits_report import all_commits, pin_record
from core.evidence import JobState
from core.evidence.nightly import Kind, Known, Night, NightCell, PresetRow, Speed

_UNKNOWN = Known("", "", False, "")
_KINDS: dict[Kind, Literal["new", "persisting", "fixed", "missing"]] = {
    Kind.NEW: "new",
    Kind.CHANGED: "persisting",
    Kind.PERSISTING: "persisting",
    Kind.FIXED: "fixed",
    Kind.MISSING: "missing",
}


def night_record(night: Night) -> records.Nightly:
    """What `nightly --json` prints."""
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
        pcc=[_pcc_record(cell) for cell, _ in sorted(night.drops, key=lambda one: -one[1])],
        performance=[_number_record(one) for one in night.speeds],
        machines=[records.NightMachine(name=one.name, failed=one.failed, ran=one.ran) for one in night.machines],
        commits=all_commits(found) if found else [],
        asked=(found.asked or None) if found else None,
        pins=[pin_record(pin) for pin in (found.pins if found else ())],
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
        hung_in=[death.op] if death and death.op else list(job.hung_in or ()),
        not_run=len(cells),
        preset=preset_record((night.preset_rows or {}).get(job.id)),
        row_gone=night.has_no_row(job),
    )


def preset_record(one: PresetRow | None) -> records.NightPreset | None:
    """The row of a job as JSON."""
    if one is None:
        return None
    row = one.row
    return records.NightPreset(
        file=row.file, index=row.index, name=row.name, group=one.group, groups=row.parallel_groups
    )


def _pcc_record(cell: NightCell) -> records.NightPcc:
    now, was = cell.row.pcc, cell.before.pcc if cell.before else None
    assert was is not None
    return records.NightPcc(
        id=cell.id,
        arch=cell.arch,
        before=was,
        after=now,
        ending=str(cell.row.ending),
        as_expected=cell.row.as_expected,
        url=cell.url or None,
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
        first=cell.before is None,
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
        nights=one.nights,
        url=one.url or None,
        since=one.since or None,
        last=one.last or None,
    )
