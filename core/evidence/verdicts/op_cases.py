# SPDX-License-Identifier: Apache-2.0
"""The verdicts on op cases, by case and backend, from the results that still match the case as written now."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from core.domain.model import Function
from core.evidence.observation import RAN, Ending, Observation
from core.evidence.series import Series
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.policy import Policy
from core.evidence.verdicts.verdict import Judgement, judge, with_history
from core.ops import OpCase, OpTests, case_key, expectation


class OpVerdicts:
    """The verdicts from `observations`, oldest first, on the op cases of a checkout under `policy`.

    A cell is a case on a backend with results of it. The manifest gives the expectation. A result only counts if its
    tolerances and digest are those of the present case.
    """

    def __init__(
        self,
        tests: OpTests,
        observations: Iterable[Observation],
        policy: Policy,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.policy = policy
        self.rows = {row.id: row for row in tests.rows}
        self._environment = environment
        counting = (one for one in observations if one.host not in policy.ignored_hosts)
        self.seen = results_that_count(self.rows, counting)
        """Results that count, by case and backend, oldest first."""

    @cached_property
    def judged(self) -> Mapping[str, Sequence[Judgement]]:
        """The judgements on every case with results, by id, in the order of the manifests."""
        return {id: self.of(id) for id in self.rows if id in self.seen}

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """The verdict as text on every case with results, by id and backend."""
        return {id: {one.arch: one.verdict for one in found} for id, found in self.judged.items()}

    def of(self, id: str) -> list[Judgement]:
        """The judgements on one case, by backend."""
        seen = self.seen.get(id, {})
        found = judge(id, {backend: self._expected(id, backend) for backend in sorted(seen)}, seen, self.policy)
        return [with_history(one, Series(seen[one.arch])) if one.grade else one for one in found]

    def _expected(self, id: str, backend: str) -> Expected:
        # The reason in a manifest is an explanation, not a quoted failure; an op has no required PCC.
        status, _ = expectation(self.rows[id], backend, self._environment)
        return Expected(status, pcc_checked=False)


def results_that_count(
    rows: Mapping[str, OpCase], observations: Iterable[Observation]
) -> dict[str, dict[str, list[Observation]]]:
    """Those of `observations` that match a case as written now, by its id and backend, in their order."""
    seen: dict[str, dict[str, list[Observation]]] = {}
    keys: dict[str, str] = {}
    for one in observations:
        row = rows.get(one.test_id) if Function(one.function).of_cases else None
        if row is None:
            continue
        # Once per case: a digest costs far more than everything else here.
        key = keys.get(row.id) or keys.setdefault(row.id, case_key(row))
        if _is_of(one, row, key):
            seen.setdefault(one.test_id, {}).setdefault(one.arch, []).append(one)
    return seen


def _is_of(one: Observation, row: OpCase, key: str) -> bool:
    """Whether a result matches the present case, whose digest is `key`."""
    if one.op is None or one.ending not in RAN:
        return one.op is not None
    if one.op.key and one.op.key != key:
        return False
    rtol, atol = row.case.rtol, row.case.atol
    if one.ending is Ending.PASSED:
        return one.op.rtol <= rtol and one.op.atol <= atol
    by_numbers = one.op.max_abs is not None
    return not by_numbers or (one.op.rtol >= rtol and one.op.atol >= atol)


def newest_by_backend(observations: Iterable[Observation], ids: Iterable[str]) -> Iterator[Observation]:
    """The last result of each of these op cases on each backend, by case, then by backend."""
    wanted = {id: number for number, id in enumerate(dict.fromkeys(ids))}
    found: dict[tuple[str, str], Observation] = {}
    for one in observations:
        if one.op is not None and one.test_id in wanted:
            found[one.cell] = one
    yield from (found[cell] for cell in sorted(found, key=lambda cell: (wanted[cell[0]], cell[1])))
