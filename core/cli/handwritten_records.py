# SPDX-License-Identifier: Apache-2.0
"""Hand-written tests as `list --kind handwritten`, `show` and `jobs` print them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import UTC, datetime

from core import evidence, handwritten
from core.base.errors import UsageError
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import records
from core.cli.context import Context
from core.runs import store
from core.sources import ci, handwritten as collected

_HEADER = ("id", "level", "markers", "file:line", "note")
_SHOWN_RESULTS = 10


def print_tests(ids: Sequence[str], style: str, context: Context) -> None:
    """Print the tests with these node ids, in their order, as `table`, `csv` or `json`."""
    suite = handwritten.read_tests(context.workspace.cache)
    _print(_by_id(suite, ids), suite, style, context)


def records_of(ids: Sequence[str], context: Context) -> list[records.HandwrittenTest]:
    """The tests with these node ids in their JSON form."""
    return [record(test) for test in _by_id(handwritten.read_tests(context.workspace.cache), ids)] if ids else []


def _by_id(suite: collected.Suite, ids: Sequence[str]) -> list[collected.HandwrittenTest]:
    tests = {test.node_id: test for test in suite.tests}
    return [tests[id] for id in ids]


def _print(
    found: Sequence[collected.HandwrittenTest], suite: collected.Suite, style: str | None, context: Context
) -> None:
    style = style or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document([record(test) for test in found])
    elif style == "ids":
        context.console.out.writelines(f"{one_line(test.node_id)}\n" for test in found)
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(map(_cells, found))
    else:
        context.console.table(_HEADER, map(_cells, found))
        doubtful = sum(1 for test in found if test.unknown)
        unknown = f"; parameters of {counted(doubtful, 'function')} are not known" if doubtful else ""
        context.console.note(f"{len(found):,} of {counted(len(suite.tests), 'hand-written test')}{unknown}")
    for finding in suite.findings:
        context.console.note(f"{finding.kind}: {finding.message} ({finding.file})")


def record(test: collected.HandwrittenTest) -> records.HandwrittenTest:
    """One test in its JSON form."""
    return records.HandwrittenTest(
        id=test.node_id,
        function=test.name,
        classes=list(test.classes),
        file=test.path,
        line=test.line,
        level=test.level or None,
        markers=sorted(test.markers),
        marks=[records.HandwrittenMark(name=mark.name, given=dict(mark.given)) for mark in test.marks],
        parameters=dict(test.parameters),
        known=not test.unknown,
        why=test.unknown or None,
    )


def find_test(text: str, context: Context) -> collected.HandwrittenTest:
    """The test that an argument names. Raises UsageError if it names none or several."""
    return handwritten.named(handwritten.read_tests(context.workspace.cache), text)


def show_test(text: str, context: Context) -> None:
    """Print everything about one test."""
    test = find_test(text, context)
    jobs, _ = ci.read_jobs(context.checkout)
    selecting, results = handwritten.jobs_of(jobs, test), _results(test, context)
    if context.console.json:
        shown = record(test).extended(records.ShownHandwritten, jobs=_by_machine(selecting), evidence=results)
        context.console.document(shown)
        return
    lines = handwritten.test_lines(test)
    lines += [("job", f"{_job_text(job)} ({_cadence(jobs, job)})") for job in selecting]
    lines += [
        ("result", " ".join(filter(None, (one.when, one.from_, one.run, one.arch, one.ending, one.why))))
        for one in results
    ]
    context.console.line(one_line(test.node_id))
    context.console.table(("field", "value"), lines)
    if not selecting:
        context.console.note("No job of CI selects it.")


def jobs_of_test(text: str, context: Context) -> None:
    """Print the jobs that select one test."""
    test = find_test(text, context)
    jobs, _ = ci.read_jobs(context.checkout)
    found = [job for job in handwritten.jobs_of(jobs, test) if context.arch in ("", job.runs_on)]
    if context.console.json:
        context.console.document(records.JobsOfHandwritten(id=test.node_id, archs=_by_machine(found)))
        return
    context.console.line(one_line(test.node_id))
    if not found:
        context.console.line("  No job selects it.")
        return
    context.console.table(
        ("runs-on", "cadence", "file", "name", "mark"),
        ((job.runs_on, _cadence(jobs, job), job.file, job.name, job.test_mark) for job in found),
    )


def refuse_options(view: str | None, universe: str | None) -> None:
    """Raise UsageError for options of `list` that are about tests of models."""
    if view or universe:
        raise UsageError("--view and --universe are for tests of models", hint="Leave out --view and --universe.")


def _results(test: collected.HandwrittenTest, context: Context) -> list[records.HandwrittenResult]:
    """The newest results of runs here, and of reports that were ingested."""
    ended = store.RunStore(context.paths.runs).ended()
    found = evidence.handwritten_observations(context.checkout, context.paths, ended, test.node_id)
    return [
        records.HandwrittenResult(
            when=datetime.fromtimestamp(one.when, UTC).isoformat(timespec="seconds") if one.when else None,
            from_=one.origin,
            run=one.job or one.run,
            arch=one.arch or None,
            ending=str(one.ending),
            why=one.reason or None,
        )
        for one in found[:_SHOWN_RESULTS]
    ]


def _by_machine(jobs: Sequence[ci.Job]) -> dict[str, list[records.JobName]]:
    return {
        machine: [
            records.JobName(file=job.file, name=job.name, mark=job.test_mark) for job in jobs if job.runs_on == machine
        ]
        for machine in dict.fromkeys(job.runs_on for job in jobs)
    }


def _job_text(job: ci.Job) -> str:
    return f"{job.file}: {job.name} on {job.runs_on}"


def _cadence(jobs: ci.Jobs, job: ci.Job) -> str:
    return " ".join(dict.fromkeys(trigger.cadence for trigger in jobs[job])) or "on request"


def _cells(test: collected.HandwrittenTest) -> tuple[str, ...]:
    markers = " ".join(sorted(test.markers - {"parametrize", "record_test_properties"}))
    note = f"not known: {test.unknown}" if test.unknown else ""
    return one_line(test.node_id), test.level, markers, f"{test.path}:{test.line}", note
