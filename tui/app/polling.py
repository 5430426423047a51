# SPDX-License-Identifier: Apache-2.0
"""Looks every half second, in a thread, at what other processes do: runs, results, another instance's decisions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from textual.app import App

from core import evidence, hosts
from core.errors import TTMatrixError
from core.runs import cluster
from core.sources import Stamps, all_unchanged
from tui import view_models
from tui.app.bridge import Repeating
from tui.app.facts import FactRequests
from tui.app.notifications import Notifications
from tui.protocol import Background, Edits, Signals
from tui.session import Aged, Session

if TYPE_CHECKING:
    from core.hosts import Host
    from core.runs.cluster import Cluster, ClusterStatus
    from core.runs.store import RunRecord

_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look has found. Where nothing has changed, lists and error are the very ones of the look before."""

    all_runs: list[RunRecord]
    """Of every checkout, newest first."""
    runs: list[RunRecord]
    """Those of this checkout."""
    repository: str
    """By which first commit they were chosen."""
    error: TTMatrixError | None
    """Why the runs cannot be read."""
    commit_changed: bool
    """Another commit is checked out than the ages of runs were counted from."""
    evidence: object
    """Another value as soon as there are more results."""
    decisions: int
    """How often another instance has changed the pending changes."""
    hosts: tuple[Host, ...] = ()
    """Those of the hosts file."""
    cluster: ClusterStatus | None = None
    """How those are that are up; None: none is to be."""
    lease_title: str = ""
    """What is said of the time that is left."""
    lease_warnings: tuple[str, ...] = ()


