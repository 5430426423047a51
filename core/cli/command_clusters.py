# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix clusters`: failures with the same cause, the issues that entries cite, and edits of a whole cluster."""

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.base.errors import EXIT_OK, UsageError
from core.base.files import atomic_write
from core.base.text import counted, json_text
from core.cli import records
from core.cli.console import Console
from core.cli.context import Context
from core.edits import Operation, to_json
from core.edits.commit import issues_in
from core.evidence import page_of
from core.evidence.analysis import (
    Advice,
    CellFailure,
    Citation,
    Cluster,
    ClusterCell,
    IssueAdvice,
    citations,
    cluster_order,
    issue_advice,
    issue_link,
    noted_cells,
    with_canonical,
    with_link,
)
from core.issues import IssueState, State, ask

_SHOWN_ISSUES = 2
Cells = Sequence[tuple[str, str]]
"""Ids and archs."""
_NOT_OPEN = (State.CLOSED, State.MISSING)


def print_clusters(
    clusters: Sequence[Cluster], states: Mapping[str, IssueState], context: Context, *, members: bool
) -> None:
    """Print the clusters, one line each, and with `members` the cells of the first one."""
    console, now = context.console, time.time()
    if console.json:
        console.document([_document(one, now, states) for one in clusters])
        return
    if clusters:
        header = ("tests", "age", "since", "archs", "stage", "issue", "reason")
        console.table(header, (_cells(one, now, states) for one in clusters))
    if members and clusters:
        console.line()
        console.table(("arch", "since", "run", "test", "reason"), map(_member_cells, clusters[0].members))
        if page := _page(clusters[0]):
            console.line(f"newest job: {page}")
    console.note(counted(len(clusters), "cluster"))


def print_issues(
    found: Sequence[Citation], advice: Sequence[IssueAdvice], console: Console, noted: Mapping[str, Cells] = {}
) -> None:
    """Print every issue that entries cite, with its known state, and what is to be done about some.

    `noted` has the cells that are to be as before once an issue is closed.
    """
    if console.json:
        said = {one.state.issue: one for one in advice if one.advice is not Advice.RESTORE}
        issues = ((one, one.state.issue) for one in found)
        console.document([_issue_document(one, said.get(name), noted.get(name, ())) for one, name in issues])
        return
    if found:
        rows = ((str(len(one.ids)), one.state.state, one.state.issue, _title(one.state)) for one in found)
        console.table(("tests", "state", "issue", "title"), rows)
    for each in advice:
        tests = f" ({_tests(each.cells)})" if each.advice is Advice.RESTORE else ""
        console.line(f"{each.state.issue}: {each.advice}{tests}")
    for one in found:
        if one.state.issue in noted and one.state.state is not State.CLOSED:
            tests = _tests(noted[one.state.issue])
            console.line(f"{one.state.issue}: {tests} to be undone once it is closed; {one.state.words}")
    asked = max((one.state.asked for one in found), default="")
    known = f"as of {asked}" if asked else "their state is not known yet: --refresh asks GitHub"
    console.note(f"{counted(len(found), 'issue')}, {known}")


def _cells(one: Cluster, now: float, states: Mapping[str, IssueState]) -> tuple[str, ...]:
    days = one.age(now)
    return (
        str(len(one.ids)),
        "" if days is None else f"{days}d",
        one.first_bad.run if one.first_bad else "",
        _counted(one.archs),
        _counted(one.stages),
        _issues(one, states),
        one.canonical,
    )


def _member_cells(member: ClusterCell) -> tuple[str, ...]:
    reason = member.declared or (member.seen.reason if member.seen else "")
    since, run = (member.failure.began.run, member.failure.row.run) if member.failure else ("", "")
    return member.arch, since, run, member.id, reason


def _issues(one: Cluster, states: Mapping[str, IssueState]) -> str:
    """The issues cited most, and any that is closed or missing."""
    shown = [issue for at, issue in enumerate(one.issues) if at < _SHOWN_ISSUES or _is_not_open(issue, states)]
    more = len(one.issues) - len(shown)
    return " ".join((*(_issue(issue, states) for issue in shown), *([f"+{more}"] if more else [])))


def _is_not_open(issue: str, states: Mapping[str, IssueState]) -> bool:
    return issue in states and states[issue].state in _NOT_OPEN


def _issue(issue: str, states: Mapping[str, IssueState]) -> str:
    return f"{issue} ({states[issue].state})" if _is_not_open(issue, states) else issue


def _title(state: IssueState) -> str:
    return f"{state.title} (closed {state.closed})" if state.closed else state.title


def _counted(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name}:{count}" for name, count in counts.items())


def _document(one: Cluster, now: float, states: Mapping[str, IssueState]) -> records.Cluster:
    return records.Cluster(
        signature=one.signature,
        reason=one.canonical,
        tests=len(one.ids),
        archs=one.archs,
        stages=one.stages,
        oldest_days=one.age(now),
        since=one.first_bad.run if one.first_bad else None,
        failed_lately=one.lately,
        issues=[_state_document(states.get(issue, IssueState(issue))) for issue in one.issues],
        texts=one.texts,
        url=_page(one) or None,
        members=[
            records.ClusterMember(
                id=member.id,
                arch=member.arch,
                declared=member.declared or None,
                seen=_seen(member.failure) if member.failure else None,
                stage=member.stage or None,
            )
            for member in one.members
        ],
    )


def _tests(cells: Cells) -> str:
    return counted(len({id for id, _ in cells}), "test")


def _seen(failure: CellFailure) -> records.SeenFailure:
    row = failure.row
    return records.SeenFailure(run=row.run, reason=row.reason, since=failure.began.run, url=page_of([row]).url or None)


