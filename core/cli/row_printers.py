# SPDX-License-Identifier: Apache-2.0
"""Rows as `list`, `show` and `jobs` print them: what all kinds have in common, and those that are printed otherwise."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from typing import ClassVar

import core.evidence.analysis as analysis
from core import kinds
from core.base.errors import QueryError
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import handwritten_records, op_records, placeholder_records, records
from core.cli.context import Context
from core.kinds import Kind
from core.matrix import HANDWRITTEN_KIND, MODEL_KIND, OP_KIND, PLACEHOLDER_KIND, Matrix
from core.matrix.query import Query, plain


class RowPrinter:
    """Prints rows of any kind from their columns."""

    own_table: ClassVar[bool] = True
    """Whether a list of such rows alone is printed by `print_rows`, not in the columns of model tests."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def prepare(self, args: argparse.Namespace, context: Context) -> None:
        """Check and change the arguments of `list --kind`."""

    def print_rows(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        """Print rows as `table`, `csv` or `json`; `all`: the query is empty."""
        if style == "json":
            context.console.document(self.kind.records(matrix, ids, context.workspace, broken=all))
        else:
            self.print_table(matrix, ids, style, context, all=all)

    def print_table(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        """Print rows for people, or as CSV."""
        names = [one.name for one in self.kind.own_columns]
        cells = [
            (one_line(id), *(self.kind.text(matrix, matrix.rows[id], name) for name in names), self._place(matrix, id))
            for id in ids
        ]
        head = ("id", *names, "file:line")
        if style == "csv":
            writer = csv.writer(context.console.out, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(cells)
        else:
            context.console.table(head, cells)
            context.console.note(f"{len(ids):,} of {counted(len(matrix.kinds[self.kind.name]), self.kind.noun)}")

    def show(self, id: str, matrix: Matrix, context: Context) -> None:
        """Print everything about one row."""
        if context.console.json:
            context.console.document(self.kind.shown(matrix, id, context.workspace))
        else:
            self.show_text(id, matrix, context)

    def show_text(self, id: str, matrix: Matrix, context: Context) -> None:
        """Print everything about one row for people."""
        for needed in self.kind.details():
            context.workspace.read(needed)
        context.console.line(one_line(id))
        jobs = tuple(("job", job.text) for job in self.kind.jobs(matrix, id))
        sections = self.kind.sections(matrix, id, context.workspace)
        for section in (*sections, kinds.Section("", jobs), self._results(id, matrix, context)):
            if section.title:
                context.console.line(f"\n{section.title}")
            for name, value in section.lines:
                context.console.line(f"  {name:12} {one_line(value)}")
        if not jobs and "job" in self.kind.fields:
            context.console.note("No job of CI selects it.")

    def _results(self, id: str, matrix: Matrix, context: Context) -> kinds.Section:
        """The newest results, what they mean, and the newest numbers."""
        found = self.kind.results(id, context.workspace)
        judged = self.kind.judged(matrix, id, found, context.evidence.policy) if found else ()
        lines = [
            *(("verdict", f"{one.arch}: {one.verdict}, {one.why}") for one in judged),
            *(("result", kinds.result_text(one)) for one in found[: kinds.SHOWN_RESULTS]),
        ]
        for series in context.workspace.performance_of(id, context.evidence.ended_runs):
            lines += [(analysis.series_name(series), words) for words, _ in analysis.perf_lines(series)]
        return kinds.Section("results", tuple(lines)) if lines else kinds.Section("", ())

    def jobs(self, id: str, matrix: Matrix, context: Context) -> None:
        """Print the jobs that run one row."""
        found = [job for job in self.kind.jobs(matrix, id) if job.runs_on.startswith(context.arch)]
        if context.console.json:
            archs = dict.fromkeys(job.runs_on for job in found)
            by_machine = {
                one: [records.JobName(file=job.file, name=job.name, mark="") for job in found if job.runs_on == one]
                for one in archs
            }
            context.console.document(records.JobsOfHandwritten(id=id, archs=by_machine))
            return
        context.console.line(one_line(id))
        if not found:
            context.console.line("  No job selects it.")
            return
        cells = ((job.runs_on, job.cadence or "on request", job.file, job.name) for job in found)
        context.console.table(("runs-on", "cadence", "file", "name"), cells)

    @staticmethod
    def _place(matrix: Matrix, id: str) -> str:
        row = matrix.rows[id]
        return f"{matrix.columns['file'][row]}:{matrix.line_of(row)}"


class _Models(RowPrinter):
    own_table = False


class _Ops(RowPrinter):
    def print_table(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        cases = kinds.listed_cases(context.workspace.op_tests, ids, broken=all) if ids or all else []
        op_records.print_cases(cases, style, context)

    def jobs(self, id: str, matrix: Matrix, context: Context) -> None:
        context.refuse_op_case(id)


class _Handwritten(RowPrinter):
    def prepare(self, args: argparse.Namespace, context: Context) -> None:
        handwritten_records.refuse_options(args.view, args.universe)
        args.query = _in_one_language(args.query, context)

    def print_rows(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        super().print_rows(matrix, ids, style, context, all=all)
        handwritten_records.note_findings(context)

    def print_table(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        handwritten_records.print_tests(ids, style, context)

    def show_text(self, id: str, matrix: Matrix, context: Context) -> None:
        handwritten_records.show_test(id, context)

    def jobs(self, id: str, matrix: Matrix, context: Context) -> None:
        handwritten_records.jobs_of_test(id, context)


def _in_one_language(words: Sequence[str], context: Context) -> list[str]:
    """Words as hand-written tests had them before there was one language: a dash excludes, parentheses are letters."""
    words = [f"!{word[1:]}" if word.startswith("-") else word for word in words]
    try:
        context.parse(" ".join(words))
    except QueryError:
        return [
            str(Query((plain(word),))) if set("()").intersection(word) and ":" not in word else word for word in words
        ]
    return words


class _Placeholders(RowPrinter):
    own_table = False

    def show_text(self, id: str, matrix: Matrix, context: Context) -> None:
        placeholder_records.show(id, context)


_OTHERWISE = {MODEL_KIND: _Models, OP_KIND: _Ops, HANDWRITTEN_KIND: _Handwritten, PLACEHOLDER_KIND: _Placeholders}
"""The kinds whose tables and texts are older than what all have in common, and stay as they are."""


def printer(name: str) -> RowPrinter:
    """Prints rows of a kind."""
    return _OTHERWISE.get(name, RowPrinter)(kinds.by_name(name))
