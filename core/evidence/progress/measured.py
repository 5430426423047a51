# SPDX-License-Identifier: Apache-2.0
"""The numbers of a period, computed in one pass over its results."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple, TypeAlias

from core.evidence.series import FLAKY_FROM, flakiness_of, turns
from core.evidence.store_failing_since import MACHINE_DAYS
from core.evidence.store_series import Track, Tracks

DAY = 86_400.0
"""In seconds."""
_WEEK = 7


@dataclass(frozen=True, slots=True)
class Series:
    """How many results were as expected, how many passed, and how many say something about the model, on each day.

    A known failure that fails is as expected. Rates are 0 to 1, None where nothing ran; they are of what was as
    expected, unless they say that they are of passes.
    """

    name: str
    passed: tuple[int, ...]
    ran: tuple[int, ...]
    as_expected: tuple[int, ...]

    @property
    def weeks(self) -> tuple[float | None, ...]:
        """The rate of each week, counted back from the last day, oldest first."""
        return self._weekly(self.as_expected)

    @property
    def weeks_passed(self) -> tuple[float | None, ...]:
        """The share of passes in each week."""
        return self._weekly(self.passed)

    @property
    def lately(self) -> tuple[float | None, ...]:
        """For each day, the rate of the seven days that end with it."""
        ends = range(1, len(self.ran) + 1)
        return tuple(self._rate(self.as_expected, max(0, end - _WEEK), end) for end in ends)

    @property
    def unexpected_now(self) -> int:
        """How many results of the last week were not as expected."""
        return sum(self.ran[-_WEEK:]) - sum(self.as_expected[-_WEEK:])

    @property
    def now(self) -> float | None:
        """The rate of the last week."""
        return self.weeks[-1] if self.ran else None

    @property
    def passed_now(self) -> float | None:
        """The share of passes in the last week."""
        return self.weeks_passed[-1] if self.ran else None

    def _weekly(self, good: tuple[int, ...]) -> tuple[float | None, ...]:
        ends = range(len(self.ran), 0, -_WEEK)
        return tuple(reversed([self._rate(good, max(0, end - _WEEK), end) for end in ends]))

    def _rate(self, good: tuple[int, ...], first: int, last: int) -> float | None:
        ran = sum(self.ran[first:last])
        return sum(good[first:last]) / ran if ran else None


class Turned(NamedTuple):
    """A cell that began to pass or fail in the last week, and has ended so ever since."""

    id: str
    arch: str
    fixed: bool
    when: float
    run: str
    """The first run with the new ending."""
    together: int
    """How many other cells turned the same way in that run."""


class Flaky(NamedTuple):
    """A cell that keeps changing between pass and failure."""

    id: str
    arch: str
    flakiness: float


class HostHealth(NamedTuple):
    """One machine in the last four weeks: its failures, and how often the same tests fail elsewhere."""

    host: str
    results: int
    failed: int
    compared: int
    """Results on cells that other machines ran as well."""
    compared_failed: int
    elsewhere: float
    """How many of `compared` would have failed at the rates that these cells have on other machines."""

    @property
    def share(self) -> float:
        return self.failed / self.results

    @property
    def excess(self) -> float:
        """Its failure share minus that of the others on the same cells; -1 to 1."""
        return (self.compared_failed - self.elsewhere) / self.compared if self.compared else 0.0

    @property
    def suspect(self) -> bool:
        """Whether failures depend on this machine and not on the tests."""
        enough = self.compared_failed - self.elsewhere >= _LEAST_EXCESS_FAILURES
        return enough and self.excess >= _LEAST_EXCESS


_LEAST_EXCESS, _LEAST_EXCESS_FAILURES = 0.15, 5


class Stale(NamedTuple):
    """A cell that passes while its entry does not expect a pass."""

    id: str
    arch: str
    since: float
    """When the first of its passes was made."""
    results: int
    days: float
    """Days until the entry was corrected, or until the last result of all."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers of a period. Days are whole days in UTC, `first` is the number of the oldest one."""

    first: int
    total: Series
    archs: tuple[Series, ...]
    groups: tuple[Series, ...]
    """The group with most unexpected results in the last week first."""
    turned: tuple[Turned, ...]
    """The latest first."""
    flaky: tuple[Flaky, ...]
    hosts: tuple[HostHealth, ...]
    """The machine with the greatest excess of failures first."""
    stale: tuple[Stale, ...]
    """The longest first."""
    corrected: tuple[Stale, ...]
    """Those whose entries expect a pass now."""


