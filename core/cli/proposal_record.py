# SPDX-License-Identifier: Apache-2.0
"""Proposals as a file has them: `propose` writes it, `core.edits.pending.parse_proposals` reads it."""

from collections.abc import Iterable

from core.base.files import plain
from core.cli import records
from core.edits import to_json
from core.edits.commit import issue_url
from core.evidence.proposals import Proposal


def proposal_records(proposals: Iterable[Proposal], commit: str) -> list[records.FullProposal]:
    """The JSON form.

    `base` is in every proposal, so that files can be cut and joined: the commit of the checkout (empty if git knows
    none), and the entry as it was, null if there was none.
    """
    return [
        records.FullProposal(
            id=one.id,
            arch=", ".join(one.archs),
            verdict=", ".join(one.verdicts),
            grade=one.grade,
            grade_why=one.grade_why,
            since=one.since,
            cause=one.cause.text,
            why=one.why,
            evidence=one.evidence,
            facts=plain(one.facts),
            issues=one.issues,
            restore_when_closed=issue_url(one.restore) if one.restore else "",
            ops=to_json(one.ops),
            leaves_ci=one.leaves,
            base=records.ProposalBase(commit=commit, file=one.base.file, fields=one.base.fields),
        )
        for one in proposals
    ]
