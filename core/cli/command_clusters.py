# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix clusters`: failures that are one, the issues that entries cite, and edits of all entries of a cluster."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.cli.cluster_report import tell_clusters, tell_issues
from core.cli.context import Context
from core.edits.operations import Operation, to_json
from core.errors import EXIT_OK, UsageError
from core.evidence.cluster_edits import with_canonical, with_link
from core.evidence.clusters import Cluster, find_clusters
from core.evidence.issue_states import IssueState, ask, citations, read_states
from core.files import atomic_write
from core.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="only these tests; see: ttmatrix list --help")
    parser.add_argument("--issues", action="store_true", help="list the issues that entries cite instead")
    parser.add_argument("--refresh", action="store_true", help="ask GitHub for the state of every issue, with gh")
    parser.add_argument("--cluster", metavar="TEXT", help="the one cluster with TEXT in its reason, with its members")
    parser.add_argument("--set-reason", metavar="REASON", help="of --cluster: operations that give all its entries it")
    parser.add_argument("--attach", metavar="ISSUE", help="of --cluster: operations that link entries without an issue")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the operations to FILE, for: ttmatrix apply FILE")


def execute(args: argparse.Namespace, context: Context) -> int:
    edits = args.set_reason is not None or args.attach is not None
    if edits and args.cluster is None:
        raise UsageError("Which cluster is meant?", "--set-reason and --attach are about one.", "Add --cluster TEXT.")
    if args.output and not edits:
        raise UsageError("-o takes operations", "Only --set-reason and --attach make some.")
    states = _states(args, context)
    if args.issues:
        tell_issues(citations(context.matrix, states), context.console)
        return EXIT_OK
    clusters = _chosen(context, " ".join(args.query))
    if args.cluster is not None:
        cluster = _the_one(clusters, args.cluster)
        if edits:
            _put_out(_operations(args, cluster, context), args.output, context)
            return EXIT_OK
        clusters = (cluster,)
    tell_clusters(clusters, states, context, members=args.cluster is not None)
    return EXIT_OK


def _states(args: argparse.Namespace, context: Context) -> Mapping[str, IssueState]:
    """What is known of issues; asked for only on request."""
    file = context.paths.issues_file
    if args.refresh:
        issues = [one.state.issue for one in citations(context.matrix, {})]
        return ask(file, issues, root=context.checkout.root)
    return read_states(file)


def _chosen(context: Context, query: str) -> tuple[Cluster, ...]:
    """The clusters, of the tests of `query` and the cells of `--arch` only."""
    wanted = context.ids_of(query)
    found = []
    for one in find_clusters(context.matrix, context.observations):
        members = [m for m in one.members if context.arch in ("", m.arch) and (wanted is None or m.id in wanted)]
        if members:
            found.append(replace(one, members=tuple(members)))
    return tuple(sorted(found, key=lambda one: -len(one.ids)))


def _the_one(clusters: Sequence[Cluster], text: str) -> Cluster:
    exact = [one for one in clusters if text in (one.canonical, one.signature)]
    found = exact or [one for one in clusters if text.lower() in f"{one.canonical} {one.signature}".lower()]
    if len(found) != 1:
        title = f"{len(found)} clusters have {text!r} in their reason" if found else f"No cluster has {text!r}"
        raise UsageError(title, "\n".join(one.canonical for one in (found or clusters)[:8]))
    return found[0]


def _operations(args: argparse.Namespace, cluster: Cluster, context: Context) -> tuple[Operation, ...]:
    if args.set_reason is not None and args.attach is not None:
        raise UsageError("--set-reason and --attach rewrite the same reasons", "Apply one, then ask for the other.")
    if args.attach is not None:
        return with_link(context.matrix, cluster, args.attach)
    return with_canonical(context.matrix, cluster, args.set_reason)


def _put_out(operations: Sequence[Operation], file: str | None, context: Context) -> None:
    if file is None:
        context.console.document(to_json(operations))
        return
    atomic_write(Path(file), json.dumps(to_json(operations), indent=2, ensure_ascii=False) + "\n")
    context.console.note(f"{counted(len(operations), 'operation')} in {file}")
    if context.console.json:
        context.console.document({"operations": len(operations), "file": file})
