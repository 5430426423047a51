# SPDX-License-Identifier: Apache-2.0
"""Rows as `list`, `show` and `jobs` print them: what all kinds have in common, and those that are printed otherwise."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from typing import ClassVar

from core import kinds, ops
from core.base.errors import QueryError
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import handwritten_records, op_records, placeholder_records, records
from core.cli.context import Context
from core.kinds import Kind
from core.matrix import HANDWRITTEN_KIND, MODEL_KIND, NO_ARCH, OP_KIND, PLACEHOLDER_KIND, Matrix
from core.matrix.query import Query, plain


class RowPrinter:
    """Prints rows of any kind from their columns."""

    own_table: ClassVar[bool] = True
    """Whether a list of such rows alone is printed by `print_rows`, not in the columns of model tests."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def prepare(self, args: argparse.Namespace, context: Context) -> None:
        """Check and change the arguments of `list --kind`."""

    def documents(self, matrix: Matrix, ids: Sequence[str], arch: str, context: Context) -> Sequence[records.Row]:
        """Rows in their JSON form, in the order of `ids`; `arch` is the one whose values count."""
        return [self._record(matrix, id) for id in ids]

    def print_rows(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        """Print rows as `table`, `csv` or `json`; `all`: the query is empty."""
        names = [one.name for one in self.kind.own_columns]
        cells = [
            (one_line(id), *(self.kind.text(matrix, matrix.rows[id], name) for name in names), self._place(matrix, id))
            for id in ids
        ]
        head = ("id", *names, "file:line")
        if style == "json":
            context.console.document(self.documents(matrix, ids, "", context))
        elif style == "csv":
            writer = csv.writer(context.console.out, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(cells)
        else:
            context.console.table(head, cells)
            context.console.note(f"{len(ids):,} of {counted(len(matrix.kinds[self.kind.name]), self.kind.noun)}")

    def show(self, id: str, matrix: Matrix, context: Context) -> None:
        """Print everything about one row."""
        if context.console.json:
            context.console.document(self._record(matrix, id))
            return
        context.console.line(one_line(id))
        jobs = tuple(("job", job.text) for job in self.kind.jobs(matrix, id))
        for section in (*self.kind.sections(matrix, id, context.workspace), kinds.Section("", jobs)):
            if section.title:
                context.console.line(f"\n{section.title}")
            for name, value in section.lines:
                context.console.line(f"  {name:12} {one_line(value)}")
        if not jobs:
            context.console.note("No job of CI selects it.")

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

    def _record(self, matrix: Matrix, id: str) -> records.OtherRow:
        row, kind = matrix.rows[id], self.kind
        names = [one.name for one in kind.own_columns]
        return records.OtherRow(
            id=id,
            kind=kind.name,
            file=matrix.columns["file"][row],
            line=matrix.line_of(row),
            reason=matrix.columns["reason"][row] or None,
            fields={
                name: [*filter(None, matrix.flags[name][row])] if name in matrix.flags else matrix.columns[name][row]
                for name in names
            },
            jobs=[
                records.JobOfOtherRow(name=job.name, file=job.file, runs_on=job.runs_on, cadence=job.cadence or None)
                for job in kind.jobs(matrix, id)
            ],
        )

    @staticmethod
    def _place(matrix: Matrix, id: str) -> str:
        row = matrix.rows[id]
        return f"{matrix.columns['file'][row]}:{matrix.line_of(row)}"


class _Models(RowPrinter):
    own_table = False

    def documents(self, matrix: Matrix, ids: Sequence[str], arch: str, context: Context) -> Sequence[records.ModelTest]:
        return [model_record(matrix, row, arch, matrix.function(row)) for row in map(matrix.rows.__getitem__, ids)]


def model_record(matrix: Matrix, row: int, arch: str, function: str) -> records.ModelTest:
    """A model test in its JSON form, as a test of one of its functions."""
    entry = matrix.entry(row)
    return records.ModelTest(
        id=matrix.ids[row],
        function=function,
        status=matrix.status[arch or NO_ARCH][row],
        statuses={one: matrix.status[one][row] for one in matrix.schema.archs},
        archs=list(matrix.flags["arch"][row]),
        bringup_status=matrix.columns["bringup"][row] or None,
        reason=entry.fields.get("reason") if entry else None,
        markers=list(matrix.flags["marker"][row]),
        loader=matrix.columns["loader"][row] or None,
        file=entry.file if entry else None,
        line=entry.line if entry else None,
    )


class _Ops(RowPrinter):
    def documents(self, matrix: Matrix, ids: Sequence[str], arch: str, context: Context) -> Sequence[records.OpCase]:
        return self._records(ids, context, broken=False)

    def print_rows(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        op_records.print_cases(self._records(ids, context, broken=all), style, context)

    def show(self, id: str, matrix: Matrix, context: Context) -> None:
        op_records.show_op_case(id, context)

    def jobs(self, id: str, matrix: Matrix, context: Context) -> None:
        context.refuse_op_case(id)

    @staticmethod
    def _records(ids: Sequence[str], context: Context, *, broken: bool) -> list[records.OpCase]:
        """`broken` includes faulty cases, which have no row."""
        if not ids and not broken:
            return []
        tests = ops.read_op_tests(context.checkout.root, context.settings.ops_dirs)
        found = {one.id: one for one in op_records.op_records(tests, (), ops.default_backend(), dedupe=True)}
        return [*(found[id] for id in ids if id in found), *(one for one in found.values() if broken and not one.op)]


class _Handwritten(RowPrinter):
    def prepare(self, args: argparse.Namespace, context: Context) -> None:
        handwritten_records.refuse_options(args.view, args.universe)
        args.query = _in_one_language(args.query, context)

    def documents(self, matrix: Matrix, ids: Sequence[str], arch: str, context: Context) -> Sequence[records.Row]:
        return handwritten_records.records_of(ids, context)

    def print_rows(self, matrix: Matrix, ids: Sequence[str], style: str, context: Context, *, all: bool) -> None:
        handwritten_records.print_tests(ids, style, context)

    def show(self, id: str, matrix: Matrix, context: Context) -> None:
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

    def documents(self, matrix: Matrix, ids: Sequence[str], arch: str, context: Context) -> Sequence[records.Row]:
        return [placeholder_records.record(matrix, matrix.rows[id]) for id in ids]

    def show(self, id: str, matrix: Matrix, context: Context) -> None:
        placeholder_records.show(id, context)


_OTHERWISE = {MODEL_KIND: _Models, OP_KIND: _Ops, HANDWRITTEN_KIND: _Handwritten, PLACEHOLDER_KIND: _Placeholders}
"""The kinds whose JSON or tables are older than what all have in common, and stay as they are."""


def printer(name: str) -> RowPrinter:
    """Prints rows of a kind."""
    return _OTHERWISE.get(name, RowPrinter)(kinds.by_name(name))
