# SPDX-License-Identifier: Apache-2.0
"""Verdicts and the last results of op cases as columns for queries, computed above the matrix and passed in."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_

from core.domain.model import Status
from core.matrix.columns import AnyColumn, Column, FlagColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import BACKENDS, RESULTS, fitted, with_rows

VERDICT, STALE = "verdict", "stale"
"""The names of the columns, and the value of the field `is` that the second one provides."""
TURNED = "turned"
"""The column of tests whose newest result differs from the one before, and its words."""
BROKE, FIXED = "broke", "fixed"
FIRST_BAD, FLAKY = "first_bad", "flaky"
"""The columns of the day on which a cell began to fail, and of its flakiness."""
FAILED_ON = "failed_on"
"""The column of the machines on which a cell failed in the last four weeks."""
LAST = "last"
"""The column of what the newest result of each cell was, and its words: a pass has the first and one of the others."""
NIGHT = "night"
"""As LAST, without results from before the last day that has any."""
PASSED, AS_EXPECTED, UNEXPECTED = LAST_WORDS = ("passed", "as-expected", "unexpected")
NUMBERS = ("samples_per_s", "run_s", "compile_s", "peak_mb")
"""The columns of the newest time, throughput and memory of each test."""
BACKEND, RESULT = "backend", "result"
_WORST_FIRST = ("crash", "timeout", "fail", "error(ref)", "build-error", "xpass", "xfail", "pass")
"""Results of an op case, those that need attention first; any other one says nothing about it."""
"""The columns of op cases: the backends with a result, and the result there."""
_STALE = (STALE, "semi-stale")


@dataclass(frozen=True)
class VerdictColumns:
    """The facts of the provider `RUNS` of `core.providers.base`."""

    matrix: Matrix
    by_arch: Mapping[str, Column]
    """The verdict on each row's cell on an arch; empty if there is no such cell."""
    cases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The last result of each op case by backend, one of RESULTS."""
    turned: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """BROKE or FIXED by id and arch, for cells whose newest result differs from the one before."""
    courses: Callable[[], Mapping[str, Mapping[str, tuple[str, str]]]] = dict
    """FIRST_BAD and FLAKY of each cell that has run, by id and arch; the first is empty if it passes.

    A function, because it takes a while and few queries need it.
    """
    failed_on: Callable[[], Mapping[str, Mapping[str, Collection[str]]]] = dict
    """The machines of FAILED_ON by id and arch; a function for the same reason as `courses`."""
    newest: Callable[[], Mapping[str, Mapping[str, tuple[str, ...]]]] = dict
    """LAST_WORDS of the newest result of each cell that ran, by id and arch; a function for the same reason."""
    of_night: Callable[[], Mapping[str, Mapping[str, tuple[str, ...]]]] = dict
    """As `newest`, without results from before the last day that has any."""
    judge_cases: Callable[[], Mapping[str, Mapping[str, str]]] = dict
    """The verdicts of `case_verdicts`; a function, because it reads manifests, which other columns do not need."""

    judge_alone: Callable[[], Mapping[str, Mapping[str, str]]] = dict
    """The verdicts of `alone`; a function, because it reads all their results."""

    numbers: Callable[[], Mapping[str, Mapping[str, Mapping[str, str]]]] = dict
    """The newest of NUMBERS by id, arch and name; a function, because it reads all runs."""

    @cached_property
    def case_verdicts(self) -> Mapping[str, Mapping[str, str]]:
        """The verdict on each op case with results, by id and backend."""
        return self.judge_cases()

    @cached_property
    def alone(self) -> Mapping[str, Mapping[str, str]]:
        """The verdict on each other row with results that has no entry, such as a benchmark, by id and arch."""
        return self.judge_alone()

    def column(self, name: str, arch: str) -> AnyColumn:
        """STALE: whether it passes on any arch where it should not. Others: on `arch`, or with NO_ARCH on any."""
        if name == STALE:
            return self._stale
        if name == TURNED:
            return self._turned(arch)
        if name in (FIRST_BAD, FLAKY):
            return self._course(name, arch)
        if name == FAILED_ON:
            return self._failed_on(arch)
        if name == LAST:
            return self._endings(self.last, arch)
        if name == NIGHT:
            return self._endings(self.night, arch)
        if name in NUMBERS:
            return self._number(name, arch)
        return self._any if arch == NO_ARCH else self.by_arch.get(arch, self._none)

    def others(self, name: str, arch: str) -> Mapping[str, tuple[str, ...]]:
        """Their newest performance; what else is known of op cases has functions of its own."""
        if name not in NUMBERS:
            return {}
        known = {id: one for id, one in self.known_numbers.items() if id not in self.matrix.rows}
        found = {id: _numbers_on(arch, one, name) for id, one in known.items()}
        return {id: texts for id, texts in found.items() if texts}

    @cached_property
    def backends(self) -> tuple[str, ...]:
        """All backends that queries may name: the known ones, then those with results."""
        return tuple(dict.fromkeys((*BACKENDS, *sorted({name for found in self.cases.values() for name in found}))))

    def words(self, matrix: Matrix, row: int, arch: str) -> str:
        """The verdicts on a row of `matrix`: for an op case `eager active  inductor regressed`, for a model test by
        arch, or that on `arch` alone. A single word if all are equal.
        """
        if matrix.ids[row] in self.case_verdicts:
            found = self.case_verdicts[matrix.ids[row]]
        elif row >= len(self.matrix.ids):
            known = self.alone.get(matrix.ids[row], {})
            found = {place: word for place, word in known.items() if arch in (NO_ARCH, place)}
        else:
            found = {place: column[row] for place, column in self.by_arch.items() if arch in (NO_ARCH, place)}
        known = {place: word for place, word in found.items() if word}
        words = {*known.values()}
        return words.pop() if len(words) == 1 else words_by_place(known)

    def with_cases(self, matrix: Matrix, name: str, arch: str, asked: Sequence[str] = ()) -> AnyColumn:
        """VERDICT and STALE of all rows of `matrix`: of model tests as in `column`, of op cases on the backends in
        `asked`, or on all if that is empty, and of other rows on `arch`, or with NO_ARCH on any.
        """
        models = fitted(self.column(name, arch), len(matrix.ids))
        rows: dict[int, tuple[str, ...]] = {}
        # Their results are read only where there are such rows.
        others = self._on_others(arch) if len(matrix.ids) > len(self.matrix.ids) else ()
        for id, words in (*self._on_cases(asked), *others):
            if name == STALE:
                words = (STALE,) if set(_STALE).intersection(words) else ()
            if words and id in matrix.rows:
                rows[matrix.rows[id]] = words
        return with_rows(models, rows)

    def _on_cases(self, asked: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        wanted = self._wanted(asked)
        for id, found in self.case_verdicts.items():
            yield id, tuple(word for backend, word in found.items() if backend in wanted)

    def _on_others(self, arch: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        for id, found in self.alone.items():
            yield id, tuple(dict.fromkeys(word for place, word in found.items() if arch in (NO_ARCH, place)))

    def of_cases(self, matrix: Matrix, name: str, asked: Sequence[str] = ()) -> FlagColumn:
        """BACKEND: the backends on which each row of `matrix` has a result. RESULT: its results on the backends in
        `asked`, which may be parts of names as in a query; on all if that is empty.
        """
        wanted = self._wanted(asked)
        rows = {
            matrix.rows[id]: tuple(word for backend, word in found.items() if backend in wanted)
            if name == RESULT
            else tuple(found)
            for id, found in self.cases.items()
            if id in matrix.rows
        }
        vocabulary = RESULTS if name == RESULT else self.backends
        return FlagColumn.sparse(len(matrix.ids), (), rows, vocabulary).or_none()

    def on_backend(self, matrix: Matrix, backend: str) -> Column:
        """The last result of each row of `matrix` on one backend; empty if it has none."""
        found = {matrix.rows[id]: words.get(backend, "") for id, words in self.cases.items() if id in matrix.rows}
        return Column.sparse(len(matrix.ids), "", found)

    def worst(self, matrix: Matrix) -> Column:
        """The worst of the last results of each row of `matrix` on its backends; a row without one is UNSPECIFIED."""
        ranks = {word: rank for rank, word in enumerate(_WORST_FIRST)}
        found = {
            matrix.rows[id]: min(words.values(), key=lambda word: ranks.get(word, len(ranks)))
            for id, words in self.cases.items()
            if id in matrix.rows and words
        }
        return Column.sparse(len(matrix.ids), Status.UNSPECIFIED, found)

    def _turned(self, arch: str) -> FlagColumn:
        rows = {
            self.matrix.rows[id]: tuple(dict.fromkeys(word for one, word in found.items() if arch in (one, NO_ARCH)))
            for id, found in self.turned.items()
            if id in self.matrix.rows
        }
        return FlagColumn.sparse(len(self.matrix.ids), (), rows, (BROKE, FIXED)).or_none()

    def _course(self, name: str, arch: str) -> FlagColumn:
        at = (FIRST_BAD, FLAKY).index(name)
        return self._texts(
            {
                id: tuple(
                    dict.fromkeys(words[at] for one, words in found.items() if words[at] and arch in (one, NO_ARCH))
                )
                for id, found in self.courses().items()
            }
        )

    @cached_property
    def last(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The result of `newest`, read once."""
        return self.newest()

    @cached_property
    def night(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The result of `of_night`, read once."""
        return self.of_night()

    def _endings(self, endings: Mapping[str, Mapping[str, tuple[str, ...]]], arch: str) -> FlagColumn:
        """LAST_WORDS of the tests that have any in `endings`: on `arch`, or with NO_ARCH on any."""
        rows = {
            self.matrix.rows[id]: tuple(
                dict.fromkeys(word for on, words in found.items() if arch in (on, NO_ARCH) for word in words)
            )
            for id, found in endings.items()
            if id in self.matrix.rows
        }
        return FlagColumn.sparse(len(self.matrix.ids), (), rows, LAST_WORDS).or_none()

    def _failed_on(self, arch: str) -> FlagColumn:
        return self._texts(
            {
                id: tuple(dict.fromkeys(host for on, hosts in found.items() if arch in (on, NO_ARCH) for host in hosts))
                for id, found in self.failed_on().items()
            }
        )

    def _texts(self, found: Mapping[str, tuple[str, ...]]) -> FlagColumn:
        """A column of the texts of each test by id; the others get an empty text, so that queries can select them."""
        rows = {self.matrix.rows[id]: texts for id, texts in found.items() if id in self.matrix.rows}
        vocabulary = sorted({text for texts in rows.values() for text in texts})
        return FlagColumn.sparse(len(self.matrix.ids), (), rows, vocabulary).or_none()

    @cached_property
    def known_numbers(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """The result of `numbers`, read once."""
        return self.numbers()

    def _number(self, name: str, arch: str) -> FlagColumn:
        return self._texts({id: _numbers_on(arch, found, name) for id, found in self.known_numbers.items()})

    def number_words(self, name: str, arch: str) -> Mapping[str, str]:
        """The newest of one of NUMBERS by id: on `arch`, or with NO_ARCH all different ones."""
        found = {id: " ".join(_numbers_on(arch, known, name)) for id, known in self.known_numbers.items()}
        return {id: text for id, text in found.items() if text}

    def _wanted(self, asked: Sequence[str]) -> set[str]:
        return set(self._named(asked)) if asked else {*self.backends}

    def _named(self, asked: Sequence[str]) -> Iterator[str]:
        for value in map(str.lower, asked):
            whole = [one for one in self.backends if one.lower() == value]
            yield from whole or [one for one in self.backends if value in one.lower()]

    @cached_property
    def _none(self) -> Column:
        return Column.sparse(len(self.matrix.ids), "", {})

    @cached_property
    def _any(self) -> FlagColumn:
        words = tuple(dict.fromkeys(word for column in self.by_arch.values() for word in column.values if word))
        if not words:
            return FlagColumn((), [0] * len(self.matrix.ids)).or_none()
        bits = {word: 1 << at for at, word in enumerate(words)} | {"": 0}
        # A few combinations over all archs cover all rows.
        columns = tuple(self.by_arch.values())
        rows = list(zip(*(column.codes for column in columns), strict=True))
        masks = {
            codes: reduce(or_, (bits[column.values[code]] for column, code in zip(columns, codes, strict=True)))
            for codes in set(rows)
        }
        return FlagColumn(words, [masks[codes] for codes in rows]).or_none()

    @cached_property
    def _stale(self) -> Column:
        rows = self._any.select(range(len(self.matrix.ids)), _STALE)
        return Column.sparse(len(self.matrix.ids), "", dict.fromkeys(rows, STALE))


def words_by_place(found: Mapping[str, str]) -> str:
    """`n150 active  p150 stale`: a word for each arch or backend."""
    return "  ".join(f"{place} {word}" for place, word in found.items())


def _numbers_on(arch: str, found: Mapping[str, Mapping[str, str]], name: str) -> tuple[str, ...]:
    """The different texts of a number on `arch`, or with NO_ARCH on any; `found` is by arch and name."""
    return tuple(dict.fromkeys(known[name] for on, known in found.items() if name in known and arch in (on, NO_ARCH)))
