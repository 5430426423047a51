# SPDX-License-Identifier: Apache-2.0
"""Results of op cases in numbers: pass rates, coverage, savings of dedupe, stability and time, by backend."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple, TypeVar

from core.evidence.analysis.stability import Stability, courses
from core.evidence.observation import Ending, Observation
from core.ops import OpCase, case_key, computes_nothing

_Name = TypeVar("_Name")

_DAY = 86400.0
Seen = Mapping[str, Mapping[str, Sequence[Observation]]]
"""Results by id of a case and by backend, oldest first."""
_COUNTED_AS = {
    "pass": "passed",
    "xpass": "passed",
    "fail": "failed",
    "crash": "failed",
    "timeout": "failed",
    "error(ref)": "errors",
    "build-error": "errors",
    "xfail": "xfailed",
    "skip": "skipped",
    "not-an-op": "skipped",
    # The representing case was not run, so there is no verdict to copy.
    "dup": "missing",
}


class Tally(NamedTuple):
    """The last results of some cases on one backend. Each case is in one of the six counts after `cases`."""

    cases: int
    passed: int
    """`pass` and `xpass`; in this and all other counts, a duplicate counts like the case that represents it."""
    failed: int
    """`fail`, `crash` and `timeout`."""
    errors: int
    """`error(ref)` and `build-error`."""
    xfailed: int
    skipped: int
    missing: int
    """Without a result."""
    duplicates: int
    """The number of cases that copied their verdict from another case."""
    seconds: float
    """Time of the cases that were run themselves: inputs, reference, compiling and running."""

    @property
    def executed(self) -> int:
        """Cases that were run themselves."""
        return self.passed + self.failed + self.errors + self.xfailed - self.duplicates

    @property
    def pass_rate(self) -> float | None:
        """The passed share of the cases that passed, failed or had an error; None: there are none."""
        return _part(self.passed, self.passed + self.failed + self.errors)

    @property
    def saved(self) -> float | None:
        """The savings of dedupe: the share of duplicates among the cases with a verdict; None: there are none."""
        return _part(self.duplicates, self.duplicates + self.executed)

    @property
    def seconds_per_case(self) -> float | None:
        """The mean over the cases that were run themselves; None: there are none."""
        return self.seconds / self.executed if self.executed else None


class Steadiness(NamedTuple):
    """How stable the results of some tests on one backend are. Equal cases are one test."""

    tests: int
    compared: int
    """Tests with results of two runs or more; the other numbers count among these."""
    steady: int
    still_failing: int
    new_fail: int
    fixed: int
    flaky: int

    @property
    def rate(self) -> float | None:
        """The share of compared tests that ended as in the run before and are not flaky."""
        return _part(self.steady + self.still_failing, self.compared)


class BackendNumbers(NamedTuple):
    """Numbers from the last results of the selected cases on one backend."""

    backend: str
    total: Tally
    by_model: dict[str, Tally]
    by_op: dict[str, Tally]
    grid: dict[tuple[str, str], Tally]
    """By op and model; only pairs with cases."""
    ops: int
    """Distinct ops for coverage: those of the cases that compute something, or a given list."""
    enabled: int
    """Those of them with at least one passing case."""
    steadiness: Steadiness

    @property
    def coverage(self) -> float | None:
        """The share of enabled ops; None: there are no ops."""
        return _part(self.enabled, self.ops)


def measure_results(
    selected: Sequence[OpCase], seen: Seen, backends: Collection[str] = (), enabled_ops: Collection[str] = ()
) -> list[BackendNumbers]:
    """The numbers of a selection on every backend with results, or on those of `backends` that have some.

    A result counts as long as the digest of its case is the same. Backends are in alphabetical order. Coverage is
    measured against `enabled_ops`, or if that is empty against the ops of the cases.
    """
    counted = {row.id: _still_valid(row, seen[row.id]) for row in selected if row.id in seen}
    found = sorted({backend for results in counted.values() for backend, rows in results.items() if rows})
    wanted = [backend for backend in found if not backends or backend in backends]
    return [_numbers(selected, counted, backend, enabled_ops) for backend in wanted]


def _still_valid(row: OpCase, results: Mapping[str, Sequence[Observation]]) -> dict[str, list[Observation]]:
    key = case_key(row)
    return {backend: [one for one in rows if _is_valid(one, key)] for backend, rows in results.items()}


def _is_valid(one: Observation, key: str) -> bool:
    if one.op is None:
        return False
    return one.op.key == key or (not one.op.key and one.ending is Ending.NOT_RUN)


def _numbers(
    selected: Sequence[OpCase],
    counted: Mapping[str, Mapping[str, Sequence[Observation]]],
    backend: str,
    enabled_ops: Collection[str],
) -> BackendNumbers:
    results = [counted.get(row.id, {}).get(backend, ()) for row in selected]
    last = [rows[-1] if rows else None for rows in results]

    by_op = _tallies((row.case.op for row in selected), last)
    ops = {*enabled_ops} or {row.case.op for row in selected if not computes_nothing(row.case)}
    return BackendNumbers(
        backend=backend,
        total=_tally(last),
        by_model=_tallies((row.manifest.model for row in selected), last),
        by_op={op: by_op[op] for op in sorted(by_op)},
        grid=_tallies(((row.case.op, row.manifest.model) for row in selected), last),
        ops=len(ops),
        enabled=sum(1 for op in ops if op in by_op and by_op[op].passed),
        steadiness=_steadiness(one for rows in results for one in rows),
    )


class Night(NamedTuple):
    """The results of op cases on one backend in one day."""

    day: int
    """Its number since the epoch, in UTC."""
    ran: int
    """Cases that passed, failed or had an error; a duplicate counts like the case that represents it."""
    passed: int


def nights(results: Iterable[Observation], since: float) -> dict[str, list[Night]]:
    """By backend, a night for each day with results after `since`, oldest first: the last result of a case counts."""
    last: dict[str, dict[int, dict[str, str]]] = {}
    for one in results:
        if one.op is not None and one.when >= since:
            days = last.setdefault(one.arch, {})
            days.setdefault(int(one.when // _DAY), {})[one.test_id] = _COUNTED_AS.get(one.op.status, "missing")
    return {
        backend: [_night(day, days[day].values()) for day in sorted(days)] for backend, days in sorted(last.items())
    }


def _night(day: int, counted_as: Iterable[str]) -> Night:
    found = list(counted_as)
    ran = sum(found.count(word) for word in ("passed", "failed", "errors"))
    return Night(day, ran, found.count("passed"))


def _tallies(names: Iterable[_Name], last: Iterable[Observation | None]) -> dict[_Name, Tally]:
    groups: dict[_Name, list[Observation | None]] = {}
    for name, one in zip(names, last, strict=True):
        groups.setdefault(name, []).append(one)
    return {name: _tally(group) for name, group in groups.items()}


def _tally(last: Sequence[Observation | None]) -> Tally:
    counts = dict.fromkeys(("passed", "failed", "errors", "xfailed", "skipped", "missing"), 0)
    duplicates, seconds = 0, []
    for one in last:
        counted_as = _COUNTED_AS[one.op.status] if one and one.op else "missing"
        counts[counted_as] += 1
        if one and one.op and counted_as not in ("skipped", "missing"):
            if one.op.dup_of:
                duplicates += 1
            else:
                seconds.append(one.seconds)
    return Tally(cases=len(last), **counts, duplicates=duplicates, seconds=fsum(seconds))


def _steadiness(rows: Iterable[Observation]) -> Steadiness:
    found = list(courses(sorted(rows, key=lambda row: row.when)))
    compared = [one.stability for one in found if len(one.rows) > 1]
    return Steadiness(
        tests=len(found),
        compared=len(compared),
        steady=compared.count(Stability.STEADY),
        still_failing=compared.count(Stability.STILL_FAILING),
        new_fail=compared.count(Stability.NEW_FAIL),
        fixed=compared.count(Stability.FIXED),
        flaky=compared.count(Stability.FLAKY),
    )


def _part(of: int, all: int) -> float | None:
    return of / all if all else None
