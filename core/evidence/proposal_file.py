# SPDX-License-Identifier: Apache-2.0
"""Proposals as a file that another person can look at, thin out and apply: each with the commit it was made on."""

from collections.abc import Iterable

from core.edits.operations import to_json
from core.evidence.propose import Proposal


def document(proposals: Iterable[Proposal], commit: str) -> list[dict[str, object]]:
    """The JSON form, which `core.edits.proposals.parse_proposed` reads.

    `base` stands in every proposal, so that a file can be cut and joined: the commit of the checkout (empty where git
    knows none), and the entry as it was, null where there was none.
    """
    return [
        {
            "id": one.id,
            "arch": ", ".join(one.archs),
            "verdict": ", ".join(one.verdicts),
            "why": one.why,
            "evidence": list(one.evidence),
            "ops": to_json(one.ops),
            "leaves_ci": list(one.leaves),
            "base": {"commit": commit, "file": one.base.file, "fields": one.base.fields},
        }
        for one in proposals
    ]
