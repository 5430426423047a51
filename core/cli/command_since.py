# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix since`: since when a test fails or passes on each arch, and the commits between."""

import argparse
from datetime import UTC, datetime

from core.cli.commits_report import commits_document, print_commits
from core.cli.context import Context
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.evidence import Observation
from core.evidence.analysis import (
    FLAKINESS_RESULTS,
    Between,
    CellCourse,
    between,
    broken_together,
    courses_of,
)
from core.sources import Git, web_address
from core.text import counted, one_line


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a test id, a node id, or a part that matches only one id")


def execute(args: argparse.Namespace, context: Context) -> int:
    id = context.resolve([args.id])[0]
    seen = context.verdicts.seen.get(id, {})
    found = [one for one in courses_of(seen) if context.arch in ("", one.arch)]
    if context.console.json:
        context.console.document({"id": id, "cells": [_document(one, context) for one in found]})
    else:
        _print(id, found, context)
    return EXIT_FINDINGS if any(one.failing for one in found) else EXIT_OK


def _print(id: str, found: list[CellCourse], context: Context) -> None:
    for one in found:
        _print_cell(one, context)
    results = sum(one.results for one in found)
    context.console.note(f"{one_line(id)}: {counted(results, 'result')} in {counted(len(found), 'cell')}")
    if any(one.flakiness for one in found):
        how = f"changes beyond the first one, of those that were possible in the newest {FLAKINESS_RESULTS} results"
        context.console.note(f"Flakiness: {how}")


def _print_cell(one: CellCourse, context: Context) -> None:
    console = context.console
    word = "fails" if one.failing else "passes"
    course = f"{counted(one.flips, 'flip')}, flakiness {one.flakiness:.2f}"
    if one.before is None:
        console.line(f"{one.arch}: {word} in all of {counted(one.results, 'result')}, since {_place(one.since)}")
        return
    console.line(f"{one.arch}: {word} since {_place(one.since)}; {course}")
    console.line(f"  {'last good' if one.failing else 'last bad'}: {_place(one.before)}")
    if one.failing and one.since.reason:
        console.line(f"  {one_line(one.since.reason)}")
    if one.failing and (others := broken_together(one.since, context.results.turned_in(one.since.run))):
        console.line(f"  {counted(others, 'other cell')} began to fail in the same run")
    for name, (commits, url) in zip(("tt-xla", "tt_forge_models"), _between(one, context), strict=True):
        print_commits(name, commits, console)
        if url:
            console.note(f"  {url}")


def _between(one: CellCourse, context: Context) -> tuple[tuple[Between, str], tuple[Between, str]]:
    """What was committed between the last result of before and the first since, with its address."""
    assert one.before is not None
    own, models = between(context.checkout, [one.before], [one.since])
    places = Git(context.checkout.root), Git(context.checkout.models)
    return (own, _address(own, places[0])), (models, _address(models, places[1]))


def _address(commits: Between, git: Git) -> str:
    if not commits.commits or not (base := web_address(git)):
        return ""
    return f"{base}/compare/{commits.before}...{commits.after}"


def _place(row: Observation) -> str:
    when = datetime.fromtimestamp(row.when, UTC).strftime("%Y-%m-%d") if row.when else "an unknown day"
    return f"{one_line(row.run)} ({when})"


def _document(one: CellCourse, context: Context) -> dict[str, object]:
    own, models = _between(one, context) if one.before else (None, None)
    started = one.failing and one.before is not None
    return {
        "arch": one.arch,
        "failing": one.failing,
        "results": one.results,
        "since": _point(one.since),
        "first_bad": _point(one.first_bad),
        "last_good": _point(one.last_good),
        "flips": one.flips,
        "flakiness": round(one.flakiness, 4),
        "broken_together": broken_together(one.since, context.results.turned_in(one.since.run)) if started else None,
        "commits": {**commits_document(own[0]), "url": own[1] or None} if own else None,
        "models_commits": {**commits_document(models[0]), "url": models[1] or None} if models else None,
    }


def _point(row: Observation | None) -> dict[str, object] | None:
    if row is None:
        return None
    when = datetime.fromtimestamp(row.when, UTC).isoformat(timespec="seconds") if row.when else None
    return {
        "run": row.run,
        "when": when,
        "ending": row.ending,
        "reason": row.reason or None,
        "commit": row.commit or None,
        "models_commit": row.models_commit or None,
    }
