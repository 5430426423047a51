# SPDX-License-Identifier: Apache-2.0
"""How many entries had which status, over the commits of a checkout's history."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import groupby

from core.domain.model import Entry, Status
from core.history.diff import Fields
from core.history.history import History
from core.history.pairing import EntryEdit, Location
from core.history.timelines import Step, Timeline
from core.matrix import cells_of, status_on
from core.sources import Commit, Edge

Counts = Mapping[tuple[str, Status], int]
"""Number of entries by series (such as an arch) and status."""

Split = Callable[[str, Entry], Iterable[tuple[str, Status]]]
"""The counts that an entry adds one to. Takes its id, the present one or the last one, and the entry as it was."""


class Every(StrEnum):
    """The interval of the points; each shows the last commit of its period."""

    COMMIT = "commit"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Point:
    """The state after one commit."""

    commit: Commit
    counts: Counts


def by_status(_: str, entry: Entry) -> Iterator[tuple[str, Status]]:
    """One series: entries by their status without an arch. An id in two files counts as two entries."""
    yield "", status_on(entry, None)


def by_arch(archs: tuple[str, ...]) -> Split:
    """A series for each arch: entries by their status there, where their tests carry its marker (docs/rules.md 3.1)."""

    def split(_: str, entry: Entry) -> Iterator[tuple[str, Status]]:
        cells = cells_of(entry, archs)
        yield from ((arch, status) for arch, status in zip(archs, cells.statuses, strict=True) if arch in cells.marked)

    return split


def by_group(group_of: Callable[[str], str]) -> Split:
    """A series for each group of models: entries by their status without an arch."""

    def split(id: str, entry: Entry) -> Iterator[tuple[str, Status]]:
        yield group_of(id), status_on(entry, None)

    return split


def trend(history: History, split: Split, every: Every = Every.COMMIT) -> tuple[Point, ...]:
    """The counts after each first-parent commit, oldest first."""
    points = reversed([*_backwards(history, split)])
    of_periods = groupby(points, key=lambda point: _period(point.commit, every))
    return tuple([*group][-1] for _, group in of_periods)


_WEEK = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Week:
    """The entries at the end of a week, or now."""

    end: float
    """In seconds since the epoch."""
    counts: Mapping[Status, int]

    @property
    def not_passing(self) -> int:
        """How many entries do not expect a pass: the work left to do."""
        return sum(count for status, count in self.counts.items() if status is not Status.EXPECTED_PASSING)


def weeks(history: History, now: float, number: int = 12) -> tuple[Week, ...]:
    """How many entries had which status at the end of each of the last weeks, oldest first; the last one ends `now`.

    A week without a commit repeats the one before; weeks before the clone's first commit have no counts. Uncommitted
    changes are left out.
    """
    points = trend(history, by_status)
    found = []
    for back in reversed(range(number)):
        end = now - back * _WEEK
        last = next((point for point in reversed(points) if point.commit.time <= end), None)
        counts = {status: count for (_, status), count in last.counts.items()} if last else {}
        found.append(Week(end, counts))
    return tuple(found)


def _backwards(history: History, split: Split) -> Iterator[Point]:
    """The points from the newest back to the first, computed by undoing each commit's edits from the state on disk."""
    state = _State(split)
    for file in history.matrix.files:
        for entry in file.entries:
            state.put(Location(file.name, entry.id), entry.fields, entry.id)
    for edit in history.unseen:
        if edit.after is not None and edit.new is not None:
            state.put(edit.after, edit.new, edit.after.id)
    state.undo(history.uncommitted)
    commits = {commit.id: commit for commit in history.committed.commits}
    commit = next(iter(history.committed.commits), None)
    while commit is not None:
        yield Point(commit, +state.counts)
        parent = commit.parents[0] if commit.parents else ""
        state.undo(history.committed.edits[Edge(commit.id, parent)])
        commit = commits.get(parent)


class _State:
    """The entries as of one commit, and their counts."""

    def __init__(self, split: Split) -> None:
        self.counts: Counter[tuple[str, Status]] = Counter()
        self._split = split
        self._names: dict[Location, str] = {}
        self._fields: dict[Location, Fields] = {}

    def put(self, place: Location, fields: Fields, name: str) -> None:
        if place in self._fields:
            self.take(place)
        self._names[place], self._fields[place] = name, fields
        self.counts.update(self._split(name, _entry(place, fields)))

    def take(self, place: Location) -> str:
        name, fields = self._names.pop(place), self._fields.pop(place)
        self.counts.subtract(self._split(name, _entry(place, fields)))
        return name

    def undo(self, edits: Iterable[EntryEdit]) -> None:
        """Undo the edits of a commit."""
        came = [(edit, self.take(edit.after) if edit.after else "") for edit in edits]
        for edit, name in came:
            if edit.before is not None and edit.old is not None:
                self.put(edit.before, edit.old, name or edit.before.id)


def _entry(place: Location, fields: Fields) -> Entry:
    return Entry(place.id, place.file, 0, 0, fields)


def _period(commit: Commit, every: Every) -> object:
    when = datetime.fromtimestamp(commit.time, UTC).date()
    match every:
        case Every.COMMIT:
            return commit.id
        case Every.DAY:
            return when
        case Every.WEEK:
            return when.isocalendar()[:2]
        case Every.MONTH:
            return when.year, when.month


_DAY = 86_400


def ages(history: History, now: float) -> Mapping[str, int]:
    """The age of every id with an entry, in days; see `age`."""
    return {id: age(timeline, now) for id, timeline in history.counting.items()}


def flips(history: History) -> Mapping[str, int]:
    """The number of changes of every id with an entry; see `changes_of_status`."""
    return {id: changes_of_status(timeline) for id, timeline in history.counting.items()}


def age(timeline: Timeline, now: float) -> int:
    """For how many whole days the statuses of an entry have been unchanged; `now` is in seconds since the epoch.

    Only the status of the entry and those of its overrides count: changes of other fields, renames and moves do not
    reset the age, and neither do changes after `now`. A status that is not committed yet has age 0. If the clone's
    history begins with the present statuses, the age is a lower bound.
    """
    steps = [step for step in timeline.steps if _sets_status(step)]
    if not steps or steps[0].commit is None:
        return 0
    last = next((step.commit for step in steps if step.commit and step.commit.time <= now), None)
    return int((now - last.time) // _DAY) if last else 0


def changes_of_status(timeline: Timeline) -> int:
    """How often the statuses of an entry changed since it was added; many changes are a sign of a flaky test."""
    return sum(
        step.edit.old is not None and step.edit.new is not None and _sets_status(step) for step in timeline.steps
    )


def _sets_status(step: Step) -> bool:
    return step.edit.old is None or _statuses(step.edit.old) != _statuses(step.edit.new)


def _statuses(fields: Fields | None) -> Mapping[str, object]:
    """The status as written at the entry, under an empty name, and in the override of each arch."""
    fields = fields or {}
    overrides = fields.get("arch_overrides")
    archs = overrides.items() if isinstance(overrides, Mapping) else ()
    found = {
        str(arch): values["status"] for arch, values in archs if isinstance(values, Mapping) and "status" in values
    }
    return {"": fields.get("status"), **found}
