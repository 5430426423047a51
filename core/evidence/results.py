# SPDX-License-Identifier: Apache-2.0
"""The results of one checkout for verdicts and screens: by test, by run, or the newest of each cell.

Results from reports are read from the store on request, those of local runs are in memory.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from core.base.checked_numbers import last_possible
from core.domain.model import Function
from core.evidence.ci_runs import DeadJob
from core.evidence.observation import RAN, Ending, Observation, Origin, newest, order
from core.evidence.series import Series
from core.evidence.store import EvidenceStore
from core.evidence.store_ci import CiStore
from core.evidence.store_failing_since import StoredCourse
from core.evidence.store_mentions import ENDED, JobRun, Mention
from core.evidence.store_recent import Recent

EVERY = 2**40
"""More results than any cell has."""


class CellState(NamedTuple):
    """A value that changes whenever the results of one cell change."""

    function: Function
    stored: int
    """`StoredCell.changed`; 0: the store has no results of it."""
    own: tuple[str, ...]
    """The results in memory, by run and job."""


class Results:
    """All results of one checkout, from `store` (if any) and from local runs (`own`).

    Results of `hidden` machines, and those after the moment `end`, are left out. `own` are oldest first.
    """

    def __init__(
        self,
        own: Iterable[Observation] = (),
        store: EvidenceStore | None = None,
        hidden: Collection[str] = (),
        end: float = math.inf,
    ) -> None:
        self.hidden = tuple(hidden)
        self.whole: Results = self
        """The same with the results of all machines: what ran on a hidden one is not gone."""
        self._end = end
        self._store = (
            EvidenceStore(store.file, self.hidden).until(end) if store and (hidden or end < math.inf) else store
        )
        self._all_own = [one for one in own if one.host not in self.hidden and one.when <= end]
        self._own: dict[str, list[Observation]] = {}
        for one in self._all_own:
            self._own.setdefault(one.test_id, []).append(one)

    @property
    def stored(self) -> bool:
        """Whether there are results on the disk; else all of them are in memory."""
        return self._store is not None

    def without(self, hosts: Collection[str]) -> "Results":
        """The same without the results of these machines."""
        if not hosts:
            return self
        found = Results(self._all_own, self._store, {*self.hidden, *hosts}, self._end)
        found.whole = self.whole
        return found

    def until(self, moment: float) -> "Results":
        """The same without what came after a moment, in seconds since the epoch."""
        found = Results(self._all_own, self._store, self.hidden, min(moment, self._end))
        if self.whole is not self:
            found.whole = self.whole.until(moment)
        return found

    @property
    def possible(self) -> float:
        """The last moment that a result can have, in seconds since the epoch."""
        return last_possible(self._end)

    @cached_property
    def cells(self) -> Mapping[str, Mapping[str, Sequence[CellState]]]:
        """Every cell with results, by test and arch; functions that share an id are apart."""
        found: dict[str, dict[str, list[CellState]]] = {}
        own: dict[tuple[str, Function, str], list[str]] = {}
        for one in self._all_own:
            key = one.test_id, Function(one.function), one.arch
            own.setdefault(key, []).append(f"{one.run} {one.job} {one.when} {one.ending}")
        for cell in self._store.cells() if self._store else ():
            here = tuple(own.pop(cell[:3], ()))
            found.setdefault(cell.test_id, {}).setdefault(cell.arch, []).append(
                CellState(cell.function, cell.changed, here)
            )
        for (test, function, arch), said in own.items():
            found.setdefault(test, {}).setdefault(arch, []).append(CellState(function, 0, tuple(said)))
        return found

    @cached_property
    def version(self) -> str:
        """The version of the store that the numbers in `cells` belong to."""
        return self._store.version() if self._store else ""

    def of_test(self, id: str) -> list[Observation]:
        """All results of one test or op case, oldest first."""
        own = self._own.get(id, ())
        return _merged(self._store.of_test(id) if self._store else (), own)

    def of_run(self, name: str) -> list[Observation]:
        """All results of one run, oldest first."""
        own = [one for one in self._all_own if one.run == name]
        return _merged(self._store.of_run(name) if self._store else (), own)

    def one_of(self, job: str, run: str) -> Observation | None:
        """A result of a CI job in a run; None: there is none."""
        own = next((one for one in self._all_own if (one.job, one.run) == (job, run)), None)
        return own or (self._store.one_of(job, run) if self._store else None)

    def of_cases(self) -> list[Observation]:
        """All results of op cases, oldest first."""
        own = [one for one in self._all_own if one.op is not None]
        return _merged(self._store.of_cases() if self._store else (), own)

    def all(self) -> list[Observation]:
        """All results, oldest first: only for tests and exports, because there can be very many."""
        return _merged(self._store.observations() if self._store else (), self._all_own)

    def newest(self) -> list[Observation]:
        """The newest result of each cell that says something about the model, oldest first."""
        stored = self._store.newest() if self._store else ()
        return sorted(newest(_merged(stored, self._all_own)), key=order)

    def series(
        self, ids: Iterable[str], functions: Collection[Function], newest: int = EVERY
    ) -> Iterator[tuple[str, Mapping[str, Series]]]:
        """The series of each cell of these tests by `functions`, by id and arch: all results, or the newest ones."""
        for id, found in self.recent(ids, functions, newest, 0, count_older=False):
            rows: dict[str, list[Observation]] = {}
            for row in found.rows:
                rows.setdefault(row.arch, []).append(row)
            yield id, {arch: Series(some) for arch, some in rows.items()}

    def failed_after(self, moment: float) -> list[Observation]:
        """All results after a moment that did not pass, the last one first."""
        own = [one for one in self._all_own if one.when > moment and one.ending in RAN - {Ending.PASSED}]
        return _merged(self._store.failed_after(moment) if self._store else (), own)[::-1]

    @cached_property
    def has_cases(self) -> bool:
        """Whether there are results of op cases."""
        return any(one.function.of_cases for archs in self.cells.values() for c in archs.values() for one in c)

    def last_of_cases(self) -> dict[str, dict[str, Observation]]:
        """The last result of each op case, by backend."""
        found: dict[str, dict[str, Observation]] = {}
        stored = self._store.last_of_cases() if self._store and self.has_cases else ()
        for one in _merged(stored, [one for one in self._all_own if one.op is not None]):
            found.setdefault(one.test_id, {})[one.arch] = one
        return found

    def runs(self, arch: str = "", *, cases: bool = True) -> tuple[str, ...]:
        """The names of all runs, the latest first. `arch`: only with results there; `cases`: also runs of op cases."""
        ended = self._store.runs(arch, cases=cases) if self._store else {}
        for one in self._all_own:
            if arch in ("", one.arch) and (cases or one.op is None):
                ended[one.run] = max(ended.get(one.run, one.when), one.when)
        return tuple(sorted(ended, key=lambda name: (-ended[name], name)))

    def cells_of_runs(self, arch: str = "") -> Mapping[str, int]:
        """The number of cells with results in each run, on `arch` or on any."""
        found = self._store.cells_of_runs(arch) if self._store else {}
        for name in {one.run for one in self._all_own if arch in ("", one.arch)}:
            found[name] = len({one.cell for one in self.of_run(name) if arch in ("", one.arch)})
        return found

    def courses(self, functions: Collection[Function]) -> list[StoredCourse]:
        """The courses of cells according to reports; cells with results in `tests_here` have further results."""
        return self._store.courses(functions) if self._store else []

    def failed_on(self, functions: Collection[Function]) -> list[tuple[str, str, str]]:
        """Test, arch and machine of each cell that, according to reports, failed there in the last four weeks."""
        return self._store.failed_on(functions) if self._store else []

    @property
    def tests_here(self) -> Collection[str]:
        """The tests with results in memory."""
        return self._own.keys()

    def turned_in(self, run: str) -> list[tuple[str, str, bool]]:
        """The cells that began to pass or to fail in a reported run: id, arch, whether it passes since."""
        return self._store.turned_in(run) if self._store else []

    def mentions(self, functions: Collection[Function]) -> list[Mention]:
        """When each cell of these functions was last mentioned by a report, even if only as skipped."""
        found = {(one.test_id, one.arch): one for one in (self._store.mentions(functions) if self._store else ())}
        for own in self._reported_own:
            known = found.get(own.cell)
            if own.function in functions and not own.profile and (known is None or known.at < own.when):
                found[own.cell] = Mention(*own.cell, own.when)
        return list(found.values())

    def jobs_of(self, cells: Iterable[tuple[str, str, float]]) -> Mapping[tuple[str, str], str]:
        """The CI job of the mention of each of these cells at a moment, by id and arch."""
        asked = [*cells]
        moments = set(asked) if self._reported_own else set()
        own = {one.cell: one.job for one in self._reported_own if one.job and (*one.cell, one.when) in moments}
        return {**(self._store.jobs_of(asked) if self._store else {}), **own}

    @cached_property
    def job_runs(self) -> Sequence[JobRun]:
        """Every run of every CI job that has results."""
        found = {(one.job, one.run): one for one in (self._store.job_runs() if self._store else ())}
        for own in self._reported_own:
            if own.job:
                known = found.get((own.job, own.run))
                earliest = own.when if known is None else min(known.earliest, own.when)
                found[own.job, own.run] = JobRun(own.job, own.run, earliest, known.reports if known else 1)
        return list(found.values())

    @cached_property
    def dead_jobs(self) -> Sequence[DeadJob]:
        """The runs of CI jobs that left no whole report, the oldest first."""
        return [one for one in CiStore(self._store).deaths() if one.at <= self._end] if self._store else []

    def reported(self, pairs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], int]:
        """How many cells each run of a job reports, by job and run."""
        asked = dict.fromkeys(pairs)
        found = self._store.reported({run: None for _, run in asked}) if self._store and asked else {}
        own: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for one in self._reported_own:
            if (one.job, one.run) in asked:
                own.setdefault((one.job, one.run), set()).add(one.cell)
        return {pair: found.get(pair, 0) + len(own.get(pair, ())) for pair in asked}

    def ended_in(self, job: str, run: str) -> list[tuple[str, Ending, str]]:
        """The tests that ended their process or hung in a run of a job: id, how, and the reason; the last one last."""
        own = [one for one in self._reported_own if (one.job, one.run) == (job, run) and one.ending in ENDED]
        stored = self._store.ended_in(job, run) if self._store else []
        return [*stored, *((one.test_id, one.ending, one.reason) for one in own)]

    def cut_behind(self, job: str, run: str) -> str:
        """The last test of a truncated report of a run of a job; empty: none is truncated."""
        return self._store.cut_behind(job, run) if self._store else ""

    @cached_property
    def _reported_own(self) -> Sequence[Observation]:
        """The results in memory that come from reports on tests: runs here are of no CI job."""
        return [one for one in self._all_own if one.origin is Origin.CI and one.op is None]

    def recent(
        self, ids: Iterable[str], functions: Collection[Function], ran: int, others: int, *, count_older: bool
    ) -> Iterator[tuple[str, Recent]]:
        """For each of these tests, the newest results of each cell by `functions`, oldest first.

        Results under another profile than the default are left out.

        Each cell has up to `ran` results that say something about the model, and up to `others` each that were not run
        or broke before the model ran. With `count_older`, older results of these two kinds are counted if there are
        fewer than `ran`: no verdict depends on their number, and on half a million results it takes 0.1 s.
        """
        if self._store is None:
            nothing: Mapping[str, int] = {}
            read: Iterable[tuple[str, Recent]] = ((id, Recent([], nothing, nothing)) for id in ids)
        else:
            read = self._store.recent(ids, functions, ran, others, count_older=count_older)
        for id, found in read:
            own = [one for one in self._own.get(id, ()) if one.function in functions and not one.profile]
            yield id, found._replace(rows=_merged(found.rows, own)) if own else found


def _merged(stored: Iterable[Observation], own: Iterable[Observation]) -> list[Observation]:
    both = [*stored]
    if not both:
        # They are sorted already.
        return [*own]
    return sorted([*both, *own], key=order)
