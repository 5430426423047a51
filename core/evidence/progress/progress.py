# SPDX-License-Identifier: Apache-2.0
"""The progress of a team over a period: results, the burn-down of entries, and pending decisions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from core.base.checked_numbers import MOST_AHEAD
from core.domain.ids import TestId
from core.evidence.progress.measured import DAY, Measured, measure_tracks
from core.evidence.store import EvidenceStore
from core.evidence.store_series import RunCount, Tracks
from core.evidence.verdicts import MODEL_TESTS, Missing, Verdict, Verdicts
from core.history import History, Week, weeks
from core.providers import info_of
from core.sources import ModelInfos

_MOST_WEEKS = 53
_UNKNOWN = "unknown"


class By(StrEnum):
    """The criterion that splits pass rates."""

    FAMILY = "family"
    ARCH = "arch"
    GROUP = "group"
    LOADER = "loader"


@dataclass(frozen=True, slots=True)
class Progress:
    """The content of a progress report. Moments are in seconds since the epoch."""

    by: By
    since: float
    now: float
    measured: Measured
    runs: Sequence[RunCount]
    """The latest first."""
    weeks: Sequence[Week]
    """Entries by status at the end of each week, oldest first; empty: git has no history of them."""
    verdicts: Mapping[Verdict, int]
    """The number of cells with results for each verdict."""
    missing: Sequence[Missing] = ()
    """Cells that are gone from the reports of their job, the latest first."""
    without: Sequence[str] = ()
    """Machines whose results only count for the list of machines."""

    @property
    def days(self) -> range:
        """The days of the series, as numbers since the epoch."""
        first = self.measured.first
        return range(first, first + len(self.measured.total.ran))

    @property
    def gaps(self) -> tuple[int, ...]:
        """The days without any finished run, between the first and the last day with results."""
        ended = {int(run.when // DAY) for run in self.runs}
        found = zip(self.days, self.measured.total.ran, strict=True)
        return tuple(day for day, ran in found if not ran and day not in ended)

    @property
    def incomplete(self) -> tuple[RunCount, ...]:
        """The runs without any result of a model, or with tests that broke before the model ran; the latest first."""
        return tuple(run for run in self.runs if run.broken or not run.ran)


class ProgressReader:
    """Reports on one state of the evidence, whose results are read once.

    Another split, or a period no longer than the one read, is only counted again. `infos` is only called for groups of
    models. Only results of model tests from reports count, not local runs, which are somebody's experiments. Safe to
    use from several threads.
    """

    def __init__(
        self, store: EvidenceStore, verdicts: Verdicts, infos: Callable[[], ModelInfos], history: History | None
    ) -> None:
        self._store = store
        self._verdicts = verdicts
        self._infos = cache(infos)
        self._history = history
        self._read: tuple[float, Tracks] | None = None
        """The results that were read, and the start of their period."""

    def progress(self, *, now: float, days: float, by: By, arch: str = "", without: Collection[str] = ()) -> Progress:
        """The progress of the last `days` before `now`, in seconds since the epoch; for one arch if given.

        `without` are machines to leave out, beside those that the policy ignores; verdicts do not change with it.
        Raises TTMatrixError if the store cannot be read.
        """
        policy, since = self._verdicts.policy, now - days * DAY
        # Results from a wrong clock, which earlier versions have stored, would be the last week of the period.
        tracks = self._since(since).until(now + MOST_AHEAD)
        cells = [one for one in tracks.cells if arch in ("", one.arch)]
        group_of = _grouping(by, self._infos)
        left_out = frozenset((*policy.ignored_hosts, *without))
        measured = measure_tracks(tracks._replace(cells=cells), since, group_of, policy.minimum_runs, left_out)
        number = min(_MOST_WEEKS, int(days // 7) + 1)
        entries = weeks(self._history, now, number) if self._history else ()
        verdicts = self._verdicts.counts(arch)
        missing = [one for one in self._verdicts.missing if arch in ("", one.arch)]
        return Progress(by, since, now, measured, tracks.counts(), entries, verdicts, missing, sorted(left_out))

    def _since(self, moment: float) -> Tracks:
        if self._read is None or moment < self._read[0]:
            self._read = moment, self._store.tracks(MODEL_TESTS, moment)
        return self._read[1].since(moment)


def _grouping(by: By, infos: Callable[[], ModelInfos]) -> Callable[[str, str], str]:
    if by is By.ARCH:
        return lambda _, arch: arch
    known = infos() if by is By.GROUP else None

    @cache
    def group_of(id: str) -> str:
        if known is not None:
            info = info_of(known, id)
            return info.group if info and info.group else _UNKNOWN
        parsed = TestId.parse(id)
        if parsed is None:
            return _UNKNOWN
        return parsed.directory if by is By.LOADER else parsed.directory.partition("/")[0]

    return lambda id, _: group_of(id)