class Looker:
    """Looks at the disk. Used by one thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen = Seen(session.all_runs, session.runs, session.repository, None, False, None, 0)
        self._hosts_file = hosts.HostsFile(session.paths.hosts_file)
        self._cluster: Cluster | None = None
        self.heads: Stamps = {}
        """The files that change with another commit, as they were when the ages were read; none while they are."""

    def look(self) -> Seen:
        """All that can have changed."""
        session, before = self._session, self._seen
        all_runs, runs, repository, error = self._runs(before)
        file = evidence.store_file(session.paths.evidence, session.checkout.root)
        decisions = before.decisions + session.bench.catch_up()
        changed = not all_unchanged(self.heads)
        results, known = evidence.evidence_stamp(file, runs), tuple(self._hosts_file.look().values())
        status = self._status() if any(not one.here for one in known) else None
        # Here, so that it is another value as time goes by.
        now = datetime.fromtimestamp(time.time(), UTC)
        title, warnings = view_models.leases_words(known, status, now) if known else ("", ())
        found = (all_runs, runs, repository, error, changed, results, decisions, known, status, title, warnings)
        self._seen = Seen(*found)
        return self._seen

    def _status(self) -> ClusterStatus | None:
        # Who has no hosts loads nothing of this.
        self._cluster = self._cluster or cluster.Cluster()
        return self._cluster.status()

    def _runs(self, before: Seen) -> tuple[list[RunRecord], list[RunRecord], str, TTMatrixError | None]:
        repository = self._session.repository
        try:
            records = self._session.store.records()
        except TTMatrixError as error:
            same = before.error is not None and before.error.title == error.title
            return before.all_runs, before.runs, before.repository, before.error if same else error
        if records == before.all_runs and repository == before.repository:
            return before.all_runs, before.runs, repository, None
        return records, self._session.of_checkout(records), repository, None


class Polling:
    """Takes in what the looks find. With 10,000 runs one takes 0.1 s of a processor: too long between two frames."""

    def __init__(
        self,
        app: App[Any],
        session: Session,
        signals: Signals,
        notify: Notifications,
        background: Background,
        facts: FactRequests,
        edits: Edits,
    ) -> None:
        self._session = session
        self._signals = signals
        self._notify = notify
        self._background = background
        self._facts = facts
        self._edits = edits
        self._looker = Looker(session)
        self._rounds = Repeating(app, "polling", _SECONDS, self._looker.look, self._take)
        self._taken: Seen | None = None
        """What was taken in last."""
        self._warned: frozenset[str] = frozenset()
        """What was last said of the time that is left."""
        self._unfinished: set[str] = set()
        """Batches that went on, or were started here, and whose end was not announced yet."""

    def start(self) -> None:
        """Look now, and from then on again and again."""
        self._rounds.start()

    def stop(self) -> None:
        """Look no more."""
        self._rounds.stop()

    def now(self) -> None:
        """Look without waiting: something is known to have changed."""
        self._rounds.now()

    def expect_end(self, started: Sequence[RunRecord]) -> None:
        """Announce when the last of these runs has ended."""
        self._unfinished |= {record.spec.batch for record in started}
        self.now()
        self._announce_end()

    def _take(self, seen: Seen) -> None:
        before, self._taken = self._taken, seen
        if seen.error is None:
            self._take_runs(before, seen)
        elif before is None or seen.error is not before.error:
            # Shown once: it comes again with every look until somebody solves it.
            self._notify.error(seen.error)
        if before is None or seen.evidence != before.evidence:
            self._signals.evidence_changed.publish(None)
            self._facts.read_verdicts()
        if before is not None and seen.decisions != before.decisions:
            self._edits.refresh()
        self._take_hosts(before, seen)
        self._take_leases(seen)

    def _take_hosts(self, before: Seen | None, seen: Seen) -> None:
        """Show how the hosts are, and say so where one is lost or comes back."""
        session = self._session
        if (session.hosts, session.cluster) == (seen.hosts, seen.cluster):
            return
        session.hosts, session.cluster = seen.hosts, seen.cluster
        for words in view_models.host_news(before.cluster if before else None, seen.cluster):
            self._notify.attract(words)
        self._signals.hosts_changed.publish(None)

    def _take_leases(self, seen: Seen) -> None:
        """Show the time that is left, and warn where it becomes short."""
        title, warnings = seen.lease_title, seen.lease_warnings
        if title != self._session.lease_text:
            self._session.lease_text = title
            self._signals.lease_changed.publish(None)
        for warning in warnings:
            if warning not in self._warned:
                self._notify.attract(warning)
        self._warned = frozenset(warnings)

    def _take_runs(self, before: Seen | None, seen: Seen) -> None:
        session = self._session
        if before is None:
            # Runs that were left waiting by a scheduler that is gone go on.
            self._background.run("tend", session.tend, lambda _: None)
        if seen.runs is not session.runs or seen.all_runs is not session.all_runs:
            session.all_runs, session.runs = seen.all_runs, seen.runs
            self._unfinished |= {record.spec.batch for record in seen.runs if record.active}
            self._runs_changed()
            self.read_ages()
        elif seen.commit_changed:
            self.read_ages()
        self._announce_end()

    def _runs_changed(self) -> None:
        self._signals.runs_changed.publish(None)
        self._facts.runs_changed()

    def read_ages(self) -> None:
        """Find out in the background how far the trees of runs are from the present one."""
        session = self._session

        def take(aged: Aged) -> None:
            self._looker.heads = aged.heads
            if (session.repository, session.ages) != (aged.repository, aged.ages):
                session.repository, session.ages = aged.repository, aged.ages
                # Which runs belong to the checkout is known better now.
                self.now()
                self._runs_changed()

        if session.all_runs:
            self._looker.heads = {}
            self._background.run("ages", session.read_ages, take, supersede=True)

    def _announce_end(self) -> None:
        """Say so once the last of the runs that went on has ended."""
        records = self._session.runs
        if not self._unfinished or any(record.active for record in records):
            return
        if ended := [record for record in records if record.spec.batch in self._unfinished]:
            self._unfinished.clear()
            self._notify.attract(view_models.ended_words(ended))
