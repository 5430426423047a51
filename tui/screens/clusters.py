# SPDX-License-Identifier: Apache-2.0
"""Clusters: failures with the same cause; one reason, one issue, one rerun and the proposals for all their tests."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from core.base.errors import UsageError
from core.base.text import counted, one_line
from core.edits import Operation
from core.edits.pending import Decision
from core.evidence import Page, page_of
from core.evidence.analysis import Cluster, ClusterCell, with_canonical, with_link
from core.evidence.proposals import Worklist, change_of
from core.issues import IssueState
from core.runs.planning import LaunchPlan
from tui.commands import Changes, Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import Ask, ask_to_start
from tui.screens.list_and_text import ListAndLines
from tui.view_models import cluster_rows, cluster_words, member_rows, member_words
from tui.widgets import RowTable, WordFilter

_OF_CELL = 8
"""Lines of what there is to say about one cell of a cluster."""


class Gathered(NamedTuple):
    """The clusters of a moment."""

    clusters: Sequence[Cluster]
    now: float
    """The moment that ages are counted to, in seconds since the epoch."""
    issues: Mapping[str, IssueState]


class ClustersScreen(ListAndLines[Cluster | ClusterCell]):
    """Clusters above, all about the one under the cursor below; enter shows its cells."""

    PLACES = (Where.CLUSTERS,)
    LONG = True
    PURPOSE = "Failures by their cause: since when, where, and in which entries."
    TEXT = "The cluster"

    def __init__(self, context: Context) -> None:
        table = RowTable(cluster_rows((), 0.0, {}), id="clusters")
        self.filter = WordFilter(table, self._filter_changed, "words of a reason, a test, an issue")
        super().__init__(context, table, filter=self.filter)
        self.read_when_seen(self._read_evidence, context.signals.matrix_changed, context.signals.evidence_changed)
        self._found: Gathered | None = None
        self._texts: Sequence[str] = ()
        """The text of each cluster in which the filter looks for words."""
        self._clusters: Sequence[Cluster] = ()
        """The clusters that match the filter."""
        self._entered = ""
        """The signature of the cluster whose members are listed."""

    def on_mount(self) -> None:
        self._say()

    def _read_evidence(self) -> None:
        # Keys wait for the first list: they are meant for its rows.
        first = self._found is None
        self.context.background.run("clusters", self._gather, self._take, supersede=True, lists=first)

    def _gather(self) -> tuple[Gathered, Sequence[str]]:
        evidence = self.session.look()
        found = Gathered(evidence.clusters, evidence.now, evidence.issue_states)
        return found, [_search_text(one) for one in found.clusters]

    def _take(self, gathered: tuple[Gathered, Sequence[str]]) -> None:
        self._found, self._texts = gathered
        self._narrow()
        self._show()

    # What is listed

    def _narrow(self) -> None:
        found = self._found.clusters if self._found else ()
        self._clusters = [one for one, text in zip(found, self._texts, strict=True) if self.filter.matches(text)]

    @property
    def cluster(self) -> Cluster | None:
        """The cluster under the cursor, or the one whose members are listed."""
        if self._entered:
            return next((one for one in self._clusters if one.signature == self._entered), None)
        return self.current if isinstance(self.current, Cluster) else None

    @property
    def member(self) -> ClusterCell | None:
        """The member under the cursor."""
        return self.current if isinstance(self.current, ClusterCell) else None

    def _show(self, keep: str | None = None) -> None:
        one, found = self.cluster, self._found
        if self._entered and one is not None:
            self.show_rows(member_rows(one.members), keep=keep)
        elif found is not None:
            self._entered = ""
            self.show_rows(cluster_rows(self._clusters, found.now, found.issues), keep=keep)
        if found is not None:
            none = "None is known: `ttmatrix ingest --from-github` downloads results of CI."
            self.say_when_empty("cluster", len(found.clusters), self.first_step(none))
            self.filter.note(counted(len(self._clusters), "cluster"))
        self._say()

    @property
    def lines_of_text(self) -> int:
        """There is less to say about a cell than about a cluster."""
        return _OF_CELL if self._entered else super().lines_of_text

    def _say(self) -> None:
        if self._found is None:
            self.title_line("reading the failures …")
            return
        one = self.cluster
        if self._entered and one is not None:
            self.title_line(f"{counted(len(one.members), 'cell')} of: {one_line(one.canonical)}")
            return
        whole = counted(len(self._found.clusters), "cluster")
        shown = f"{len(self._clusters):,} of {whole}" if self.filter.active else whole
        self.title_line(f"{shown} of failures")

    def show_text(self) -> None:
        if self.member is not None:
            self.say(member_words(self.member), indent=5)
        elif self.cluster is not None and self._found is not None:
            self.say(cluster_words(self.cluster, self._found.issues), indent=5)
        else:
            self.say(())

    # Moving

    @command(
        "clusters.enter",
        Where.CLUSTERS,
        "enter",
        "Members",
        "Show the cells of the cluster, then a test",
        footer=True,
        needs=Need.CLUSTER,
        hint=Hint("members", "{clusters.enter} lists its cells"),
    )
    def action_enter(self) -> None:
        """Into the cluster; from a member to its test."""
        if self.member is not None:
            self.go_to_test(self.member.id)
        elif (one := self.cluster) is not None:
            self._entered = one.signature
            self.table.cursor = 0
            self._show()

    def lacks(self, need: Need) -> bool:
        return self.cluster is None if need is Need.CLUSTER else super().lacks(need)

    def page(self) -> Callable[[], Page]:
        """The page of the newest result, of the member or of any in the cluster."""
        member, cluster = self.member, self.cluster
        cells = (member,) if member is not None else cluster.members if cluster is not None else ()
        return partial(page_of, [one.seen for one in cells])

    def close_one(self) -> bool:
        """First the cluster, then the filter."""
        if self._entered:
            keep, self._entered = self._entered, ""
            self._show(keep)
        elif self.filter.active:
            self.filter.clear()
        else:
            return False
        return True

    def _filter_changed(self) -> None:
        self._entered = ""
        self._narrow()
        self._show()

    # What is done with a cluster

    @command(
        "clusters.text",
        Where.CLUSTERS,
        "c",
        "One text",
        "Set one reason in all its entries",
        footer=True,
        needs=Need.CLUSTER,
        changes=Changes.EDITS,
    )
    def action_canonical(self) -> None:
        one = self.cluster
        if one is not None:
            body = f"For {counted(len(one.ids), 'test')}; links stay."
            self._ask_for("One reason for all of its entries", body, one, one.canonical, with_canonical)

    @command(
        "clusters.issue",
        Where.CLUSTERS,
        "i",
        "Issue",
        "Link an issue in entries without one",
        footer=True,
        needs=Need.CLUSTER,
        changes=Changes.EDITS,
    )
    def action_attach(self) -> None:
        one = self.cluster
        if one is not None:
            body = "For its entries without one: 123, tt-xla#123, owner/repository#123 or a URL."
            self._ask_for("Which issue?", body, one, one.issues[0] if one.issues else "", with_link)

    def _ask_for(self, title: str, body: str, one: Cluster, value: str, make: "_Make") -> None:
        def made(text: str) -> tuple[Operation, ...]:
            if operations := make(self.session.matrix, one, text):
                return operations
            raise UsageError("No change: every entry already has this value")

        question = Ask(title, body, value=value, verb="propose", check=made)

        def answered(text: str | None) -> None:
            if text:
                self.context.edits.propose(made(text), f"{title}: {text}")

        self.app.push_screen(question, answered)

    @command(
        "clusters.run",
        Where.CLUSTERS,
        "r",
        "Rerun one",
        "Run one of its cells on the device",
        footer=True,
        needs=Need.CLUSTER,
        changes=Changes.RUNS,
    )
    def action_rerun(self) -> None:
        """Run one of its cells on the device: the one under the cursor, else the first."""
        one = self.cluster
        if one is not None:
            member = self.member or one.members[0]
            cells, session = [(member.id, member.arch, 1)], self.session

            def plan() -> LaunchPlan:
                return session.look().plan_cells(cells)

            self.context.background.run("plan a rerun", plan, partial(ask_to_start, self), asks=True)

    @command(
        "clusters.propose",
        Where.CLUSTERS,
        "p",
        "Propose",
        "Add all its proposals to the pending changes",
        footer=True,
        needs=Need.CLUSTER,
        changes=Changes.EDITS,
    )
    def action_propose(self) -> None:
        """Add to the pending changes what results propose for its tests."""
        one = self.cluster
        if one is not None:
            self.context.background.run(
                "evidence", self.context.worklists.read, partial(self._propose, frozenset(one.ids))
            )

    def _propose(self, ids: frozenset[str], worklist: Worklist) -> None:
        pending = self.session.pending
        found = [change_of(proposal, pending) for proposal in worklist.proposals if proposal.id in ids]
        new = [change for change in found if not change.id]
        if new:
            self.context.edits.decide_proposals(Decision.UNDECIDED, new)
            review = self.context.keymap.key("app.review")
            added = counted(len(new), "proposal")
            self.context.notify.info(f"Added {added} to the pending changes. {review} reviews them.")
        else:
            none = "No result of its tests asks for a change of their entries."
            self.context.notify.info("All of its proposals are pending already." if found else none)

    @command(
        "clusters.copy",
        Where.CLUSTERS,
        "y",
        "Copy",
        "Copy the reason, or the id of a member",
        action="copy",
        needs=Need.CLUSTER,
    )
    def copied(self) -> str:
        if self.member is not None:
            return self.member.id
        return self.cluster.canonical if self.cluster is not None else ""


_Make = Callable[..., tuple[Operation, ...]]


def _search_text(one: Cluster) -> str:
    return " ".join((one.canonical, *one.issues, *one.stages, *one.archs, *one.texts, *one.ids)).lower()
