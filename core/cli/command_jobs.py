# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix jobs`: every CI job with the number of tests it selects, or the jobs that select one test."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from core import kinds, providers
from core.base.errors import EXIT_OK
from core.base.text import one_line
from core.ci import Selection, Selector, covers_models, groups, job_problem, read_selector
from core.cli import absent_report, records
from core.cli.context import Context
from core.cli.row_printers import print_jobs
from core.domain.model import Finding
from core.matrix import Universe, resolve_id
from core.providers import Selections
from core.sources import absent_configuration
from core.sources.ci import Job, Jobs, Trigger, cadence_text, read_jobs

_ON_REQUEST = "on request"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="a test id, a node id, or a part that matches only one id")


def execute(args: argparse.Namespace, context: Context) -> int:
    found = kinds.find(args.id, context.workspace) if args.id is not None else None
    if found and not found.kind.collected:
        matrix = found.kind.add(context.matrix, context.workspace)
        print_jobs(found.kind, found.id, matrix, context)
        return EXIT_OK
    # Selection and splitting in CI apply to everything that pytest collects.
    matrix = context.workspace.index(Universe.COLLECTED)
    id = resolve_id(matrix, args.id) if args.id is not None else None
    if id is None:
        jobs, findings = read_jobs(context.checkout)
        jobs = {job: triggers for job, triggers in jobs.items() if context.arch in ("", job.runs_on)}
        selector, more = read_selector(matrix, groups(context.workspace.model_infos.known))
        _every_job(context, jobs, selector)
        _note((*findings, *more), context)
    else:
        selections = providers.selections(context.workspace.cache, matrix, context.workspace.model_infos)
        _one_test(context, selections, id)
        _note(selections.findings, context)
    absent_report.note_absent(context)
    absent_report.note_other_models(context)
    return EXIT_OK


def _every_job(context: Context, jobs: Jobs, selector: Selector) -> None:
    selected = {job: len(selector.items(job)) if covers_models(job.dir) else None for job in jobs}
    if context.console.json:
        context.console.document(
            [_job(job, triggers).extended(records.CiJob, selected=selected[job]) for job, triggers in jobs.items()]
        )
        return
    context.console.table(
        ("file", "name", "runs-on", "cadence", "tests", "mark"),
        (
            (job.file, job.name, job.runs_on, _cadence(triggers), _count(selected[job]), job.test_mark)
            for job, triggers in jobs.items()
        ),
    )
    for job in jobs:
        if problem := job_problem(job):
            context.console.note(f"{job.file}, object {job.index}: pytest would reject its expressions: {problem}")


def _one_test(context: Context, found: Selections, id: str) -> None:
    ours = (one for one in found.by_id.get(id, ()) if context.arch in ("", one.job.runs_on))
    jobs, selections = found.jobs, sorted(ours, key=lambda one: one.job.runs_on)
    if context.console.json:
        archs: dict[str, list[records.JobOfTest]] = {}
        for one in selections:
            archs.setdefault(one.job.runs_on, []).append(_selection_document(one, jobs[one.job]))
        context.console.document(records.JobsOfTest(id=id, archs=archs))
        return
    context.console.line(one_line(id))
    if not selections:
        known = not absent_configuration(context.checkout)
        context.console.line("  No job selects it." if known else "  No job selects it, by the files that are here.")
        return
    context.console.table(
        ("runs-on", "cadence", "file", "name", "function", "group", "body", "mark"),
        (_selection_cells(one, jobs[one.job]) for one in selections),
    )


def _selection_cells(one: Selection, triggers: tuple[Trigger, ...]) -> tuple[str, ...]:
    return (
        one.job.runs_on,
        _cadence(triggers),
        one.job.file,
        one.job.name,
        one.function,
        f"{one.group}/{one.job.parallel_groups}",
        one.skipped or "runs",
        one.job.test_mark,
    )


def _selection_document(one: Selection, triggers: tuple[Trigger, ...]) -> records.JobOfTest:
    return _job(one.job, triggers).extended(
        records.JobOfTest,
        function=one.function,
        group=one.group,
        runs=not one.skipped,
        skipped=one.skipped or None,
    )


def _job(job: Job, triggers: tuple[Trigger, ...]) -> records.Job:
    return records.Job(
        file=job.file,
        index=job.index,
        name=job.name,
        runs_on=job.runs_on,
        arch=job.arch,
        dir=job.dir,
        mark=job.test_mark,
        contains=job.contains or None,
        args=job.args or None,
        parallel_groups=job.parallel_groups,
        triggers=[
            records.JobTrigger(workflow=one.workflow, cadence=one.cadence, crons=list(one.crons)) for one in triggers
        ],
        problem=job_problem(job) or None,
    )


def _cadence(triggers: tuple[Trigger, ...]) -> str:
    return cadence_text(triggers) or _ON_REQUEST


def _count(selected: int | None) -> str:
    """The count; `-` for a job that runs tests outside the matrix."""
    return "-" if selected is None else f"{selected:,}"


def _note(findings: Iterable[Finding], context: Context) -> None:
    for one in findings:
        context.console.note(f"{one.kind}: {one.message} ({one.file}:{one.line})")
