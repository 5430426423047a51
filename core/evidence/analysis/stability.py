# SPDX-License-Identifier: Apache-2.0
"""How stable the results of op cases are from run to run; cases are matched by what they compute, not by name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.evidence.observation import RAN, Ending, Observation
from core.evidence.series import Series


class Stability(StrEnum):
    """How the results of one test on one backend changed from run to run."""

    STEADY = "steady"
    """It passed in all runs."""
    NEW_FAIL = "new fail"
    """It fails in the last run, and passed in the one before."""
    FIXED = "fixed"
    """It passes in the last run, and failed in the one before."""
    STILL_FAILING = "still failing"
    FLAKY = "flaky"
    """It has passed and failed with the same commit, torch and tolerances."""


@dataclass(frozen=True, slots=True)
class Course:
    """The results of one test on one backend over time."""

    key: str
    """The digest of the computation."""
    backend: str
    ids: tuple[str, ...]
    """The cases that are this test."""
    stability: Stability
    since: str
    """The first of the uninterrupted failures, or passes, at the end; empty: nothing has changed."""
    rows: tuple[Observation, ...]
    """Its results, oldest first, one per run."""


def courses(observations: Iterable[Observation]) -> Iterator[Course]:
    """The course of every test that has run, by its first case, then by backend. `observations` are oldest first."""
    found: dict[tuple[str, str], list[Observation]] = {}
    for one in observations:
        if one.op is not None and one.op.key and one.ending in RAN:
            found.setdefault((one.op.key, one.arch), []).append(one)
    for (key, backend), rows in sorted(found.items(), key=lambda item: (item[1][0].test_id, item[0][1])):
        # Duplicates repeat the result of the case that represents them.
        runs = {(row.run, row.job, row.when): row for row in reversed(rows)}
        single = tuple(reversed(runs.values()))
        stability, since = _stability(single)
        yield Course(key, backend, tuple(dict.fromkeys(row.test_id for row in rows)), stability, since, single)


def _stability(rows: Sequence[Observation]) -> tuple[Stability, str]:
    series = Series(rows)
    failing = series.first_bad is not None
    since = series.spell[0].run if series.turns or failing else ""
    if _is_flaky(rows):
        return Stability.FLAKY, since
    if not failing:
        return (Stability.FIXED if series.turned else Stability.STEADY), since
    return (Stability.NEW_FAIL if series.turned else Stability.STILL_FAILING), since


def _is_flaky(rows: Sequence[Observation]) -> bool:
    """Whether it both passed and failed with the same code, torch and tolerances, so that something else decides."""
    ends: dict[object, set[bool]] = {}
    for row in rows:
        assert row.op is not None
        if row.commit:
            same = row.commit, row.op.torch, row.op.rtol, row.op.atol
            ends.setdefault(same, set()).add(row.ending is Ending.PASSED)
    return any(len(both) == 2 for both in ends.values())
