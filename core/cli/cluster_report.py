# SPDX-License-Identifier: Apache-2.0
"""How clusters and issues are told: as tables for a person, and as JSON."""

import time
from collections.abc import Iterable, Mapping, Sequence

from core.cli.console import Console
from core.cli.context import Context
from core.errors import TTMatrixError
from core.evidence.clusters import Cluster, Member, oldest
from core.evidence.issue_states import Citation, IssueState, State
from core.text import counted

_SHOWN_ISSUES = 2
_TELLING = (State.CLOSED, State.MISSING)


def tell_clusters(
    clusters: Sequence[Cluster], states: Mapping[str, IssueState], context: Context, *, members: bool
) -> None:
    """The clusters, a line each, and with `members` the cells of the first one as well."""
    console, ages = context.console, _ages(context)
    if console.json:
        console.document([_document(one, ages, states) for one in clusters])
        return
    if clusters:
        header = ("tests", "archs", "stage", "oldest", "issue", "reason")
        console.table(header, (_cells(one, ages, states) for one in clusters))
    if members and clusters:
        console.line()
        console.table(("arch", "seen in", "test", "reason"), map(_member_cells, clusters[0].members))
    console.note(counted(len(clusters), "cluster"))


def tell_issues(found: Sequence[Citation], console: Console) -> None:
    """Every issue that entries cite, with what is known of it."""
    if console.json:
        console.document([_issue_document(one) for one in found])
        return
    if found:
        rows = ((str(len(one.ids)), one.state.state, one.state.issue, _title(one.state)) for one in found)
        console.table(("tests", "state", "issue", "title"), rows)
    asked = max((one.state.asked for one in found), default="")
    told = f"as of {asked}" if asked else "nobody has asked for their state: --refresh asks with gh"
    console.note(f"{counted(len(found), 'issue')}, {told}")


def _cells(one: Cluster, ages: Mapping[str, int], states: Mapping[str, IssueState]) -> tuple[str, ...]:
    days = oldest(one, ages)
    return (
        str(len(one.ids)),
        _counted(one.archs),
        _counted(one.stages),
        "" if days is None else f"{days}d",
        _issues(one, states),
        one.canonical,
    )


def _member_cells(member: Member) -> tuple[str, ...]:
    told = member.declared or (member.seen.reason if member.seen else "")
    return member.arch, member.seen.run if member.seen else "", member.id, told


def _issues(one: Cluster, states: Mapping[str, IssueState]) -> str:
    """The issues cited most; those that are no more open are told anyway."""
    shown = [issue for at, issue in enumerate(one.issues) if at < _SHOWN_ISSUES or _is_telling(issue, states)]
    more = len(one.issues) - len(shown)
    return " ".join((*(_issue(issue, states) for issue in shown), *([f"+{more}"] if more else [])))


def _is_telling(issue: str, states: Mapping[str, IssueState]) -> bool:
    return issue in states and states[issue].state in _TELLING


def _issue(issue: str, states: Mapping[str, IssueState]) -> str:
    return f"{issue} ({states[issue].state})" if _is_telling(issue, states) else issue


def _title(state: IssueState) -> str:
    return f"{state.title} (closed {state.closed})" if state.closed else state.title


def _counted(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name}:{count}" for name, count in counts.items())


def _document(one: Cluster, ages: Mapping[str, int], states: Mapping[str, IssueState]) -> dict[str, object]:
    return {
        "signature": one.signature,
        "reason": one.canonical,
        "tests": len(one.ids),
        "archs": one.archs,
        "stages": one.stages,
        "oldest_days": oldest(one, ages),
        "issues": [_state_document(states.get(issue, IssueState(issue))) for issue in one.issues],
        "texts": one.texts,
        "members": [
            {
                "id": member.id,
                "arch": member.arch,
                "declared": member.declared or None,
                "seen": {"run": member.seen.run, "reason": member.seen.reason} if member.seen else None,
                "stage": member.stage or None,
            }
            for member in one.members
        ],
    }


def _issue_document(one: Citation) -> dict[str, object]:
    cells: Iterable[tuple[str, str]] = one.cells
    return {**_state_document(one.state), "cells": [{"id": id, "arch": arch} for id, arch in cells]}


def _state_document(state: IssueState) -> dict[str, object]:
    return {
        "issue": state.issue,
        "state": state.state,
        "title": state.title or None,
        "closed": state.closed or None,
        "asked": state.asked or None,
    }


def _ages(context: Context) -> Mapping[str, int]:
    """For how many days each entry has had its status; nothing where git cannot tell."""
    from core.matrix.entry_age import ages

    try:
        return ages(context.history, time.time())
    except TTMatrixError:
        return {}
