# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix propose`: propose edits to entries from verdicts; review the file, remove what is wrong, and apply it."""

import argparse
import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.base.errors import EXIT_OK, TTMatrixError
from core.base.files import atomic_write, plain
from core.base.text import counted, json_text, one_line
from core.cli import records
from core.cli.arguments import add_as_of
from core.cli.context import Context
from core.edits import evidence_lines, grade_line, to_json
from core.edits.commit import issue_url, issues_in
from core.evidence.analysis import Due, issue_link
from core.evidence.proposals import (
    NotProposed,
    Proposal,
    propose,
    propose_for_cases,
    schedule_markers,
    with_schedule_markers,
)
from core.evidence.verdicts import Judgement, Verdict
from core.sources import Git
from core.workspace import Evidence


def proposal_records(proposals: Iterable[Proposal], commit: str) -> list[records.FullProposal]:
    """The JSON form.

    `base` is in every proposal, so that files can be cut and joined: the commit of the checkout (empty if git knows
    none), and the entry as it was, null if there was none.
    """
    return [
        records.FullProposal(
            id=one.id,
            arch=", ".join(one.archs),
            verdict=", ".join(one.verdicts),
            grade=one.grade,
            grade_why=one.grade_why,
            since=one.since,
            cause=one.cause.text,
            why=one.why,
            evidence=one.evidence,
            facts=plain(one.facts),
            issues=one.issues,
            restore_when_closed=issue_url(one.restore) if one.restore else "",
            ops=to_json(one.ops),
            leaves_ci=one.leaves,
            base=records.ProposalBase(commit=commit, file=one.base.file, fields=one.base.fields),
        )
        for one in proposals
    ]


_MOST_LISTED = 5
"""Most cells named per reason for not proposing anything; the others are counted."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="only these tests; the query language is in: ttmatrix list --help"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the proposals to FILE; then: ttmatrix apply FILE")
    parser.add_argument("--issue", default="", metavar="ISSUE", help="an issue to link in every new reason")
    parser.add_argument(
        "--restore-when-closed",
        default="",
        metavar="ISSUE",
        help="note with each proposal that it is to be undone once ISSUE is closed",
    )
    parser.add_argument(
        "--keep-in-ci", action="store_true", help="add a marker to each test that would leave CI, to keep it there"
    )
    parser.add_argument(
        "--without-host", action="append", default=[], metavar="HOST", help="ignore results of this machine"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    context.count_to(args.as_of)
    issue = issue_link(args.issue) if args.issue else ""
    evidence, ci = context.evidence.without(args.without_host), context.workspace.ci
    wanted = context.ids_of(" ".join(args.query))
    judgements, due = _judgements(evidence, wanted, context.arch), _due(evidence, wanted)
    proposals, not_proposed = propose(
        context.matrix, judgements, evidence.policy, ci=ci, issue=issue, ages=evidence.ages, due=due
    )
    if args.keep_in_ci:
        proposals = with_schedule_markers(proposals, schedule_markers(context.matrix, ci, proposals))
    of_cases, not_of_cases = _of_cases(evidence, context, " ".join(args.query))
    proposals, not_proposed = (*proposals, *of_cases), (*not_proposed, *not_of_cases)
    if args.restore_when_closed:
        (restore,) = issues_in(issue_link(args.restore_when_closed))
        proposals = tuple(replace(one, restore=restore) for one in proposals)
    written = proposal_records(proposals, _commit(context))
    if args.output:
        atomic_write(Path(args.output), json_text(written) + "\n")
    if context.console.json:
        context.console.document(written)
    else:
        context.console.prose(*_lines(proposals))
    _note(proposals, not_proposed, args.output, context)
    return EXIT_OK


def _of_cases(evidence: Evidence, context: Context, query: str) -> tuple[Sequence[Proposal], Sequence[NotProposed]]:
    """Proposals from results of op cases, if there are any; `--arch` applies to model tests only."""
    if context.arch or (cases := evidence.case_evidence) is None:
        return (), ()
    return propose_for_cases(cases.verdicts, cases.written, context.op_ids_of(query))


def _judgements(evidence: Evidence, wanted: Collection[str] | None, arch: str) -> list[Judgement]:
    """What results say about the tests of a query, or about all, on one arch if it is given."""
    return [
        one
        for id, rows in evidence.verdicts.judged.items()
        if wanted is None or id in wanted
        for one in rows
        if arch in ("", one.arch)
    ]


def _due(evidence: Evidence, wanted: Collection[str] | None) -> list[Due]:
    """The notes about tests of a query, or about all, whose issue is closed."""
    return [one for one in evidence.due if wanted is None or one.id in wanted]


def _lines(proposals: Sequence[Proposal]) -> Iterator[str]:
    for one in proposals:
        yield f"{one_line(one.id)} on {', '.join(one.archs)}: {', '.join(one.verdicts)}"
        yield f"  {one_line(one.why)}"
        if line := grade_line(one.grade, one.grade_why):
            yield f"  {line}"
        yield from (f"  {line}" for line in evidence_lines(one.facts or one.evidence))
        if one.issues:
            yield f"  issues: {', '.join(one.issues)}"
        if one.restore:
            yield f"  to be undone once {one.restore} is closed"
        for op in one.ops:
            value = "" if op.value is None else f" = {one_line(json.dumps(op.value, ensure_ascii=False))}"
            yield f"    {op.op} {'.'.join(op.path)}{value}".rstrip()


def _note(
    proposals: Sequence[Proposal], not_proposed: Sequence[NotProposed], file: str | None, context: Context
) -> None:
    by_reason: dict[str, list[NotProposed]] = {}
    for one in not_proposed:
        by_reason.setdefault(one.why, []).append(one)
    for why, cells in by_reason.items():
        if len(cells) > _MOST_LISTED:
            context.console.note(f"not proposed: {len(cells):,} cells: {one_line(why)}")
            continue
        for one in cells:
            context.console.note(f"not proposed: {one_line(one.id)} on {one.arch}: {one.verdict}: {one_line(why)}")
    lowered = sum(Verdict.PCC_TIGHT in one.verdicts and not one.issues for one in proposals)
    if lowered:
        subject = f"{counted(lowered, 'proposal')} lower{'s' if lowered == 1 else ''} a threshold without an issue"
        context.console.note(f"{subject}: --issue adds the stage INCORRECT_RESULT and a reason that links it")
    leaving = sum(bool(one.leaves) for one in proposals)
    summary = f"{counted(len(proposals), 'proposal')}, {len(not_proposed):,} not proposed"
    if leaving:
        summary += (
            f"; {counted(leaving, 'proposal')} would take tests out of CI: --keep-in-ci adds markers that keep them"
        )
    context.console.note(f"{summary}; written to {file}" if file else summary)
    if proposals:
        how = f"`ttmatrix apply {shlex.quote(file)} --commit --split cause` commits them" if file else _TO_A_FILE
        context.console.note(one_line(how))


_TO_A_FILE = "`-o FILE` writes them to a file, for `ttmatrix apply FILE`"


def _commit(context: Context) -> str:
    """The commit that is checked out; empty if there is none."""
    try:
        return Git(context.checkout.root).head_commit()
    except TTMatrixError:
        return ""
