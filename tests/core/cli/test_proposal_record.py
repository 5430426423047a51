# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.proposal: `apply` reads what was written."""

import json
from pathlib import Path

from core.base.text import json_text
from core.cli.command_propose import proposal_records
from core.edits.pending import parse_proposals
from core.evidence.proposals import propose
from core.evidence.verdicts import Verdict
from core.matrix import index
from tests.support.evidence import judged, observed
from tests.support.tree import TRAINING, sample

TRAIN = "alpha/pytorch-tiny-single_device-training"


def test_a_file_of_proposals_comes_back(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path))
    judgements = [judged(Verdict.STALE, [observed(test_id=TRAIN, arch=arch)]) for arch in ("n150", "p150")]
    proposals, _ = propose(matrix, judgements)
    written = json.loads(json_text(proposal_records(proposals, "abc")))
    assert {"id", "arch", "verdict", "why", "evidence", "ops"} <= written[0].keys()
    assert (written[0]["arch"], written[0]["verdict"]) == ("n150, p150", "stale")
    (read,) = parse_proposals(json.dumps(written)).made
    assert read.change.ops == proposals[0].ops
    assert read.change.bases == (proposals[0].base,)
    assert read.change.bases[0].file == TRAINING
    assert (read.commit, read.lines) == ("abc", (proposals[0].why, *proposals[0].evidence))
