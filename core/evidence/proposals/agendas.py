# SPDX-License-Identifier: Apache-2.0
"""From verdicts to what a person has to look at: proposals, what is not proposed and why, suspect machines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.ci import Ci
from core.edits import CellChange, effect, plan
from core.evidence.hosts import Suspect, suspects
from core.evidence.proposals.inbox import InboxItem, inbox_items
from core.evidence.proposals.proposal import NotProposed, Proposal, propose
from core.evidence.verdicts import Verdicts
from core.matrix import Matrix


@dataclass(frozen=True, slots=True)
class Agenda:
    """What is to be decided about one checkout."""

    proposals: tuple[Proposal, ...] = ()
    not_proposed: tuple[NotProposed, ...] = ()
    items: tuple[InboxItem, ...] = ()
    """Every test whose entry is not known to be true, most urgent first."""
    suspects: tuple[Suspect, ...] = ()
    tests: int = 0
    """How many tests have results."""


def agenda(verdicts: Verdicts, ci: Ci, *, issue: str = "", ages: Mapping[str, int] | None = None) -> Agenda:
    """Propose for every test with results, and list the entries with too little evidence."""
    matrix, judged = verdicts.matrix, verdicts.judged
    asked = [one for rows in judged.values() for one in rows]
    made, not_proposed = propose(matrix, asked, verdicts.policy, issue=issue, ages=ages)
    proposals = with_ci_losses(matrix, ci, made)
    silent = [one for id in matrix.entries if id in matrix.rows and id not in judged for one in verdicts.of(id)]
    observations = (row for archs in verdicts.seen.values() for rows in archs.values() for row in rows)
    return Agenda(
        proposals,
        not_proposed,
        inbox_items([*asked, *silent], proposals, not_proposed),
        suspects(observations),
        len(judged),
    )


def with_ci_losses(matrix: Matrix, ci: Ci, proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """`proposals`, each with the archs on which it takes its test out of CI.

    A scheduled job selects the test there now, and none would then: a promotion can leave it to no job, see
    docs/rules.md 3.6.
    """
    planned = plan(matrix.checkout.test_config, [op for one in proposals for op in one.ops], matrix.schema)
    left: dict[str, list[str]] = {}
    for change in effect(matrix, planned, ci):
        if change.jobs_lost and not change.jobs_gained and _all_lost(change, ci):
            left.setdefault(change.id, []).append(change.arch)
    return tuple(replace(one, leaves=tuple(left.get(one.id, ()))) for one in proposals)


def _all_lost(change: CellChange, ci: Ci) -> bool:
    had = {job for job, _ in ci.selector.jobs(ci.jobs, change.id) if job.runs_on == change.arch}
    return had <= set(change.jobs_lost)
