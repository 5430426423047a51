# SPDX-License-Identifier: Apache-2.0
"""Op cases as `ttmatrix ops list` and `ttmatrix list --kind op` print them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

# Imported by package, also in annotations, which are not evaluated: `list` needs it for op cases only.
from core import ops
from core.cli.context import Context
from core.errors import TTMatrixError
from core.text import counted, one_line

_HEADER = ("id", "op", "dtype", "file:line", "note")
Record = dict[str, object]


def print_cases(found: Sequence[Record], style: str | None, context: Context) -> None:
    """Print cases as `table`, `ids`, `csv` or `json`; without a style, as the console decides."""
    style = style or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(found)
    elif style == "ids":
        # A faulty case cannot be run.
        context.console.out.writelines(f"{one['id']}\n" for one in found if one["op"])
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(map(_cells, found))
    else:
        _print(found, context)


def op_records(tests: ops.OpTests, models: Sequence[str], backend: str, *, dedupe: bool) -> list[Record]:
    """Each case in its JSON form; the faulty cases of a file come after its valid ones."""
    selected = tests.of_models(models)
    skipped = ops.skips(selected, backend)
    said = ops.deduplicated(selected, skipped, dedupe=dedupe)
    warnings = {
        (manifest.path, problem.case): ops.problem_text(problem)
        for manifest in tests.manifests
        for problem in manifest.problems
        if problem.warning
    }
    found: list[Record] = []
    for row in selected:
        note = "The op computes nothing" if ops.computes_nothing(row.case) else ""
        found.append(
            {
                "id": row.id,
                "model": row.manifest.model,
                "name": row.case.name,
                "op": row.case.op,
                "dtype": row.case.dtype,
                "file": row.manifest.path,
                "line": row.case.line,
                "key": said[row.id].key,
                "dup_of": said[row.id].dup_of or None,
                "skip": skipped.get(row.id),
                "problem": warnings.get((row.manifest.path, row.case.name), note) or None,
            }
        )
    return [*found, *_broken(tests, models, {str(one["id"]) for one in found})]


def show_op_case(id: str, context: Context) -> None:
    """Print everything about one case."""
    tests = ops.read_op_tests(context.checkout.root, context.settings.ops_dirs)
    detail = ops.describe_case(tests, id)
    # The rows may be slightly older than the manifests.
    if detail is None:
        raise TTMatrixError(f"There is no op case {id} any more", "Its manifest has changed.", "Try again.")
    if context.console.json:
        record = next(one for one in op_records(tests, (), ops.default_backend(), dedupe=True) if one["id"] == id)
        context.console.document({**record, **ops.case_document(detail)})
        return
    context.console.line(one_line(id))
    for name, value in ops.case_lines(detail):
        context.console.line(f"  {name:12} {one_line(value)}")


def nameless_problems(tests: ops.OpTests) -> list[str]:
    """A line for each mistake that is not listed with a case: it is about a whole file, or a case without a name."""
    return [
        f"{one_line(manifest.path)}{f':{problem.line}' if problem.line else ''}: {one_line(ops.problem_text(problem))}"
        for manifest in tests.manifests
        for problem in manifest.problems
        if not problem.warning and not problem.case
    ]


def _broken(tests: ops.OpTests, models: Sequence[str], known: set[str]) -> list[Record]:
    """Records of faulty cases. They are not run."""
    found: dict[str, Record] = {}
    for manifest in tests.manifests:
        for problem in manifest.problems:
            id = f"{manifest.model}::{problem.case}"
            if problem.warning or not problem.case or (models and manifest.model not in models):
                continue
            if id in known or id in found:
                id = f"{id}::{manifest.path}:{problem.line}"
            empty = dict.fromkeys(("op", "dtype", "key", "dup_of", "skip"))
            record = {"id": id, "model": manifest.model, "name": problem.case, **empty}
            found.setdefault(
                id, {**record, "file": manifest.path, "line": problem.line, "problem": ops.problem_text(problem)}
            )
    return list(found.values())


def _print(found: Sequence[Record], context: Context) -> None:
    if found:
        context.console.table(_HEADER, map(_cells, found))
    same = sum(1 for one in found if one["dup_of"])
    context.console.note(f"{counted(len(found), 'op case')}, {same:,} the same as another" if found else "no op cases")


def _cells(one: Record) -> tuple[str, ...]:
    return str(one["id"]), str(one["op"] or ""), str(one["dtype"] or ""), f"{one['file']}:{one['line']}", _note(one)


def _note(one: Record) -> str:
    if one["problem"]:
        return str(one["problem"])
    if one["skip"]:
        return f"skip: {one['skip']}"
    return f"same as {one['dup_of']}" if one["dup_of"] else ""