def _page(one: Cluster) -> str:
    return page_of([member.seen for member in one.members]).url


def _issue_document(one: Citation, said: IssueAdvice | None, noted: Cells) -> records.CitedIssue:
    return _state_document(one.state).extended(
        records.CitedIssue,
        cells=_cells_document(one.cells),
        advice=None if said is None else records.IssueAdvice(advice=said.advice, cells=_cells_document(said.cells)),
        noted=_cells_document(noted),
    )


def _cells_document(cells: Iterable[tuple[str, str]]) -> list[records.Cell]:
    return [records.Cell(id=id, arch=arch) for id, arch in cells]


def _state_document(state: IssueState) -> records.Issue:
    return records.Issue(
        issue=state.issue,
        state=state.state,
        title=state.title or None,
        closed=state.closed or None,
        asked=state.asked or None,
    )


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="only these tests; the query language is in: ttmatrix list --help"
    )
    parser.add_argument("--issues", action="store_true", help="list the issues that entries cite, instead of clusters")
    parser.add_argument("--refresh", action="store_true", help="ask GitHub, with gh, for the state of cited issues")
    parser.add_argument(
        "--forget", metavar="ISSUE", help="drop the notes that edits are to be undone once ISSUE is closed"
    )
    parser.add_argument("--cluster", metavar="TEXT", help="only the cluster with TEXT in its reason, with its members")
    parser.add_argument(
        "--set-reason", metavar="REASON", help="with --cluster: make operations that set REASON in all its entries"
    )
    parser.add_argument(
        "--attach", metavar="ISSUE", help="with --cluster: make operations that add ISSUE to reasons without an issue"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the operations to FILE; then: ttmatrix apply FILE"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    edits = args.set_reason is not None or args.attach is not None
    if edits and args.cluster is None:
        raise UsageError("No cluster is named", "--set-reason and --attach edit one cluster.", "Add --cluster TEXT.")
    if args.output and not edits:
        raise UsageError("-o is for operations", "Only --set-reason and --attach make operations.")
    if args.forget is not None:
        _forget(args.forget, context)
    states = _states(args, context)
    if args.issues:
        found = citations(context.matrix, states, context.workspace.reminders)
        advice = issue_advice(context.matrix, found, context.evidence.verdicts.of_cell, context.workspace.reminders)
        print_issues(found, advice, context.console, noted_cells(context.matrix, context.workspace.reminders))
        return EXIT_OK
    clusters = _chosen(context, " ".join(args.query))
    if args.cluster is not None:
        cluster = _the_one(clusters, args.cluster)
        if edits:
            _output(_operations(args, cluster, context), args.output, context)
            return EXIT_OK
        clusters = (cluster,)
    print_clusters(clusters, states, context, members=args.cluster is not None)
    return EXIT_OK


def _forget(text: str, context: Context) -> None:
    (issue,) = issues_in(issue_link(text))
    dropped = [one for one in context.workspace.reminders if one.restore == issue]
    if not dropped:
        raise UsageError(f"No note waits for {issue}", hint="ttmatrix clusters --issues lists those that wait.")
    context.workspace.bench.forget(issue)
    context.console.note(f"{counted(len(dropped), 'note')} about {issue} dropped")


def _states(args: argparse.Namespace, context: Context) -> Mapping[str, IssueState]:
    """The known states of issues; GitHub is asked only with --refresh."""
    if args.refresh:
        cited = [one.state.issue for one in citations(context.matrix, {}, context.workspace.reminders)]
        by_tests = (issue for one in context.workspace.blames for issue in one.issues)
        issues = dict.fromkeys([*cited, *by_tests])
        return ask(context.paths.issues_file, issues, root=context.checkout.root)
    return context.evidence.issue_states


def _chosen(context: Context, query: str) -> tuple[Cluster, ...]:
    """The clusters, of the tests of `query` and the cells of `--arch` only."""
    wanted = context.ids_of(query)
    found = []
    for one in context.evidence.clusters:
        members = [m for m in one.members if context.arch in ("", m.arch) and (wanted is None or m.id in wanted)]
        if members:
            found.append(replace(one, members=tuple(members)))
    return tuple(sorted(found, key=cluster_order))


def _the_one(clusters: Sequence[Cluster], text: str) -> Cluster:
    exact = [one for one in clusters if text in (one.canonical, one.signature)]
    found = exact or [one for one in clusters if text.lower() in f"{one.canonical} {one.signature}".lower()]
    if len(found) != 1:
        title = (
            f"{counted(len(found), 'cluster')} have {text!r} in their reason" if found else f"No cluster has {text!r}"
        )
        raise UsageError(title, "\n".join(one.canonical for one in (found or clusters)[:8]))
    return found[0]


def _operations(args: argparse.Namespace, cluster: Cluster, context: Context) -> tuple[Operation, ...]:
    if args.set_reason is not None and args.attach is not None:
        raise UsageError("--set-reason and --attach edit the same reasons", "Apply one of them, then use the other.")
    if args.attach is not None:
        return with_link(context.matrix, cluster, args.attach)
    return with_canonical(context.matrix, cluster, args.set_reason)


def _output(operations: Sequence[Operation], file: str | None, context: Context) -> None:
    if file is None:
        context.console.document(to_json(operations))
        return
    atomic_write(Path(file), json_text(to_json(operations)) + "\n")
    context.console.note(f"{counted(len(operations), 'operation')} in {file}")
    if context.console.json:
        context.console.document(records.OperationsWritten(operations=len(operations), file=file))
