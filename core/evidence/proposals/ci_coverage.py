# SPDX-License-Identifier: Apache-2.0
"""Which proposals take a test out of CI: a promotion can leave it to no scheduled job (docs/rules.md 3.6)."""

from collections.abc import Sequence
from dataclasses import replace

from core.ci import Ci
from core.edits import CellChange, effect, plan
from core.evidence.proposals.proposal import Proposal
from core.matrix import Matrix


def with_leaving(matrix: Matrix, ci: Ci, proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """`proposals`, each with the archs on which a scheduled job selects its test now, and none would then."""
    planned = plan(matrix.checkout.test_config, [op for one in proposals for op in one.ops], matrix.schema)
    left: dict[str, list[str]] = {}
    for change in effect(matrix, planned, ci):
        if change.jobs_lost and not change.jobs_gained and _all_lost(change, ci):
            left.setdefault(change.id, []).append(change.arch)
    return tuple(replace(one, leaves=tuple(left.get(one.id, ()))) for one in proposals)


def _all_lost(change: CellChange, ci: Ci) -> bool:
    had = {job for job, _ in ci.selector.jobs(ci.jobs, change.id) if job.runs_on == change.arch}
    return had <= set(change.jobs_lost)
