# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.proposal: proposals after which no scheduled job selects a test."""

from pathlib import Path

from core.ci import read_ci
from core.domain.model import Entry, Status
from core.evidence.proposals import propose
from core.evidence.verdicts import Verdict
from core.matrix import index, with_fields
from core.sources import read_model_infos
from tests.support.evidence import judged, observed
from tests.support.sample import sample_checkout


def test_promotions_that_no_job_takes_up_say_so_first(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    infos = read_model_infos(matrix.checkout, matrix.loaders.values())
    ci = read_ci(matrix, infos)
    failing = [id for id, entry in matrix.entries.items() if entry.fields.get("status") == Status.KNOWN_FAILURE_XFAIL]
    judgements = [
        judged(Verdict.STALE, [observed(test_id=id, arch=arch)]) for id in failing for arch in ("n150", "p150")
    ]
    proposals = propose(matrix, judgements, ci=ci)[0]
    assert proposals
    for one in proposals:
        entries = {**matrix.entries, one.id: _promoted(matrix.entries[one.id])}
        after = ci.under(entries)
        for arch in ("n150", "p150"):
            had, has = (
                [job for job, _ in side.selector.jobs(ci.jobs, one.id) if job.runs_on == arch] for side in (ci, after)
            )
            assert (arch in one.leaves) == (bool(had) and not has)
            assert one.why.startswith("Will leave CI on ") == bool(one.leaves)
    assert any(one.leaves for one in proposals) and any(not one.leaves for one in proposals)


def _promoted(entry: Entry) -> Entry:
    overrides = {arch: {**values, "status": "EXPECTED_PASSING"} for arch, values in entry.overrides.items()}
    return with_fields(entry, {**entry.fields, "status": "EXPECTED_PASSING", "arch_overrides": overrides})
