# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops list`: op cases, with the case that stands for each of several that are the same test."""

import argparse
from collections.abc import Sequence

from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.errors import EXIT_OK
from core.ops import OpTests, computes_nothing, deduplicated, problem_text, skips
from core.text import counted

_HEADER = ("id", "op", "dtype", "file:line", "note")
Record = dict[str, object]


def configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument("--no-dedupe", action="store_true", help="let every case stand for itself")
    parser.add_argument(
        "--backend", default="inductor", metavar="NAME", help="what skip_if sees as the backend; default: inductor"
    )
    parser.add_argument("--format", choices=("table", "ids", "json"), help="default: table; with --json: json")


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    found = records(tests, args.model, args.backend, dedupe=not args.no_dedupe)
    style = args.format or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(found)
    elif style == "ids":
        context.console.out.writelines(f"{one['id']}\n" for one in found)
    else:
        _print(found, context)
    return EXIT_OK


def records(tests: OpTests, models: Sequence[str], backend: str, *, dedupe: bool) -> list[Record]:
    """Each case in its JSON form, and after those of each file the ones with a mistake."""
    selected = tests.of_models(models)
    skipped = skips(selected, backend)
    said = deduplicated(selected, skipped, dedupe=dedupe)
    warnings = {
        (manifest.path, problem.case): problem_text(problem)
        for manifest in tests.manifests
        for problem in manifest.problems
        if problem.warning
    }
    found: list[Record] = []
    for row in selected:
        note = "The op computes nothing" if computes_nothing(row.case) else ""
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


def _broken(tests: OpTests, models: Sequence[str], known: set[str]) -> list[Record]:
    """Cases with a mistake. They are not run."""
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
                id, {**record, "file": manifest.path, "line": problem.line, "problem": problem_text(problem)}
            )
    return list(found.values())


def _print(found: Sequence[Record], context: Context) -> None:
    rows = (
        (str(one["id"]), str(one["op"] or ""), str(one["dtype"] or ""), f"{one['file']}:{one['line']}", _note(one))
        for one in found
    )
    if found:
        context.console.table(_HEADER, rows)
    same = sum(1 for one in found if one["dup_of"])
    context.console.note(f"{counted(len(found), 'op case')}, {same:,} the same as another" if found else "no op cases")


def _note(one: Record) -> str:
    if one["problem"]:
        return str(one["problem"])
    if one["skip"]:
        return f"skip: {one['skip']}"
    return f"same as {one['dup_of']}" if one["dup_of"] else ""
