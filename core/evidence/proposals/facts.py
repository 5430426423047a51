# SPDX-License-Identifier: Apache-2.0
"""What reviews, commits and pull requests cite of a proposal: runs, the commits between, gates, the lowest number."""

import math
from collections.abc import Callable, Sequence

from core.base.checked_numbers import day_of
from core.domain.model import Entry
from core.edits import CellFacts, CommitRange, Operation, RunFacts, with_gates
from core.evidence.analysis import Commits, commits_between
from core.evidence.ci_runs import job_page, run_page
from core.evidence.observation import RAN, Observation
from core.evidence.verdicts import Judgement, Verdict
from core.matrix import Matrix

Between = Callable[[Observation, Observation], tuple[CommitRange, ...]]
"""The commits between two results."""


def facts_of(
    judgements: Sequence[Judgement], entry: Entry | None, ops: Sequence[Operation], between: Between
) -> tuple[CellFacts, ...]:
    """The facts of each cell that a proposal with these operations is about."""
    return tuple(with_gates((_facts(one, between) for one in judgements), entry.fields if entry else None, ops))


def _facts(one: Judgement, between: Between) -> CellFacts:
    missing = one.verdict is Verdict.MISSING
    rows = [] if missing else [row for row in one.rows if row.ending in RAN]
    newest, before = rows[-1] if rows else None, one.last_reported
    first = one.first or (rows[0] if rows else None)
    numbers = [row.pcc for row in rows if row.pcc is not None and math.isfinite(row.pcc) and not row.shortcut]
    return CellFacts(
        id=one.id,
        arch=one.arch,
        ending=newest.ending.words if newest else str(one.verdict),
        cause=newest.reason if newest else "",
        results=len(rows),
        agreeing=sum(newest is not None and row.ending is newest.ending for row in rows),
        hosts=tuple(sorted({row.host for row in rows if row.host})),
        since=_run(first) if first else RunFacts(one.since),
        before=_run(before) if before else None,
        commits=between(before, first) if before and first else (),
        lowest=min(numbers, default=None),
        guidance=tuple(dict.fromkeys(tag for row in rows for tag in row.guidance)),
    )


def _run(row: Observation) -> RunFacts:
    return RunFacts(row.run, day_of(row.when), run_page(row), job_page(row))


def commit_ranges(matrix: Matrix) -> Between:
    """The commits between two results; git is asked once for each pair of commits."""
    known: dict[tuple[str, ...], tuple[CommitRange, ...]] = {}

    def between(before: Observation, since: Observation) -> tuple[CommitRange, ...]:
        key = before.commit, before.models_commit, since.commit, since.models_commit
        if key not in known:
            found = commits_between(before, since, matrix.checkout) if before.commit and since.commit else ()
            known[key] = tuple(_range(one) for one in found if one.between.before and one.between.after)
        return known[key]

    return between


def _range(one: Commits) -> CommitRange:
    count = None if one.between.unknown else len(one.between.commits)
    return CommitRange(one.name, one.between.before, one.between.after, count, one.url)
