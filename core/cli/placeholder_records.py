# SPDX-License-Identifier: Apache-2.0
"""Placeholders for planned models, as `list`, `show` and `placeholders` print them."""

from __future__ import annotations

from collections.abc import Sequence

from core import edits, kinds
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: most calls are about model tests.
from core.cli import records
from core.cli.context import Context
from core.matrix import PLACEHOLDER_KIND, with_placeholder_rows

_SHOWN_TESTS = 12
_FIELDS = ("model", "bringup_status", "reason")


def placeholders(context: Context, names: Sequence[str] = ()) -> list[records.PlaceholderWithTests]:
    """These placeholders, or all, each with the ids of its model's tests that exist now."""
    matrix = with_placeholder_rows(context.matrix)
    rows = matrix.of_kind(PLACEHOLDER_KIND)
    known = rows.ids if rows else ()
    infos = context.workspace.model_infos
    return kinds.placeholders_with_tests(matrix, infos, [name for name in known if not names or name in names])


def show(name: str, context: Context) -> None:
    """Print everything about one placeholder."""
    (one,) = placeholders(context, [name])
    console = context.console
    console.line(one_line(name))
    console.table(("field", "value"), [*((key, str(getattr(one, key))) for key in _FIELDS), ("place", place(one))])
    if not one.tests:
        near = edits.nearest_models(name, edits.read_models(context.matrix, context.workspace.model_infos))
        console.note(f"No loader has exactly this model. The nearest: {', '.join(near) or 'none is like it'}")
        return
    console.line(f"\n{counted(len(one.tests), 'test')} of this model can be collected:")
    for id in one.tests[:_SHOWN_TESTS]:
        console.line(f"  {one_line(id)}{'  has an entry' if id in context.matrix.entries else ''}")
    if len(one.tests) > _SHOWN_TESTS:
        console.line(f"  and {len(one.tests) - _SHOWN_TESTS:,} more")


def place(one: records.Placeholder) -> str:
    """The file and line of a placeholder."""
    return f"{one.file}:{one.line}"
