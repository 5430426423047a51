# SPDX-License-Identifier: Apache-2.0
"""What the tests of one group have in common: the error, since which run, where, of how many, and who else has it."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.observation import FAILURES, RAN, Observation
from core.evidence.proposals.causes import Cause, belongs_to
from core.evidence.proposals.inbox import InboxItem
from core.evidence.reasons import signature
from core.evidence.results import Results
from core.evidence.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Shared:
    """What is the same for tests with one cause."""

    cause: Cause
    error: str
    """The failure as its newest result says it; empty: there is none."""
    why: str
    """What the verdicts on all of them say; empty: they differ."""
    first: Observation | None
    """A result of the first run that shows it; None: there are several such runs, or none is known."""
    before: Observation | None
    """The last result before that."""
    archs: Mapping[str, int]
    """On how many tests it is so on each arch."""
    hosts: tuple[str, ...]
    grades: tuple[int, ...]
    """The different ones, lowest first."""
    tests: int
    of: int = 0
    """So many tests have results in the first run on these archs, those that are gone not among them; 0: unknown."""
    others: tuple[str, ...] = ()
    """Tests outside of the group whose newest result is the same failure, by id."""


def shared_by(items: Sequence[InboxItem], results: Results | None = None) -> Shared:
    """What these tests, of one cause, have in common. Without `results` it is not known of how many and who else."""
    cause = items[0].cause
    asking = [one for item in items for one in item.asking if belongs_to(one, cause)]
    rows = [row for one in asking for row in one.rows]
    failed = [row for row in rows if row.reason and row.ending in FAILURES]
    newest = max(failed, key=lambda row: row.when, default=None)
    first, before = _turn(asking)
    archs, whys = Counter(one.arch for one in asking), {one.why for one in asking}
    ids = {item.id for item in items}
    return Shared(
        cause=cause,
        error=newest.reason if newest else "",
        why=whys.pop() if len(whys) == 1 else "",
        first=first,
        before=before,
        archs=dict(archs),
        hosts=tuple(sorted({row.host for row in rows if row.host})),
        grades=tuple(sorted({item.proposal.grade for item in items if item.proposal})),
        tests=len(items),
        of=_of(results, first, archs) if results and first else 0,
        others=_others(results, newest, ids) if results and newest else (),
    )


def _turn(asking: Iterable[Judgement]) -> tuple[Observation | None, Observation | None]:
    """The first result since it is so, and the last one before, as close together as the tests show it."""
    known = [one for one in asking if one.since]
    if len({one.since for one in known}) != 1:
        return None, None
    firsts = [
        row for one in known if (row := one.first or (one.rows[0] if one.rows else None)) and row.run == one.since
    ]
    befores = [one.earlier[-1] for one in known if one.earlier]
    return min(firsts, key=_when, default=None), max(befores, key=_when, default=None)


def _when(row: Observation) -> float:
    return row.when


def _of(results: Results, first: Observation, archs: Collection[str]) -> int:
    return len({row.test_id for row in results.of_run(first.run) if row.arch in archs and row.ending in RAN})


def _others(results: Results, failed: Observation, ids: Collection[str]) -> tuple[str, ...]:
    cause = signature(failed.reason)
    same = {
        row.test_id
        for row in results.newest()
        if row.test_id not in ids and row.ending in FAILURES and row.reason and signature(row.reason) == cause
    }
    return tuple(sorted(same))
