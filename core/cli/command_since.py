# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix since`: since when a test fails or passes on each arch, and the commits between."""

from __future__ import annotations

import argparse
import shlex

from core import kinds
from core.base.checked_numbers import moment_text
from core.base.errors import EXIT_FINDINGS, EXIT_OK
from core.base.text import counted, one_line
from core.cli import records
from core.cli.arguments import add_as_of
from core.cli.commits_report import commits_document
from core.cli.context import Context
from core.evidence import Drift, Observation, page_of
from core.evidence.analysis import FLAKINESS_RESULTS, Commits
from core.workspace import CellSince


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    parser.add_argument("id", metavar="ID", help="a test id, a node id, or a part that matches only one id")


def execute(args: argparse.Namespace, context: Context) -> int:
    context.count_to(args.as_of)
    id, found = _found(args.id, context)
    if context.console.json:
        context.console.document(records.Since(id=id, cells=list(map(_document, found))))
    else:
        _print(id, found, context)
    return EXIT_FINDINGS if any(one.course.failing or one.course.missing for one in found) else EXIT_OK


def _found(text: str, context: Context) -> tuple[str, list[CellSince]]:
    archs = [context.arch] if context.arch else ()
    beside = kinds.find(text, context.workspace)
    if beside is not None and (rows := beside.kind.results(beside.id, context.workspace)):
        return beside.id, context.evidence.since_of(rows, archs)
    id = context.resolve([text])[0]
    return id, context.evidence.since(id, archs)


def _print(id: str, found: list[CellSince], context: Context) -> None:
    for one in found:
        _print_cell(one, context)
    results = sum(one.course.results for one in found)
    context.console.note(f"{one_line(id)}: {counted(results, 'result')} in {counted(len(found), 'cell')}")
    if any(one.course.failing or one.course.missing for one in found) and id in context.matrix.rows:
        context.console.note(
            f"`ttmatrix propose {shlex.quote(one_line(id))} -o FILE` proposes what would make its entry true"
        )
    if hosts := context.evidence.policy.ignored_hosts:
        context.console.note(f"Results of {', '.join(map(one_line, hosts))} are left out: the policy ignores them")
    if any(one.course.flakiness for one in found):
        how = f"changes beyond the first one, as a share of those possible in the newest {FLAKINESS_RESULTS} results"
        context.console.note(f"Flakiness: {how}")


def _print_cell(one: CellSince, context: Context) -> None:
    for line in one.lines:
        # Notes are not indented: the lines they belong to are on standard output.
        (context.console.note if line.aside else context.console.line)(line.text[2:] if line.aside else line.text)


def _document(found: CellSince) -> records.CellSince:
    one, commits = found.course, {part.name: part for part in found.commits}
    started = one.failing and one.before is not None
    return records.CellSince(
        arch=one.arch,
        failing=one.failing,
        absent=records.AbsentResult(kind=one.absent.kind, why=one.absent.why) if one.absent else None,
        results=one.results,
        since=_point(one.since),
        first_bad=_point(one.first_bad) if one.first_bad else None,
        last_good=_point(one.last_good) if one.last_good else None,
        flips=one.flips,
        flakiness=round(one.flakiness, 4),
        broken_together=found.together if started else None,
        drift=_drift(one.drift),
        commits=_commits(commits.get("tt-xla")),
        models_commits=_commits(commits.get("tt_forge_models")),
    )


def _commits(part: Commits | None) -> records.LinkedCommitsBetween | None:
    if part is None:
        return None
    return commits_document(part.between).extended(records.LinkedCommitsBetween, url=part.url or None)


def _drift(drift: Drift | None) -> records.Drift | None:
    """Mean PCC over consecutive stretches of equally many results, oldest first; null if too few results have one."""
    if drift is None:
        return None
    since = moment_text(drift.first)
    return records.Drift(pcc=[round(one, 6) for one in drift.numbers], results=drift.results, since=since)


def _point(row: Observation) -> records.SinceResult:
    when = moment_text(row.when)
    return records.SinceResult(
        run=row.run,
        when=when,
        ending=row.ending,
        reason=row.reason or None,
        commit=row.commit or None,
        models_commit=row.models_commit or None,
        url=page_of([row]).url or None,
    )
