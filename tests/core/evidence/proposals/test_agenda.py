# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.inbox: everything to decide about a checkout."""

from pathlib import Path

from core.ci import read_ci, selected
from core.evidence import Ending
from core.evidence.proposals import Concern, agenda
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import index
from core.sources import read_model_infos
from tests.support.evidence import observed
from tests.support.sample import sample_checkout


def test_proposals_what_waits_and_what_nobody_knows(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    failing = [id for id, entry in matrix.entries.items() if entry.fields.get("status") == "KNOWN_FAILURE_XFAIL"]
    xfails = [id for id in failing if "single_device" in id]
    rows = [observed(test_id=xfails[0], run=f"nightly-{n}", when=float(n)) for n in range(4)]
    endings = (Ending.PASSED, Ending.FAILED) * 2
    rows += [observed(one, "x", test_id=xfails[1], run=f"nightly-{n}", when=n) for n, one in enumerate(endings)]
    found = agenda(Verdicts(matrix, rows, Policy(), selected(ci)), ci)
    concerns = {one.id: one.concern for one in found.items}
    assert [one.id for one in found.proposals] == [xfails[0]]
    assert [one.id for one in found.not_proposed] == [xfails[1]]
    assert (concerns[xfails[0]], concerns[xfails[1]]) == (Concern.DECIDE, Concern.NOT_PROPOSED)
    assert set(concerns.values()) == set(Concern)
    assert concerns.keys() <= matrix.entries.keys()