def measure_tracks(
    tracks: Tracks, since: float, group_of: Callable[[str, str], str], minimum_runs: int, ignored: Collection[str] = ()
) -> Measured:
    """The numbers of `tracks`, which begin at `since`; `group_of` gives the group of a cell by its id and arch.

    Results of `ignored` machines only count for `hosts`. A cell needs `minimum_runs` passes to be stale.
    """
    moments = [track.results.at[-1] for track in tracks.cells]
    first, end = _period(since, moments, tracks)
    counts = _Counts(end - first)
    turned: list[tuple[Track, bool, tuple[float, int]]] = []
    flaky: list[Flaky] = []
    stale: list[Stale] = []
    corrected: list[Stale] = []
    last, passes = max(moments, default=0.0), tracks.passed
    hosts = _Hosts(tracks, last - MACHINE_DAYS * DAY)
    unread = frozenset(id for id, host in tracks.hosts.items() if host in ignored)
    for track in tracks.cells:
        hosts.add(track)
        rows = [*zip(*track.results, strict=True)]
        if unread:
            rows = [row for row in rows if row[1] not in unread]
        if not rows:
            continue
        passed = [shape in passes for _, _, shape in rows]
        days = [int(at // DAY) - first for at, _, _ in rows]
        right = [shape in tracks.as_expected for _, _, shape in rows]
        counts.add(track.arch, group_of(track.test_id, track.arch), days, passed, right)
        flakiness, turn = flakiness_of(passed), _last_turn(rows, tracks)
        if flakiness > FLAKY_FROM:
            flaky.append(Flaky(track.test_id, track.arch, flakiness))
        elif turn and turn[0] > last - _WEEK * DAY:
            turned.append((track, turn[2] in passes, turn[:2]))
        for open_, one in _stale(track, rows, passed, tracks.unexpected, minimum_runs, last):
            (stale if open_ else corrected).append(one)
    return Measured(
        first,
        *counts.series(),
        turned=_turned(turned, tracks.runs),
        flaky=tuple(sorted(flaky, key=lambda one: (-one.flakiness, one.id, one.arch))),
        hosts=hosts.health(),
        stale=tuple(sorted(stale, key=lambda one: (-one.days, one.id, one.arch))),
        corrected=tuple(sorted(corrected, key=lambda one: (-one.days, one.id, one.arch))),
    )


def _period(since: float, moments: Sequence[float], tracks: Tracks) -> tuple[int, int]:
    """The first day with results, not before `since`, and the day after the last one."""
    if not moments:
        return int(since // DAY), int(since // DAY)
    first = min(track.results.at[0] for track in tracks.cells)
    return int(max(first, since) // DAY), int(max(moments) // DAY) + 1


def _last_turn(rows: Sequence[tuple[float, int, int]], tracks: Tracks) -> tuple[float, int, int] | None:
    """The first of the uninterrupted passes, or failures, at the end; None: it never turned."""
    telling = [row for row in rows if row[2] in tracks.telling]
    found = turns([shape in tracks.passed for _, _, shape in telling])
    return telling[found[-1]] if found else None


def _turned(rows: Iterable[tuple[Track, bool, tuple[float, int]]], runs: Mapping[int, str]) -> tuple[Turned, ...]:
    found = [Turned(one.test_id, one.arch, fixed, when, runs[session], 0) for one, fixed, (when, session) in rows]
    together = Counter((one.run, one.fixed) for one in found)
    made = (one._replace(together=together[one.run, one.fixed] - 1) for one in found)
    return tuple(sorted(made, key=lambda one: (-one.when, one.fixed, one.id, one.arch)))


def _stale(
    track: Track,
    rows: Sequence[tuple[float, int, int]],
    passed: Sequence[bool],
    unexpected: frozenset[int],
    minimum_runs: int,
    last: float,
) -> Iterable[tuple[bool, Stale]]:
    """The periods in which a cell was stale, each with whether it still is."""
    begun, count = 0.0, 0
    for (at, _, shape), one in zip(rows, passed, strict=True):
        if shape in unexpected:
            begun, count = (begun if count else at, count + 1) if one else (0.0, 0)
        elif count:
            if one and count >= minimum_runs:
                yield False, Stale(track.test_id, track.arch, begun, count, (at - begun) / DAY)
            count = 0
    if count >= minimum_runs:
        yield True, Stale(track.test_id, track.arch, begun, count, (last - begun) / DAY)


class _Counts:
    """Passes, results, and those as expected, by arch and group on each day."""

    def __init__(self, days: int) -> None:
        self._days = days
        self._found: dict[tuple[str, str], _Numbers] = {}

    def add(self, arch: str, group: str, days: Sequence[int], passed: Sequence[bool], right: Sequence[bool]) -> None:
        found = self._found.get((arch, group))
        if found is None:
            found = self._found[arch, group] = [0] * self._days, [0] * self._days, [0] * self._days
        good, ran, expected = found
        for day, one, other in zip(days, passed, right, strict=True):
            ran[day] += 1
            good[day] += one
            expected[day] += other

    def series(self) -> tuple[Series, tuple[Series, ...], tuple[Series, ...]]:
        """The series of all results, of each arch, of each group."""
        archs: dict[str, _Days] = {}
        groups: dict[str, _Days] = {}
        total: _Days = []
        for (arch, group), found in self._found.items():
            # One pass: reports of unknown tests may have a group for each of them.
            for days in (archs.setdefault(arch, []), groups.setdefault(group, []), total):
                days.append(found)
        ordered = sorted(
            starmap(self._sum, groups.items()), key=lambda one: (-one.unexpected_now, one.now or 0.0, one.name)
        )
        return self._sum("all", total), tuple(starmap(self._sum, sorted(archs.items()))), tuple(ordered)

    def _sum(self, name: str, days: "_Days") -> Series:
        nothing = (0,) * self._days
        sums = (tuple(map(sum, zip(*(numbers[at] for numbers in days), strict=True))) for at in range(3))
        return Series(name, *(one or nothing for one in sums))


_Numbers: TypeAlias = tuple[list[int], list[int], list[int]]
"""Passes, results, and those as expected, on each day."""
_Days: TypeAlias = list[_Numbers]


class _Hosts:
    """Results and failures by machine, and how the same cells end on other machines."""

    def __init__(self, tracks: Tracks, since: float) -> None:
        self._tracks = tracks
        self._since = since
        self._found: dict[str, list[float]] = {}

    def add(self, track: Track) -> None:
        lately = track.results.since(self._since)
        by_session = Counter(lately.sessions)
        passes = self._tracks.passed
        pairs = zip(lately.sessions, lately.what, strict=True)
        passed = Counter(session for session, shape in pairs if shape in passes)
        counts: dict[str, list[int]] = {}
        for session, number in by_session.items():
            if host := self._tracks.hosts[session]:
                one = counts.setdefault(host, [0, 0])
                one[0] += number
                one[1] += number - passed[session]
        ran, failed = (sum(one[at] for one in counts.values()) for at in (0, 1))
        for host, (here, bad) in counts.items():
            sums = self._found.setdefault(host, [0, 0, 0, 0, 0.0])
            sums[0] += here
            sums[1] += bad
            if ran > here:
                sums[2] += here
                sums[3] += bad
                sums[4] += here * (failed - bad) / (ran - here)

    def health(self) -> tuple[HostHealth, ...]:
        found = (
            HostHealth(host, int(ran), int(bad), int(shared), int(bad_shared), elsewhere)
            for host, (ran, bad, shared, bad_shared, elsewhere) in self._found.items()
        )
        return tuple(sorted(found, key=lambda one: (-one.excess, -one.share, one.host)))
