# SPDX-License-Identifier: Apache-2.0
"""The verdicts on a whole matrix: what has evidence is judged once, what has none shares a few answers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from core.ci import Selected
from core.evidence.observation import RAN, Ending, Observation
from core.evidence.reports import arch_in
from core.evidence.verdicts.expected import Expected, declared_on, pins
from core.evidence.verdicts.policy import Policy
from core.evidence.verdicts.verdict import Judgement, Verdict, judge
from core.matrix import Column, Matrix
from core.matrix.query import BROKE, FIXED, Judged
from core.model import Function, Status
from core.sources.ci import Job


class Verdicts:
    """What `observations`, oldest first, say of every cell of `matrix` under `policy`.

    A test has a cell on each arch it is marked for, and on each other one that has results of it. Without `selected`
    nothing is known of jobs, and a cell without results is UNKNOWN.
    """

    def __init__(
        self, matrix: Matrix, observations: Iterable[Observation], policy: Policy, selected: Selected | None = None
    ) -> None:
        self.matrix = matrix
        self.policy = policy
        self._selected = selected
        self._jobs: dict[tuple[int, str], tuple[bool | None, int]] = {}
        self.seen: dict[str, dict[str, list[Observation]]] = {}
        """Results by test id and arch, oldest first."""
        self.of_cases: dict[str, dict[str, Observation]] = {}
        """The last result of each op case, by backend."""
        runs: dict[str, set[str]] = {}
        for one in observations:
            if one.op is not None:
                self.of_cases.setdefault(one.test_id, {})[one.arch] = one
                continue
            if one.arch in matrix.schema.archs and one.function not in _OTHERS:
                self.seen.setdefault(one.test_id, {}).setdefault(one.arch, []).append(one)
            if one.job:
                runs.setdefault(one.job, set()).add(one.run)
        self._runs_of_job = [_runs_of(job, runs, matrix.schema.archs) for job in selected.jobs] if selected else []

    @cached_property
    def judged(self) -> Mapping[str, Sequence[Judgement]]:
        """The judgements on every test with results, by id."""
        return {id: self.of(id) for id in self.seen if id in self.matrix.rows}

    def of(self, id: str) -> list[Judgement]:
        """The judgements on the cells of one test, in the order of the archs."""
        seen = self.seen.get(id, {})
        row = self.matrix.rows[id]
        marked = self.matrix.flags["arch"][row]
        archs = [arch for arch in self.matrix.schema.archs if arch in marked or arch in seen]
        return judge(id, self._expected(row, id, archs, seen), seen, self.policy, self._pins.get(id, ""))

    def facts(self) -> Judged:
        """The verdicts as columns for queries."""
        by_arch = {arch: self._silent(arch) for arch in self.matrix.schema.archs}
        for id, judgements in self.judged.items():
            row = self.matrix.rows[id]
            for one in judgements:
                by_arch[one.arch][row] = _CODES[one.verdict]
        columns = {arch: Column(_WORDS, bytes(column)) for arch, column in by_arch.items()}
        return Judged(self.matrix, columns, self.results, self.turned)

    @cached_property
    def turned(self) -> Mapping[str, Mapping[str, str]]:
        """The cells of which the newest result is a pass and the one before was none, or the other way round, by id and
        arch. Only where the newest is of the last day that has results of anything."""
        rows = [row for archs in self.seen.values() for found in archs.values() for row in found]
        since = max((row.when for row in rows), default=0) - _DAY
        turned: dict[str, dict[str, str]] = {}
        for id, archs in self.seen.items():
            for arch, found in archs.items():
                ran = [row for row in found if row.ending in RAN]
                if len(ran) > 1 and ran[-1].when > since:
                    before, now = (row.ending is Ending.PASSED for row in ran[-2:])
                    if before != now:
                        turned.setdefault(id, {})[arch] = FIXED if now else BROKE
        return turned

    @cached_property
    def results(self) -> Mapping[str, Mapping[str, str]]:
        """How each op case ended last on each backend, by id, in the words of `core.matrix.op_rows.RESULTS`."""
        return {
            id: {backend: one.op.status for backend, one in sorted(found.items()) if one.op is not None}
            for id, found in self.of_cases.items()
        }

    def result_words(self, id: str) -> str:
        """How an op case ended last on each backend: `eager pass  inductor fail`; empty without results."""
        return "  ".join(f"{backend} {word}" for backend, word in self.results.get(id, {}).items())

    @cached_property
    def _pins(self) -> Mapping[str, str]:
        return pins(self.matrix.files, self.policy)

    def _expected(self, row: int, id: str, archs: Sequence[str], seen: Collection[str]) -> dict[str, Expected]:
        training = self.matrix.columns["mode"][row] == "training"
        expected = {}
        for arch, claim in declared_on(self.matrix.entries.get(id), archs):
            scheduled, silent = self._scheduled(row, arch)
            silent = 0 if arch in seen else silent
            expected[arch] = claim.on(arch, training=training, scheduled=scheduled, silent_runs=silent)
        return expected

    def _silent(self, arch: str) -> bytearray:
        """Codes of the verdicts that all cells on `arch` would have without any results."""
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
        """One row of each kind, and the kind of each row: some hundred pairs of marks and jobs cover all rows."""
        masks = self.matrix.flags["arch"].masks
        pairs = list(zip(masks, self._selected.codes if self._selected else bytes(len(masks)), strict=True))
        examples = {pair: row for row, pair in enumerate(pairs)}
        numbers = {pair: number for number, pair in enumerate(examples)}
        return list(examples.values()), list(map(numbers.__getitem__, pairs))

    def _without_results(self, row: int, arch: str, status: Status) -> Verdict:
        scheduled, silent_runs = self._scheduled(row, arch)
        expected = Expected(status, scheduled=scheduled, silent_runs=silent_runs)
        return judge("", {arch: expected}, {}, self.policy)[0].verdict

    def _scheduled(self, row: int, arch: str) -> tuple[bool | None, int]:
        """Whether a job selects the cell, and how many runs of such jobs have brought results of anything."""
        if self._selected is None:
            return None, 0
        key = self._selected.codes[row], arch
        if key not in self._jobs:
            mask = self._selected.sets[key[0]]
            jobs = [at for at, job in enumerate(self._selected.jobs) if mask >> at & 1 and job.runs_on == arch]
            runs: set[str] = set().union(*(self._runs_of_job[at] for at in jobs))
            self._jobs[key] = bool(jobs), len(runs)
        return self._jobs[key]


_OTHERS = (Function.LLM_DECODE, Function.OP_BY_OP, Function.PLACEHOLDER, Function.OP_CASE)
"""They share ids with model tests and run something else (docs/rules.md 1.5), or are op cases."""
_DAY = 86_400.0
"""In seconds."""
_WORDS = ("", *Verdict)
_CODES = {verdict: _WORDS.index(verdict) for verdict in Verdict}


def _runs_of(job: Job, runs: Mapping[str, set[str]], archs: Sequence[str]) -> set[str]:
    """The runs with an artefact of `job`, which is named by its runner and its mark (docs/rules.md 3.4)."""
    mark = "-" + job.test_mark.replace(" ", "_")
    found = (names for name, names in runs.items() if name.endswith(mark) and arch_in(name, archs) == job.runs_on)
    return set().union(*found)
