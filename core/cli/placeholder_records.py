# SPDX-License-Identifier: Apache-2.0
"""Placeholders for planned models, as `list`, `show` and `placeholders` print them."""

from __future__ import annotations

from collections.abc import Sequence

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core import edits
from core.cli.context import Context
from core.matrix import PLACEHOLDER_KIND, Matrix, with_placeholder_rows
from core.text import counted, one_line

_SHOWN_TESTS = 12
_FIELDS = ("model", "bringup_status", "reason")
Record = dict[str, object]


def record(matrix: Matrix, row: int) -> Record:
    """The row of a placeholder in its JSON form."""
    columns = matrix.columns
    return {
        "id": matrix.ids[row],
        "kind": PLACEHOLDER_KIND,
        "model": columns["model"][row],
        "bringup_status": columns["bringup"][row],
        "reason": columns["reason"][row],
        "file": columns["file"][row],
        "line": matrix.line_of(row),
    }


def records(context: Context, names: Sequence[str] = ()) -> list[Record]:
    """These placeholders, or all, each with the ids of its model's tests that exist now."""
    matrix = with_placeholder_rows(context.matrix)
    known = matrix.placeholders.ids if matrix.placeholders else ()
    wanted = [name for name in known if not names or name in names]
    tests = edits.model_tests_of(context.matrix, wanted)
    return [{**record(matrix, matrix.rows[name]), "tests": tests[name]} for name in wanted]


def show(name: str, context: Context) -> None:
    """Print everything about one placeholder."""
    (one,) = records(context, [name])
    console = context.console
    if console.json:
        console.document(one)
        return
    console.line(one_line(name))
    console.table(("field", "value"), [*((key, str(one[key])) for key in _FIELDS), ("place", place(one))])
    tests = one["tests"]
    assert isinstance(tests, list)
    if not tests:
        console.note("No loader has this model yet.")
        return
    console.line(f"\n{counted(len(tests), 'test')} of this model can be collected:")
    for id in tests[:_SHOWN_TESTS]:
        console.line(f"  {one_line(id)}{'  has an entry' if id in context.matrix.entries else ''}")
    if len(tests) > _SHOWN_TESTS:
        console.line(f"  and {len(tests) - _SHOWN_TESTS:,} more")


def place(one: Record) -> str:
    """The file and line of a placeholder."""
    return f"{one['file']}:{one['line']}"
