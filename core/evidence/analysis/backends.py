# SPDX-License-Identifier: Apache-2.0
"""Op cases on two backends side by side: how each ended there, its numbers, and how far these are apart."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.base.errors import UsageError
from core.evidence.observation import FAILURES, RAN, Observation
from core.evidence.reasons import same_failure


class BackendKind(StrEnum):
    """How an op case differs between two backends. An expected failure counts as a failure."""

    ONLY_SECOND = "only second fails"
    ONLY_FIRST = "only first fails"
    OTHERWISE = "fail otherwise"
    BOTH = "both fail"
    MISSING = "one has no result"
    """No result on one of them, or one that was skipped or not compared: `error(ref)` and `build-error` do not tell."""
    PASS = "both pass"


NUMBERS = ("max_abs", "max_rel", "mismatched", "pcc", "seconds")
"""The numbers of a result: the measured errors, the percentage of mismatched elements, and the total time."""


@dataclass(frozen=True, slots=True)
class OnTwoBackends:
    """One op case with its last result on each of two backends; None: no result there."""

    id: str
    kind: BackendKind
    first: Observation | None
    second: Observation | None

    def numbers(self, name: str) -> tuple[float | None, float | None]:
        """One of NUMBERS on each side; None: it was not measured."""
        return _number(self.first, name), _number(self.second, name)

    def change(self, name: str) -> float | None:
        """The second backend's value of one of NUMBERS minus the first one's; None if one of them is missing."""
        first, second = self.numbers(name)
        return None if first is None or second is None else second - first


@dataclass(frozen=True, slots=True)
class BackendComparison:
    """Some op cases on two backends."""

    first: str
    second: str
    cases: tuple[OnTwoBackends, ...]
    """The cases with a result on either backend: by kind, then in the order of the request."""

    @property
    def counts(self) -> Mapping[BackendKind, int]:
        found = Counter(one.kind for one in self.cases)
        return {kind: found[kind] for kind in BackendKind}


def compare_backends(
    last: Mapping[str, Mapping[str, Observation]], ids: Iterable[str], backends: tuple[str, str]
) -> BackendComparison:
    """Compare the last results of op cases, given by id and backend, on two backends."""
    order = list(BackendKind)
    found: list[OnTwoBackends] = []
    for id in ids:
        sides = [last.get(id, {}).get(backend) for backend in backends]
        if any(sides):
            found.append(OnTwoBackends(id, _kind(*sides), *sides))
    return BackendComparison(*backends, tuple(sorted(found, key=lambda one: order.index(one.kind))))


def backends_of(last: Mapping[str, Mapping[str, Observation]], ids: Iterable[str]) -> tuple[str, ...]:
    """The backends on which any of these op cases has a result, the one with most results first."""
    counts = Counter(backend for id in ids for backend in last.get(id, {}))
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def two_backends(names: Sequence[str], known: Sequence[str]) -> tuple[str, str]:
    """The two backends to compare: the named ones, else eager and another one, else the two with most results.

    Raises UsageError if there are not two.
    """
    for name in names:
        if name not in known:
            raise UsageError(
                f"No op case has a result on {name!r}", f"Backends with results: {', '.join(known) or 'none'}"
            )
    rest = [name for name in known if name not in names]
    chosen = [*names, *sorted(rest, key=lambda name: name != "eager")][:2]
    if len(set(chosen)) < 2:
        have = f"There are results on {chosen[0]} alone." if chosen else "There are no results."
        raise UsageError("Two backends are needed to compare", have, "ttmatrix ops run ID... --backend NAME")
    return chosen[0], chosen[1]


def _kind(first: Observation | None, second: Observation | None) -> BackendKind:
    if first is None or second is None or first.ending not in RAN or second.ending not in RAN:
        return BackendKind.MISSING
    if first.ending in FAILURES and second.ending in FAILURES:
        return BackendKind.BOTH if same_failure(first, second) else BackendKind.OTHERWISE
    if second.ending in FAILURES:
        return BackendKind.ONLY_SECOND
    return BackendKind.ONLY_FIRST if first.ending in FAILURES else BackendKind.PASS


def _number(row: Observation | None, name: str) -> float | None:
    if row is None or row.op is None:
        return None
    value: float | None = row.seconds if name == "seconds" else getattr(row.op, name)
    return value
