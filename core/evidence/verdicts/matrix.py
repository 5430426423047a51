# SPDX-License-Identifier: Apache-2.0
"""The verdicts on a whole matrix: cells with evidence are judged once, cells without evidence share a few verdicts."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property

from core.base.checked_numbers import day_of
from core.ci import Selected
from core.domain.model import Status
from core.evidence.observation import Ending, Observation
from core.evidence.reports import arch_in
from core.evidence.results import EVERY, Results
from core.evidence.series import Series, flakiness_of
from core.evidence.store_mentions import JobRun
from core.evidence.verdicts.expected import Expected, declared_on, pins
from core.evidence.verdicts.gaps import Absent, Cell, Gaps, Missing
from core.evidence.verdicts.op_cases import OpVerdicts
from core.evidence.verdicts.policy import Policy
from core.evidence.verdicts.saved import RULES, SavedVerdict, SavedVerdicts, saved_verdict
from core.evidence.verdicts.seen import MODEL_TESTS, SeenResults
from core.evidence.verdicts.verdict import Judgement, Older, Verdict, judge, with_history
from core.matrix import Column, Matrix
from core.matrix.query import AS_EXPECTED, BROKE, FIXED, PASSED, UNEXPECTED, VerdictColumns, words_by_place
from core.sources.ci import Job


class CellJobs:
    """The jobs of the cells of one matrix. Without `selected`, no job is known."""

    def __init__(self, matrix: Matrix, selected: Selected | None, job_runs: Iterable[JobRun]) -> None:
        self.selected = selected
        self._rows = matrix.rows
        self._runs = _runs_by_job(job_runs) if selected else {}
        archs = matrix.schema.archs
        self._names_of_job = [_names_of(job, self._runs, archs) for job in selected.jobs] if selected else []
        self._scheduled: dict[tuple[int, str], tuple[bool | None, int]] = {}
        self._names: dict[tuple[int, str], Collection[str]] = {}

    def names(self, cell: Cell) -> Collection[str]:
        """The names, in reports, of the jobs that select a cell."""
        row = self._rows.get(cell[0])
        if row is None or self.selected is None:
            return ()
        key = self.selected.codes[row], cell[1]
        if key not in self._names:
            found = (self._names_of_job[at] for at in _selecting(self.selected, *key))
            self._names[key] = frozenset().union(*found)
        return self._names[key]

    def scheduled(self, row: int, arch: str) -> tuple[bool | None, int]:
        """Whether a job selects the cell, and how many runs of such jobs have produced results."""
        if self.selected is None:
            return None, 0
        key = self.selected.codes[row], arch
        if key not in self._scheduled:
            jobs = _selecting(self.selected, *key)
            runs = {run for at in jobs for name in self._names_of_job[at] for run in self._runs[name]}
            self._scheduled[key] = bool(jobs), len(runs)
        return self._scheduled[key]


def _selecting(selected: Selected, code: int, arch: str) -> list[int]:
    """The places of the CI jobs on `arch` among those of one selection."""
    mask = selected.sets[code]
    return [at for at, job in enumerate(selected.jobs) if mask >> at & 1 and job.runs_on == arch]


def _runs_by_job(job_runs: Iterable[JobRun]) -> Mapping[str, set[str]]:
    """The runs in which each CI job has produced results."""
    found: dict[str, set[str]] = {}
    for one in job_runs:
        found.setdefault(one.job, set()).add(one.run)
    return found


def _names_of(job: Job, names: Iterable[str], archs: Sequence[str]) -> frozenset[str]:
    """The artefacts of `job` among `names`: they are named after its runner and its mark (docs/rules.md 3.4)."""
    mark = "-" + job.test_mark.replace(" ", "_")
    return frozenset(name for name in names if name.endswith(mark) and arch_in(name, archs) == job.runs_on)


class Verdicts:
    """The verdicts on every cell of `matrix` under `policy`.

    A test has a cell on each arch it is marked for, and on each other arch with results of it. Without `selected`, jobs
    are unknown and a cell without results is UNKNOWN. Observations must be oldest first. `saved` has earlier verdicts:
    they are computed again for tests whose results, entry or policy have changed. `judge_cases` gives the verdicts on
    op cases, for which it may read manifests; it is called only if cases have results.
    """

    def __init__(
        self,
        matrix: Matrix,
        results: Iterable[Observation] | Results,
        policy: Policy,
        selected: Selected | None = None,
        saved: SavedVerdicts | None = None,
        judge_cases: Callable[[], OpVerdicts] | None = None,
    ) -> None:
        self.matrix = matrix
        self.policy = policy
        self.evidence = results if isinstance(results, Results) else Results(results)
        self.counting = self.evidence.without(policy.ignored_hosts)
        """The results without those of machines that the policy ignores: only these count for verdicts."""
        self._saved = saved
        self._judge_cases = judge_cases
        self.seen = SeenResults(self.evidence, matrix.schema.archs)
        """Results of model tests by id and arch, oldest first; read on first use."""
        self.seen_counting = SeenResults(self.counting, matrix.schema.archs) if policy.ignored_hosts else self.seen
        """As `seen`, for the results in `counting`."""
        self._jobs = CellJobs(matrix, selected, self.counting.job_runs if selected else ())
        self._others: dict[tuple[str, str], Observation | None] = {}
        """A result of each job and run that others were missed in."""

    @cached_property
    def of_cases(self) -> Mapping[str, Mapping[str, Observation]]:
        """The last result of each op case, by backend."""
        return self.evidence.last_of_cases()

    @cached_property
    def judged(self) -> Mapping[str, Sequence[Judgement]]:
        """The judgements on every test with results, by id."""
        ids = [id for id in self.seen if id in self.matrix.rows]
        return self._with_history({id: judgements for id, judgements, _ in self._judge(ids)})

    def of(self, id: str) -> list[Judgement]:
        """The judgements on the cells of one test, in the order of the archs."""
        (judgements,) = self.of_each([id])
        return judgements

    def of_each(self, ids: Iterable[str]) -> Iterator[list[Judgement]]:
        """The judgements on several tests, in their order; their results are read together."""
        found = [*self._judge(ids)]
        known = self._with_history({id: judgements for id, judgements, _ in found})
        return (known[id] for id, _, _ in found)

    def _with_history(self, judged: Mapping[str, list[Judgement]]) -> Mapping[str, list[Judgement]]:
        """`judged`, in which differences go back to where they began: further than the results that decide."""
        known = dict(judged)
        ids = [id for id, found in judged.items() if any(one.grade for one in found)]
        for newest in (_READ_FIRST, EVERY):
            further = []
            for id, series in self.counting.series(ids, MODEL_TESTS, newest):
                asked = [one for one in known[id] if one.grade and one.arch in series]
                told = {one.arch: with_history(one, series[one.arch]) for one in asked}
                known[id] = [told.get(one.arch, one) for one in known[id]]
                if any(
                    len(series[arch].rows) >= newest and one.since == series[arch].rows[0].run
                    for arch, one in told.items()
                ):
                    further.append(id)
            ids = further
        for id, judgements in known.items():
            if any(one.verdict is Verdict.MISSING and one.earlier for one in judgements):
                known[id] = [self._with_run(one) for one in judgements]
        return known

    def _with_run(self, one: Judgement) -> Judgement:
        """A judgement on what is gone, with a result of its job from the first run without it."""
        if one.verdict is not Verdict.MISSING or one.last_reported is None:
            return one
        key = one.last_reported.job, one.since
        if key not in self._others:
            self._others[key] = self.counting.one_of(*key)
        return replace(one, first=self._others[key])

    def stamps(self, ids: Iterable[str]) -> Mapping[str, str]:
        """By id a text that is another one whenever the judgements on a test, or its entry, may be."""
        found: dict[str, str] = {}
        for id in ids:
            entry = self.matrix.entries.get(id)
            expected = {arch: self._with_suspect(id, arch, one) for arch, one in self._expected(id).items()}
            said = [self._pins.get(id, ""), f"{entry.file} {entry.fields}" if entry else ""]
            found[id] = self._stamp(id, [*said, *(f"{arch} {self._whole(one)}" for arch, one in expected.items())])
        return found

    def _judge(
        self, ids: Iterable[str], expected: Mapping[str, dict[str, Expected]] = {}, *, whole: bool = True
    ) -> Iterator[tuple[str, list[Judgement], Mapping[str, Sequence[Observation]]]]:
        """The judgements on these tests, with the newest results by arch; older ones do not change verdicts.

        Without `whole`, only the verdicts are right: their texts may miss results that were not run.
        """
        window, least = self.policy.window, self.policy.minimum_runs
        archs, others = self.matrix.schema.archs, max(_MOST_OTHERS, least) if whole else least
        recent = self.counting.recent(ids, MODEL_TESTS, max(window, least), others, count_older=whole)
        for id, found in recent:
            seen: dict[str, list[Observation]] = {}
            for one in found.rows:
                if one.arch in archs:
                    seen.setdefault(one.arch, []).append(one)
            older = {
                arch: Older(found.not_run.get(arch, 0), found.broken.get(arch, 0))
                for arch in found.not_run.keys() | found.broken.keys()
            }
            declared = expected.get(id) or self._expected(id)
            if whole:
                declared = {arch: self._with_suspect(id, arch, one) for arch, one in declared.items()}
            yield id, judge(id, declared, seen, self.policy, self._pins.get(id, ""), older), seen

    def facts(self) -> VerdictColumns:
        """The verdicts as columns for queries."""
        by_arch = {arch: self._silent(arch) for arch in self.matrix.schema.archs}
        for id, one in self._short.items():
            row = self.matrix.rows[id]
            for arch, verdict in one.verdicts.items():
                by_arch[arch][row] = _CODES[verdict]
        columns = {arch: Column(_WORDS, bytes(column)) for arch, column in by_arch.items()}
        return VerdictColumns(
            self.matrix,
            columns,
            self.results,
            self.turned,
            lambda: self.courses,
            failed_on=lambda: self.failed_on,
            newest=lambda: self.newest,
            of_night=lambda: self.of_night,
            judge_cases=self._case_verdicts,
        )

    def of_cell(self, id: str, arch: str) -> Verdict | None:
        """The verdict on one cell; None: the test has no results."""
        found = self._short.get(id)
        return found.verdicts.get(arch) if found else None

    def counts(self, arch: str = "") -> Mapping[Verdict, int]:
        """The number of cells of tests with results for each verdict, on `arch` or on any."""
        return Counter(
            verdict for one in self._short.values() for on, verdict in one.verdicts.items() if arch in ("", on)
        )

    @cached_property
    def courses(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """The day on which each cell began to fail (empty if it passes), and its flakiness, by id and arch."""
        found: dict[str, dict[str, list[tuple[str, str]]]] = {}
        here, seen = self.counting.tests_here, self.seen_counting
        for one in self.counting.courses(MODEL_TESTS):
            if one.test_id not in here and one.arch in self.matrix.schema.archs:
                said = _course_words(one.first_bad, flakiness_of(one.passed))
                found.setdefault(one.test_id, {}).setdefault(one.arch, []).append(said)
        # Tests with results in several places are read completely.
        several = {id for id, archs in found.items() if any(len(cells) > 1 for cells in archs.values())}
        for id in (several | set(here)) & seen.keys():
            found[id] = {arch: [_words_of(one)] for arch, one in self.series(id).items() if one.rows}
        words = {id: {arch: cells[0] for arch, cells in archs.items()} for id, archs in found.items()}
        return {id: archs for id, archs in words.items() if archs}

    @cached_property
    def failed_on(self) -> Mapping[str, Mapping[str, Collection[str]]]:
        """The machines on which each cell failed in the last four weeks with reports, by id and arch.

        Ignored machines are included: a person who queries for a machine wants its failures.
        """
        found: dict[str, dict[str, list[str]]] = {}
        for id, arch, host in self.evidence.failed_on(MODEL_TESTS):
            found.setdefault(id, {}).setdefault(arch, []).append(host)
        return found

    @cached_property
    def newest(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Whether the newest result of each cell that ran passed and was as expected, by id and arch."""
        return {id: {arch: words for arch, (_, words) in archs.items()} for id, archs in self._newest.items()}

    @cached_property
    def of_night(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """As `newest`, of the cells whose newest result is from the last day that has results of any cell."""
        found = {
            id: {arch: words for arch, (when, words) in archs.items() if self._is_of_last_day(when)}
            for id, archs in self._newest.items()
        }
        return {id: archs for id, archs in found.items() if archs}

    @cached_property
    def _newest(self) -> Mapping[str, Mapping[str, tuple[float, tuple[str, ...]]]]:
        """The moment of the newest result of each cell that ran, and its words, by id and arch."""
        found: dict[str, dict[str, tuple[float, tuple[str, ...]]]] = {}
        for one in self.counting.newest():
            if one.function in MODEL_TESTS and one.arch in self.matrix.schema.archs:
                expected = AS_EXPECTED if one.as_expected else UNEXPECTED
                words = (PASSED, expected) if one.ending is Ending.PASSED else (expected,)
                found.setdefault(one.test_id, {})[one.arch] = one.when, words
        return found

    @cached_property
    def _last_day(self) -> tuple[float, float]:
        """The moments after and up to which results are from the last day that has any.

        A result from a wrong clock, which earlier versions have stored, is from no day.
        """
        possible = self.counting.possible
        return max((one.latest for one in self._short.values() if one.latest <= possible), default=0) - _DAY, possible

    def _is_of_last_day(self, when: float) -> bool:
        after, until = self._last_day
        return after < when <= until

    @cached_property
    def turned(self) -> Mapping[str, Mapping[str, str]]:
        """The cells that changed between pass and failure with their newest result, by id and arch. Only if that result
        is from the last day that has results of any cell.
        """
        found = {
            id: {arch: _TURNS[turn.fixed] for arch, turn in one.turns.items() if self._is_of_last_day(turn.when)}
            for id, one in self._short.items()
        }
        return {id: archs for id, archs in found.items() if archs}

    @cached_property
    def _short(self) -> Mapping[str, SavedVerdict]:
        """The verdicts on every test with results; saved ones that are still valid are not computed again."""
        expected = {id: self._expected(id) for id in self.seen if id in self.matrix.rows}
        stamps = {
            id: self._stamp(id, [f"{arch} {self._declared(one)}" for arch, one in declared.items()])
            for id, declared in expected.items()
        }
        known = self._saved.read() if self._saved else {}
        found = {id: known[id] for id, stamp in stamps.items() if id in known and known[id].stamp == stamp}
        outdated = [id for id in stamps if id not in found]
        fresh = {
            id: saved_verdict(stamps[id], judgements, seen)
            for id, judgements, seen in self._judge(outdated, expected, whole=False)
        }
        if self._saved:
            self._saved.change(fresh, known.keys() - stamps.keys())
        return {**found, **fresh}

    def _stamp(self, id: str, said: list[str]) -> str:
        """A text that changes whenever the results of a test do, or what is `said` of it."""
        for arch, states in sorted(self.evidence.cells.get(id, {}).items()):
            # The repr of results in memory: their names may hold anything.
            said += [f"{arch} {function} {stored} {own!r}" for function, stored, own in states]
        digest = self._of_all.copy()
        digest.update("\n".join(said).encode(errors="replace"))
        return digest.hexdigest()

    @cached_property
    def _declared(self) -> Callable[[Expected], str]:
        """The declaration for a cell as a text: a few hundred suffice for all cells."""
        # The number of silent runs beyond the deciding ones changes with every nightly, and has no effect.
        return cache(lambda one: repr(one.deciding(self.policy.minimum_runs)))

    @cached_property
    def _whole(self) -> Callable[[Expected], str]:
        """As `_declared`, with all that the text of a judgement says."""
        return cache(repr)

    @cached_property
    def _of_all(self) -> "hashlib._Hash":
        """The digest of everything that influences verdicts and is the same for all tests."""
        text = f"{RULES} {self.evidence.version} {self.evidence.hidden} {replace(self.policy, keep={})}\n"
        return hashlib.sha256(text.encode(errors="replace"))

    @cached_property
    def results(self) -> Mapping[str, Mapping[str, str]]:
        """The last result of each op case on each backend, by id, in the words of `core.matrix.op_rows.RESULTS`."""
        return {
            id: {backend: one.op.status for backend, one in sorted(found.items()) if one.op is not None}
            for id, found in self.of_cases.items()
        }

    def result_words(self, id: str) -> str:
        """The last result of an op case on each backend: `eager pass  inductor fail`; empty without results."""
        return words_by_place(self.results.get(id, {}))

    @cached_property
    def on_cases(self) -> OpVerdicts | None:
        """The verdicts on op cases; None if no case has a result. The first call reads the manifests."""
        return self._judge_cases() if self._judge_cases and self.evidence.has_cases else None

    def _case_verdicts(self) -> Mapping[str, Mapping[str, str]]:
        return self.on_cases.words if self.on_cases else {}

    @cached_property
    def _pins(self) -> Mapping[str, str]:
        return pins(self.matrix.files, self.policy)

    def _expected(self, id: str) -> dict[str, Expected]:
        """The declaration of a test's entry on each of its archs, in their order."""
        row, seen = self.matrix.rows[id], self.seen.archs_of(id)
        marked = self.matrix.flags["arch"][row]
        archs = [arch for arch in self.matrix.schema.archs if arch in marked or arch in seen]
        training = self.matrix.columns["mode"][row] == "training"
        expected = {}
        for arch, claim in declared_on(self.matrix.entries.get(id), archs):
            scheduled, silent = self._jobs.scheduled(row, arch)
            silent, gap = (0, self.gaps.cells.get((id, arch))) if arch in seen else (silent, None)
            expected[arch] = claim.on(arch, training=training, scheduled=scheduled, silent_runs=silent, gap=gap)
        return expected

    def series(self, id: str) -> Mapping[str, Series]:
        """The series of each cell of a test with results, by arch: all that counts, and the runs that lack it."""
        return {
            arch: Series([row for row in rows if not row.profile], self.gaps.cells.get((id, arch)))
            for arch, rows in self.seen_counting.get(id, {}).items()
        }

    def absent(self, id: str, archs: Iterable[str]) -> Mapping[str, Absent]:
        """Why the newest reports lack some cells of a test, by arch."""
        found = ((arch, self.gaps.absent((id, arch))) for arch in archs)
        return {arch: one for arch, one in found if one is not None}

    def selects(self, id: str, arch: str, job: str) -> bool:
        """Whether the CI job with this name selects a cell now; if no jobs are known, it may."""
        return self._jobs.selected is None or job in self._jobs.names((id, arch))

    def is_gone(self, row: Observation, run: str) -> bool:
        """Whether the job of a result selects its cell now and was not cut in `run`."""
        return (row.job, run) not in self.gaps.cut and self.selects(row.test_id, row.arch, row.job)

    @cached_property
    def missing(self) -> Sequence[Missing]:
        """The cells that are gone from the reports of their job and are not expected to be, the latest first."""
        cells = {cell: gap for cell, gap in self.gaps.cells.items() if self.of_cell(*cell) is Verdict.MISSING}
        found = (Missing(*cell, gap.since, gap.runs, gap.mentioned) for cell, gap in cells.items())
        return sorted(found, key=lambda one: (-one.mentioned, one.id, one.arch))

    def _with_suspect(self, id: str, arch: str, one: Expected) -> Expected:
        """With what a report names as the cause of its gap, which no verdict depends on."""
        return replace(one, gap=one.gap._replace(suspect=self.gaps.suspect((id, arch)))) if one.gap else one

    @cached_property
    def gaps(self) -> Gaps:
        """The cells that are gone from the reports of their job, and the jobs that were cut."""
        return Gaps(self.counting.whole if self._jobs.selected else Results(), MODEL_TESTS, self._jobs.names)

    def _silent(self, arch: str) -> bytearray:
        """Codes of the verdicts that all cells on `arch` would have without results."""
        status, bit = self.matrix.status[arch], self.matrix.flags["arch"].mask([arch])
        masks, (examples, kinds) = self.matrix.flags["arch"].masks, self._kinds
        verdicts = [
            _CODES[self._without_results(row, arch, Status.UNSPECIFIED)] if masks[row] & bit else 0 for row in examples
        ]
        column = bytearray(map(verdicts.__getitem__, kinds))
        if Status.EXCLUDE_MODEL in status.values:
            for row in map(self.matrix.rows.__getitem__, self.matrix.entries):
                if column[row] and status[row] == Status.EXCLUDE_MODEL:
                    column[row] = _CODES[self._without_results(row, arch, Status.EXCLUDE_MODEL)]
        return column

    @cached_property
    def _kinds(self) -> tuple[Sequence[int], Sequence[int]]:
        """One row of each kind, and the kind of each row: a few hundred pairs of marks and jobs cover all rows."""
        masks = self.matrix.flags["arch"].masks
        selected = self._jobs.selected
        pairs = list(zip(masks, selected.codes if selected else bytes(len(masks)), strict=True))
        examples = {pair: row for row, pair in enumerate(pairs)}
        numbers = {pair: number for number, pair in enumerate(examples)}
        return list(examples.values()), list(map(numbers.__getitem__, pairs))

    def _without_results(self, row: int, arch: str, status: Status) -> Verdict:
        scheduled, silent_runs = self._jobs.scheduled(row, arch)
        expected = Expected(status, scheduled=scheduled, silent_runs=silent_runs)
        return judge("", {arch: expected}, {}, self.policy)[0].verdict


_DAY = 86_400.0
"""In seconds."""
_TURNS = {False: BROKE, True: FIXED}
_READ_FIRST = 100
"""So many of the newest results of a difference are read to see where it began; then all, if it began before."""
_MOST_OTHERS = 100
"""For a cell, so many results each are listed that were not run or broke before the model ran."""
_WORDS = ("", *Verdict)
_CODES = {verdict: _WORDS.index(verdict) for verdict in Verdict}


def _words_of(series: Series) -> tuple[str, str]:
    return _course_words(series.first_bad.when if series.first_bad else None, series.flakiness)


def _course_words(first_bad: float | None, flakiness: float) -> tuple[str, str]:
    return day_of(first_bad or 0.0), f"{flakiness:.2f}"
