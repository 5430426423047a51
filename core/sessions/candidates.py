# SPDX-License-Identifier: Apache-2.0
"""Which cells are worth a run, and why: changed code, too few results for a verdict, old results."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.base.text import counted
from core.domain.model import node_id
from core.evidence import RAN
from core.evidence.proposals import lacking_results
from core.evidence.verdicts import Judgement, Verdicts
from core.sessions.estimates import Estimates
from core.sessions.placing import Candidate

_CHANGED, _LACKS, _NEVER, _OLD = 8, 4, 2, 1
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What is known of cells."""

    verdicts: Verdicts
    estimates: Estimates
    changed: Collection[str]
    """The tests whose code has changed since their newest run."""
    now: float
    """Seconds since the epoch."""
    recent_days: float = 7.0
    """A result counts as recent for this many days."""


def candidates(ids: Iterable[str], archs: Collection[str], known: RankingInput) -> Iterator[Candidate]:
    """The cells of tests on `archs` that are worth a run. Cells with recent results and a verdict are left out."""
    for judgements in known.verdicts.of_each(ids):
        for one in judgements:
            if one.arch in archs and (found := _candidate(one, known)):
                yield found


def _candidate(one: Judgement, known: RankingInput) -> Candidate | None:
    rows = known.verdicts.seen.get(one.id, {}).get(one.arch, ())
    ran = [row for row in rows if row.ending in RAN]
    lacks = lacking_results(one, known.verdicts.policy.minimum_runs)
    reasons = list(_reasons(one, [row.when for row in ran], lacks, known))
    if not reasons:
        return None
    matrix = known.verdicts.matrix
    seconds = known.estimates.of(one.id, one.arch, node_id(matrix.function(matrix.rows[one.id]), one.id))
    value, why = sum(weight for weight, _ in reasons), tuple(text for _, text in reasons)
    length = known.estimates.guess if seconds is None else seconds
    return Candidate(one.id, one.arch, length, seconds is not None, value, why, max(1, lacks))


def _reasons(one: Judgement, when: Sequence[float], lacks: int, known: RankingInput) -> Iterator[tuple[int, str]]:
    if one.id in known.changed:
        yield _CHANGED, "its code has changed since its newest run"
    if lacks and when:
        yield _LACKS, f"{counted(lacks, 'result')} short of a verdict"
    if not when:
        yield _NEVER, "no result"
    elif (days := (known.now - max(when)) / _DAY) > known.recent_days:
        yield _OLD, f"newest result {days:,.0f} days old"
