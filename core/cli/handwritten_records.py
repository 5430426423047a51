# SPDX-License-Identifier: Apache-2.0
"""Hand-written tests as `list --kind handwritten`, `show` and `jobs` print them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from core import handwritten, kinds
from core.base.errors import UsageError
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import records
from core.cli.context import Context
from core.sources import ci, handwritten as collected

_HEADER = ("id", "level", "markers", "file:line", "note")


def print_tests(ids: Sequence[str], style: str, context: Context) -> None:
    """Print the tests with these node ids, in their order, as `table`, `csv` or `json`."""
    suite = handwritten.read_tests(context.workspace.cache)
    _print(_by_id(suite, ids), suite, style, context)


def _by_id(suite: collected.Suite, ids: Sequence[str]) -> list[collected.HandwrittenTest]:
    tests = {test.node_id: test for test in suite.tests}
    return [tests[id] for id in ids]


def _print(found: Sequence[collected.HandwrittenTest], suite: collected.Suite, style: str, context: Context) -> None:
    if style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(map(_cells, found))
    else:
        context.console.table(_HEADER, map(_cells, found))
        doubtful = sum(1 for test in found if test.unknown)
        unknown = f"; parameters of {counted(doubtful, 'function')} are not known" if doubtful else ""
        context.console.note(f"{len(found):,} of {counted(len(suite.tests), 'hand-written test')}{unknown}")


def note_findings(context: Context) -> None:
    """Say what is wrong with the files of the tests."""
    for finding in handwritten.read_tests(context.workspace.cache).findings:
        context.console.note(f"{finding.kind}: {finding.message} ({finding.file})")


def find_test(text: str, context: Context) -> collected.HandwrittenTest:
    """The test that an argument names. Raises UsageError if it names none or several."""
    return handwritten.named(handwritten.read_tests(context.workspace.cache), text)


def show_test(text: str, context: Context) -> None:
    """Print everything about one test."""
    test = find_test(text, context)
    jobs, _ = ci.read_jobs(context.checkout)
    selecting, results = handwritten.jobs_of(jobs, test), kinds.shown_handwritten(test, context.workspace).evidence
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
        context.console.document(records.JobsOfHandwritten(id=test.node_id, archs=kinds.jobs_by_machine(found)))
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


def _job_text(job: ci.Job) -> str:
    return f"{job.file}: {job.name} on {job.runs_on}"


def _cadence(jobs: ci.Jobs, job: ci.Job) -> str:
    return " ".join(dict.fromkeys(trigger.cadence for trigger in jobs[job])) or "on request"


def _cells(test: collected.HandwrittenTest) -> tuple[str, ...]:
    markers = " ".join(sorted(test.markers - {"parametrize", "record_test_properties"}))
    note = f"not known: {test.unknown}" if test.unknown else ""
    return one_line(test.node_id), test.level, markers, f"{test.path}:{test.line}", note
