# SPDX-License-Identifier: Apache-2.0
"""Op cases as `ttmatrix ops list` and `ttmatrix list --kind op` print them for people."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from core import ops
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: `list` needs it for op cases only.
from core.cli import records
from core.cli.context import Context

_HEADER = ("id", "op", "dtype", "file:line", "note")


def print_cases(found: Sequence[records.OpCase], style: str | None, context: Context) -> None:
    """Print cases as `table`, `ids`, `csv` or `json`; without a style, as the console decides."""
    style = style or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(found)
    elif style == "ids":
        # A faulty case cannot be run.
        context.console.out.writelines(f"{one.id}\n" for one in found if one.op)
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(map(_cells, found))
    else:
        _print(found, context)


def nameless_problems(tests: ops.OpTests) -> list[str]:
    """A line for each mistake that is not listed with a case: it is about a whole file, or a case without a name."""
    return [
        f"{one_line(manifest.path)}{f':{problem.line}' if problem.line else ''}: {one_line(ops.problem_text(problem))}"
        for manifest in tests.manifests
        for problem in manifest.problems
        if not problem.warning and not problem.case
    ]


def _print(found: Sequence[records.OpCase], context: Context) -> None:
    if found:
        context.console.table(_HEADER, map(_cells, found))
    same = sum(1 for one in found if one.dup_of)
    context.console.note(f"{counted(len(found), 'op case')}, {same:,} the same as another" if found else "no op cases")


def _cells(one: records.OpCase) -> tuple[str, ...]:
    return one.id, one.op or "", one.dtype or "", f"{one.file}:{one.line}", _note(one)


def _note(one: records.OpCase) -> str:
    if one.problem:
        return one.problem
    if one.skip:
        return f"skip: {one.skip}"
    return f"same as {one.dup_of}" if one.dup_of else ""
