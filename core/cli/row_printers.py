# SPDX-License-Identifier: Apache-2.0
"""Rows of one kind as `list`, `show` and `jobs` print them: what the kind says of them, as text, CSV or JSON."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import core.evidence.analysis as analysis
from core import kinds
from core.base.text import one_line, printable

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import records
from core.cli.context import Context
from core.kinds import Kind, Page, Table
from core.matrix import Matrix


def print_rows(kind: Kind, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
    """Print rows as `table`, `csv` or `json`; `all`: the query is empty."""
    if style == "json":
        context.console.document(kind.records(matrix, ids, context.workspace, broken=all))
    else:
        print_table(kind.table(matrix, ids, context.workspace, broken=all), style, context)
    for line in kind.problems(context.workspace):
        context.console.note(line)


def print_table(made: Table, style: str, context: Context) -> None:
    """Print a table as `table` or `csv`."""
    if style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(made.head)
        writer.writerows(made.lines)
    elif made.lines or not made.empty:
        context.console.table(made.head, made.lines)
        context.console.note(made.note)
    else:
        context.console.note(made.empty)


def show(kind: Kind, id: str, matrix: Matrix, context: Context) -> None:
    """Print everything about one row."""
    if context.console.json:
        context.console.document(kind.shown(matrix, id, context.workspace))
        return
    context.console.line(one_line(id))
    page = kind.page(matrix, id, context.workspace)
    if page is None:
        _print_sections(kind, id, matrix, context)
    else:
        _print_page(page, context)


def _print_page(page: Page, context: Context) -> None:
    context.console.table(("field", "value"), page.facts)
    for line in page.more:
        context.console.line(printable(line))
    if page.note:
        context.console.note(page.note)


def _print_sections(kind: Kind, id: str, matrix: Matrix, context: Context) -> None:
    for needed in kind.details():
        context.workspace.read(needed)
    jobs = tuple(("job", job.text) for job in kind.jobs(matrix, id, context.workspace))
    sections = kind.sections(matrix, id, context.workspace)
    for section in (*sections, kinds.Section("", jobs), _results(kind, id, matrix, context)):
        if section.title:
            context.console.line(f"\n{section.title}")
        for name, value in section.lines:
            context.console.line(f"  {name:12} {one_line(value)}")
    if not jobs and "job" in kind.fields:
        context.console.note("No job of CI selects it.")


def _results(kind: Kind, id: str, matrix: Matrix, context: Context) -> kinds.Section:
    """The newest results, what they mean, and the newest numbers."""
    found = kind.results(id, context.workspace)
    judged = kind.judged(matrix, id, found, context.evidence.policy) if found else ()
    lines = [
        *(("verdict", f"{one.arch}: {one.verdict}, {one.why}".removeprefix(": ")) for one in judged),
        *(("result", kinds.result_text(one)) for one in found[: kinds.SHOWN_RESULTS]),
    ]
    for series in context.workspace.performance_of(id, context.evidence.ended_runs):
        lines += [(analysis.series_name(series), words) for words, _ in analysis.perf_lines(series)]
    return kinds.Section("results", tuple(lines)) if lines else kinds.Section("", ())


def print_jobs(kind: Kind, id: str, matrix: Matrix, context: Context) -> None:
    """Print the jobs that run one row. Raises UsageError if its kind has commands of its own for that."""
    context.refuse(kind, id)
    found = [job for job in kind.jobs(matrix, id, context.workspace) if job.is_on(context.arch)]
    if context.console.json:
        context.console.document(records.JobsOfHandwritten(id=id, archs=kinds.jobs_by_machine(found)))
        return
    context.console.line(one_line(id))
    if not found:
        context.console.line("  No job selects it.")
        return
    marked = any(job.mark is not None for job in found)
    head = ("runs-on", "cadence", "file", "name", *(["mark"] if marked else []))
    cells = ((job.runs_on, job.when, job.file, job.name, *([job.mark or ""] if marked else [])) for job in found)
    context.console.table(head, cells)
