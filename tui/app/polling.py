# SPDX-License-Identifier: Apache-2.0
"""Checks every half second, in a thread, what other processes did: runs, results, another instance's decisions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.app import App

from core import evidence, hosts, sources
from core.base.errors import TTMatrixError
from core.base.settings import Settings, SettingsFile
from core.base.text import one_line
from core.evidence import nightly
from core.runs import cluster, planning
from core.sources import Stamps, all_unchanged, stamp_of
from tui import view_models
from tui.app.bridge import Repeating
from tui.app.facts import FactRequests
from tui.app.notifications import Notifications
from tui.protocol import Background, Edits, Signals
from tui.session import Aged, Session

if TYPE_CHECKING:
    from pathlib import Path

    from core.evidence import CiRun
    from core.hosts import Host, HostsFile
    from core.runs.cluster import Cluster, ClusterStatus
    from core.runs.planning import Course
    from core.runs.store import RunRecord
    from core.sources import OtherModels

_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Seen:
    """The findings of one look. Unchanged lists and errors are the identical objects of the previous look."""

    all_runs: list[RunRecord]
    """Runs of every checkout, newest first."""
    runs: list[RunRecord]
    """Runs of this checkout."""
    repository: str
    """The first commit by which they were chosen."""
    error: TTMatrixError | None
    """Why the runs cannot be read."""
    commit_changed: bool
    """Whether another commit is checked out than the one that the ages of runs refer to."""
    evidence: object
    """A value that changes when there are new results."""
    decisions: int
    """A count of changes to the pending changes by other instances."""
    hosts: tuple[Host, ...] = ()
    """The hosts of the hosts file."""
    cluster: ClusterStatus | None = None
    """The state of hosts that are up; None: none should be."""
    lease_title: str = ""
    """Title text about the time left."""
    lease_warnings: tuple[str, ...] = ()
    night: CiRun | None = None
    """The newest nightly that was read."""
    freshness: str = ""
    """How old it is."""
    branch: str = ""
    """The branch that is checked out."""
    other_models: OtherModels | None = None
    """The commits, if other models are checked out than are recorded."""
    course: Course | None = None
    """The course of the batches of this checkout that go on."""
    going: str = ""
    """Their progress in words."""
    settings: Settings | TTMatrixError | None = None
    """The settings file as last changed, or why it cannot be read; None: it was not changed."""


class Looker:
    """Looks at the disk. Used by one thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen = Seen(session.all_runs, session.runs, session.repository, None, False, None, 0)
        self._cluster: Cluster | None = None
        self._settings_file = SettingsFile(session.paths.settings_file)
        self._course: tuple[Sequence[RunRecord], Course] | None = None
        """With the runs that it is of."""
        self._night: tuple[object, CiRun | None, CiRun | None, float | None] | None = None
        """The newest nightly, the one that is running, and the time of the newest report, with the state of the store
        in which they were."""
        self._models: tuple[Stamps, OtherModels | None] | None = None
        """Whether the models are those that are recorded, with the files that decide it as they were then."""
        self.heads: Stamps = {}
        """The files that change with the commit, as they were when the ages were read; empty while that is going on."""

    @cached_property
    def _hosts_file(self) -> HostsFile:
        # Made in the thread, not before the first frame: it takes 2 ms to load what it needs.
        return hosts.HostsFile(self._session.paths.hosts_file)

    def look(self) -> Seen:
        """Read everything that can have changed."""
        session, before = self._session, self._seen
        all_runs, runs, repository, error = self._runs(before)
        file = evidence.store_file(session.paths.evidence, session.checkout.root)
        decisions = before.decisions + session.bench.catch_up()
        changed = not all_unchanged(self.heads)
        results, known = evidence.evidence_stamp(file, runs), tuple(self._hosts_file.look().values())
        status = self._status() if any(not one.here for one in known) else None
        # Computed here, since it changes with time.
        now = datetime.fromtimestamp(time.time(), UTC)
        title, warnings = view_models.leases_words(known, status, now) if known else ("", ())
        night, running, report = self._newest(file)
        fresh = nightly.freshness(night, running, report, now.timestamp())
        found = (all_runs, runs, repository, error, changed, results, decisions, known, status, title, warnings)
        branch, models, course = session.workspace.branch, self._other_models(), self._course_of(runs)
        going = view_models.far_words(course.at(time.time()))
        self._seen = Seen(*found, night, fresh, branch, models, course, going, self._settings() or before.settings)
        return self._seen

    def _other_models(self) -> OtherModels | None:
        """Git is asked only when another commit was checked out, or recorded."""
        stamps = self._session.workspace.pin_stamps
        if self._models is None or self._models[0] != stamps:
            self._models = stamps, sources.other_models(self._session.checkout)
        return self._models[1]

    def _course_of(self, records: list[RunRecord]) -> Course:
        """The course of runs, which are gone through only when they are other ones."""
        if self._course is None or records is not self._course[0]:
            self._course = records, planning.course_of(records)
        return self._course[1]

    def _newest(self, store: Path) -> tuple[CiRun | None, CiRun | None, float | None]:
        """The newest nightly, the one that is running, and the time of the newest report.

        The store is read only when it has changed.
        """
        stamp = stamp_of(store)
        if self._night is None or self._night[0] != stamp:
            runs: Sequence[CiRun] = ()
            running: Sequence[CiRun] = ()
            reports: Mapping[str, float] = {}
            with suppress(TTMatrixError):
                # What needs its results says what is wrong.
                results = evidence.evidence_store(self._session.checkout, self._session.paths)
                known = evidence.CiStore(results)
                runs, running, reports = known.runs(), known.running(), results.runs()
            newest, going = map(nightly.newest_night, (runs, running))
            self._night = stamp, newest, going, max(reports.values(), default=None)
        return self._night[1:]

    def _settings(self) -> Settings | TTMatrixError | None:
        try:
            return self._settings_file.changed()
        except TTMatrixError as error:
            return error

    def _status(self) -> ClusterStatus | None:
        # Without hosts, load nothing of this.
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
    """Processes the findings of looks. With 10,000 runs a look takes 0.1 s of CPU: too long between two frames."""

    def __init__(
        self,
        app: App[Any],
        session: Session,
        signals: Signals,
        notify: Notifications,
        background: Background,
        facts: FactRequests,
        edits: Edits,
        night_key: str,
    ) -> None:
        """`night_key` shows the nightly."""
        self._session = session
        self._signals = signals
        self._notify = notify
        self._background = background
        self._facts = facts
        self._edits = edits
        self._night_key = night_key
        self._looker = Looker(session)
        self._rounds = Repeating(app, "polling", _SECONDS, self._looker.look, self.take)
        self.taken: Seen | None = None
        """The findings processed last."""
        self._warned: frozenset[str] = frozenset()
        """The last warnings about the time left."""
        self._ahead: set[str] = set()
        """Runs that were listed ahead of the next look, which may have begun before them."""
        self._unfinished: set[str] = set()
        """Batches that were running or were started here, and whose end was not announced yet."""

    def start(self) -> None:
        """Look now, and repeatedly from then on."""
        self._rounds.start()

    def stop(self) -> None:
        """Stop looking."""
        self._rounds.stop()

    def now(self) -> None:
        """Look without waiting: something is known to have changed."""
        self._rounds.now()

    def take_started(self, started: Sequence[RunRecord]) -> None:
        """List these runs, oldest first, at once, and announce when the last of them has ended."""
        session = self._session
        listed = {record.spec.run_id for record in session.all_runs}
        new = [record for record in reversed(started) if record.spec.run_id not in listed]
        session.all_runs, session.runs = [*new, *session.all_runs], [*new, *session.runs]
        session.course = planning.course_of(session.runs)
        session.going = view_models.far_words(session.course.at(time.time()))
        self._ahead = {record.spec.run_id for record in new}
        if started:
            session.last_started = started[0].spec.run_id
        self._runs_changed()
        self._unfinished |= {record.spec.batch for record in started}
        self.now()
        self._announce_end()

    def take(self, seen: Seen) -> None:
        """Show what a look has found."""
        before, self.taken = self.taken, seen
        if seen.error is None:
            self._take_runs(before, seen)
        elif before is None or seen.error is not before.error:
            # Shown once: it comes again with every look until somebody solves it.
            self._notify.error(seen.error)
        if before is None or seen.evidence != before.evidence:
            self._signals.evidence_changed.publish(None)
            self._facts.read_verdicts()
            if before is not None:
                self._facts.results_changed()
        if seen.decisions != (0 if before is None else before.decisions):
            self._edits.refresh()
        if seen.settings is not None and (before is None or seen.settings is not before.settings):
            self._take_settings(seen.settings)
        self._take_hosts(before, seen)
        self._take_leases(seen)
        self._take_night(before, seen)

    def _take_settings(self, found: Settings | TTMatrixError) -> None:
        """Use changed settings, such as a profile that was added; those for the start of the app wait for the next."""
        if isinstance(found, TTMatrixError):
            self._notify.warn(found)
        else:
            self._session.settings = replace(found, ops_dirs=self._session.settings.ops_dirs)

    def _take_hosts(self, before: Seen | None, seen: Seen) -> None:
        """Show the state of hosts, and report those that are lost or come back."""
        session = self._session
        if (session.hosts, session.cluster) == (seen.hosts, seen.cluster):
            return
        session.hosts, session.cluster = seen.hosts, seen.cluster
        for words in view_models.host_news(before.cluster if before else None, seen.cluster):
            self._notify.attract(words)
        self._signals.hosts_changed.publish(None)

    def _take_leases(self, seen: Seen) -> None:
        """Show the branch, other models and the time left, and warn of these once and when the time becomes short."""
        session, warnings = self._session, seen.lease_warnings
        known = session.branch, session.lease_text, session.other_models
        if known != (seen.branch, seen.lease_title, seen.other_models):
            session.branch, session.lease_text, session.other_models = seen.branch, seen.lease_title, seen.other_models
            self._signals.identity_changed.publish(None)
            if seen.other_models is not None and seen.other_models != known[2]:
                self._notify.warn(TTMatrixError(seen.other_models.text, hint=seen.other_models.remedy))
        for warning in warnings:
            if warning not in self._warned:
                self._notify.attract(warning)
        self._warned = frozenset(warnings)

    def _take_night(self, before: Seen | None, seen: Seen) -> None:
        """Show how old the newest night is, and announce a newer one, once."""
        session = self._session
        if (session.night, session.freshness) == (seen.night, seen.freshness):
            return
        if seen.night is not None and seen.night != session.night:
            # Before anybody opens its screen.
            self._background.run("newest night ahead", session.ci.newest_night, lambda _: None, supersede=True)
        session.night, session.freshness = seen.night, seen.freshness
        self._signals.freshness_changed.publish(None)
        newest = before.night if before is not None else seen.night
        if seen.night is not None and before is not None and (newest is None or seen.night.created > newest.created):
            self._notify.attract(f"{one_line(seen.night.name)} has been read. {self._night_key} shows it.")

    def _take_runs(self, before: Seen | None, seen: Seen) -> None:
        session = self._session
        if before is None:
            # Resume runs that were queued by a scheduler that no longer exists.
            self._background.run("tend", session.tend, lambda _: None)
        ahead, self._ahead = self._ahead, set()
        if ahead.difference(record.spec.run_id for record in seen.all_runs):
            # Another look follows: taking this one would unlist them until then.
            return
        went, session.going = session.going, seen.going
        if seen.runs is not session.runs or seen.all_runs is not session.all_runs:
            session.all_runs, session.runs, session.course = seen.all_runs, seen.runs, seen.course
            self._unfinished |= {record.spec.batch for record in seen.runs if record.active}
            self._runs_changed()
            self.read_ages()
        elif seen.commit_changed:
            self.read_ages()
        elif went != session.going:
            self._signals.identity_changed.publish(None)
        self._announce_end()

    def _runs_changed(self) -> None:
        self._signals.runs_changed.publish(None)
        self._facts.results_changed()

    def read_ages(self) -> None:
        """Find out in the background how the trees of runs differ from the current one."""
        session = self._session

        def take(aged: Aged) -> None:
            self._looker.heads = aged.heads
            if (session.repository, session.ages) != (aged.repository, aged.ages):
                session.repository, session.ages = aged.repository, aged.ages
                # It is known more precisely now which runs belong to the checkout.
                self.now()
                self._runs_changed()

        if session.all_runs:
            self._looker.heads = {}
            self._background.run("ages", session.read_ages, take, supersede=True)

    def _announce_end(self) -> None:
        """Announce when the last of the running runs has ended."""
        records = self._session.runs
        if not self._unfinished or any(record.active for record in records):
            return
        if ended := [record for record in records if record.spec.batch in self._unfinished]:
            self._unfinished.clear()
            self._notify.attract(view_models.ended_words(ended))
