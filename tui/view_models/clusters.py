# SPDX-License-Identifier: Apache-2.0
"""Clusters of failures as rows, and the cells of one."""

from collections.abc import Mapping, Sequence

from core.base.text import counted, one_line
from core.evidence.analysis import Cluster, ClusterCell
from core.issues import IssueState, State
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn, bringup_word
from tui.view_models.times import ago_text, moment_text

_GONE = (State.CLOSED, State.MISSING)


_CLUSTERS = (
    TableColumn("tests", 5, right=True),
    TableColumn("began", 10, right=True),
    TableColumn("in run", 18, yields=3, elide=True),
    TableColumn("stage", 10, yields=2),
    TableColumn("archs", 12, yields=4),
    TableColumn("issue", 14, yields=1),
    TableColumn("reason", 30, share=3),
)


def cluster_rows(clusters: Sequence[Cluster], now: float, issues: Mapping[str, IssueState]) -> Rows[Cluster]:
    """Clusters, with their age at the time `now`."""

    def cells(one: Cluster) -> Row:
        archs = " ".join(f"{arch} {count}" for arch, count in one.archs.items())
        stage = next((bringup_word(stage) for stage in one.stages), "")
        return (
            [Cell(f"{len(one.ids):,}")],
            [Cell(ago_text(one.first_bad.when if one.first_bad else None, now), "dim")],
            [Cell(one_line(one.first_bad.run) if one.first_bad else "", "dim")],
            [Cell(f"{stage}…" if len(one.stages) > 1 else stage)],
            [Cell(one_line(archs), "dim")],
            [_issue(one, issues)],
            [Cell(one_line(one.canonical))],
        )

    return Rows(clusters, _CLUSTERS, cells, key=lambda one: one.signature)


def _on(moment: float) -> str:
    return f", {moment_text(moment)}" if moment else ""


def _issue(one: Cluster, issues: Mapping[str, IssueState]) -> Cell:
    """The most cited issue; a closed or missing one in red."""
    gone = [issue for issue in one.issues if issue in issues and issues[issue].state in _GONE]
    if gone:
        return Cell(f"{_short(gone[0])} {issues[gone[0]].state}", "fail")
    more = f" +{len(one.issues) - 1}" if len(one.issues) > 1 else ""
    return Cell(f"{_short(one.issues[0])}{more}", "dim") if one.issues else Cell("none", "xfail")


_MEMBERS = (
    TableColumn("arch", 13),
    TableColumn("test", 30, share=2, elide=True, ids=True),
    TableColumn("seen in", 18, yields=2, elide=True),
    TableColumn("reason", 20, yields=1, share=2),
)


def member_rows(members: Sequence[ClusterCell]) -> Rows[ClusterCell]:
    """The cells of a cluster."""
    return Rows(members, _MEMBERS, _member_cells, key=lambda one: f"{one.arch} {one.id}", id=lambda one: one.id)


def _member_cells(one: ClusterCell) -> Row:
    reason = one.declared or (one.seen.reason if one.seen else "")
    return (
        [Cell(one_line(one.arch))],
        [Cell(one_line(one.id))],
        [Cell(one_line(one.seen.run) if one.seen else "")],
        [Cell(one_line(reason), "" if one.declared else "dim")],
    )


def cluster_words(one: Cluster, issues: Mapping[str, IssueState]) -> list[tuple[str, str]]:
    """Everything about a cluster, as lines with their styles."""
    seen = sum(member.seen is not None for member in one.members)
    declared = sum(bool(member.declared) for member in one.members)
    stages = ", ".join(f"{stage} {count}" for stage, count in one.stages.items())
    lines = [(one.canonical, "heading"), (f"{counted(len(one.ids), 'test')}, {counted(len(one.members), 'cell')}", "")]
    verb = "lists" if declared == 1 else "list"
    words = f"{counted(declared, 'cell')} {verb} this reason; {seen:,} failed this way in their latest run"
    lines.append((words, "dim"))
    if one.first_bad:
        since = f"since {one_line(one.first_bad.run)}{_on(one.first_bad.when)}"
        lines.append((f"{since}; {counted(one.lately, 'cell')} failed this way last night", "dim"))
    lines += [(f"stages: {stages}", "dim")] if stages else []
    lines += [_issue_words(issues.get(issue, IssueState(issue))) for issue in one.issues]
    lines.append((f"{counted(len(one.texts), 'reason text')} in the entries", "heading") if one.texts else ("", ""))
    lines += [(f"{count:>4,} {text}", "") for text, count in one.texts.items()]
    return lines


def member_words(one: ClusterCell) -> list[tuple[str, str]]:
    """Everything about one cell of a cluster, as lines with their styles."""
    lines = [(f"{one.id} on {one.arch}", "heading")]
    if one.seen is not None:
        lines.append((f"{one.seen.run} on {one.seen.host or 'unknown host'}: {one.seen.reason}", ""))
    if one.failure is not None:
        lines.append((f"fails this way since {one.failure.began.run}{_on(one.failure.began.when)}", "dim"))
    lines.append((f"entry: {one.declared}" if one.declared else "the entry has another reason, or none", "dim"))
    return lines


def _issue_words(state: IssueState) -> tuple[str, str]:
    known = "" if state.state is State.UNKNOWN else f" {state.state}"
    closed = f" since {state.closed}" if state.closed else ""
    title = f": {state.title}" if state.title else ""
    return f"{state.issue}{known}{closed}{title}", "error" if state.state in _GONE else "dim"


def _short(issue: str) -> str:
    """`tt-xla#12`, without the owner."""
    return issue.rpartition("/")[2]
