# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.group_edits: one status, reason and issue for all proposals of a group."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.ci import Ci, read_ci
from core.domain.model import BringupStatus, Status
from core.edits import fields_after
from core.evidence import Ending, Observation
from core.evidence.proposals import GroupEdit, Proposal, edited, propose, reasons_of
from core.evidence.verdicts import Verdict
from core.matrix import Matrix, index
from core.sources import ModelInfos
from tests.support.evidence import judged, observed
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
ISSUE = "https://github.com/tenstorrent/tt-xla/issues/7"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tree")))


def _row(id: str, arch: str, ending: Ending, reason: str = "") -> Observation:
    stage = BringupStatus.FAILED_RUNTIME if ending is Ending.FAILED else BringupStatus.PASSED
    return observed(ending, reason, test_id=id, arch=arch, stage=stage)


def _regressed(matrix: Matrix) -> tuple[Proposal, ...]:
    rows = [_row(TINY, arch, Ending.FAILED, f"TT_FATAL: no kernel for {arch}") for arch in ("n150", "p150")]
    return propose(matrix, [judged(Verdict.REGRESSED, [row], grade=1) for row in rows])[0]


def _fields(matrix: Matrix, proposals: Sequence[Proposal]) -> object:
    (one,) = proposals
    return fields_after(one.base.fields, one.ops)


def _ci(matrix: Matrix) -> Ci:
    return read_ci(matrix, ModelInfos({}, {}))


def test_one_reason_with_its_issue_in_place_of_each_own(matrix: Matrix) -> None:
    proposals = _regressed(matrix)
    assert sorted(reasons_of(proposals)) == ["TT_FATAL: no kernel for n150", "TT_FATAL: no kernel for p150"]
    made = edited(matrix, _ci(matrix), proposals, GroupEdit(reason="No kernel", issue=ISSUE))
    assert _fields(matrix, made) == {
        "status": "KNOWN_FAILURE_XFAIL",
        "bringup_status": "FAILED_RUNTIME",
        "reason": f"No kernel - {ISSUE}",
    }


def test_a_skip_in_place_of_an_expected_failure_keeps_what_explains_it(matrix: Matrix) -> None:
    made = edited(matrix, _ci(matrix), _regressed(matrix), GroupEdit(Status.NOT_SUPPORTED_SKIP, reason="No kernel"))
    assert _fields(matrix, made) == {
        "status": "NOT_SUPPORTED_SKIP",
        "bringup_status": "FAILED_RUNTIME",
        "reason": "No kernel",
    }


def test_only_on_the_chosen_archs(matrix: Matrix) -> None:
    made = edited(matrix, _ci(matrix), _regressed(matrix), GroupEdit(reason="No kernel", archs=("n150",)))
    assert made[0].archs == ("n150",)
    assert _fields(matrix, made) == {
        "status": "EXPECTED_PASSING",
        "arch_overrides": {
            "n150": {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_RUNTIME", "reason": "No kernel"}
        },
    }
    assert edited(matrix, _ci(matrix), _regressed(matrix), GroupEdit(archs=("galaxy-bh",))) == ()


def test_what_is_proposed_to_pass_can_be_expected_to_fail_all_the_same(matrix: Matrix) -> None:
    rows = [_row(TRAIN, arch, Ending.PASSED) for arch in ("n150", "p150")]
    proposals, _ = propose(matrix, [judged(Verdict.STALE, [row], grade=1) for row in rows])
    assert edited(matrix, _ci(matrix), proposals, GroupEdit(Status.KNOWN_FAILURE_XFAIL)) == (), "as it says already"
    made = edited(matrix, _ci(matrix), proposals, GroupEdit(issue=ISSUE))
    assert [one.ops for one in made] == [one.ops for one in proposals], "what passes needs no issue"
    made = edited(matrix, _ci(matrix), proposals, GroupEdit(Status.NOT_SUPPORTED_SKIP))
    assert _fields(matrix, made) == {
        "status": "NOT_SUPPORTED_SKIP",
        "bringup_status": "FAILED_RUNTIME",
        "reason": "Bad StatusOr access",
    }


def test_an_issue_for_a_threshold_that_is_only_lowered_brings_stage_and_reason(matrix: Matrix) -> None:
    """As `propose --issue` does."""
    rows = [observed(Ending.INACCURATE, "PCC", test_id=TINY, arch=arch, pcc=0.9671) for arch in ("n150", "p150")]
    tight = [judged(Verdict.PCC_TIGHT, [row], required_pcc=0.96, grade=1) for row in rows]
    proposals, _ = propose(matrix, tight)
    lower = {"status": "EXPECTED_PASSING", "required_pcc": 0.96}
    assert _fields(matrix, edited(matrix, _ci(matrix), proposals, GroupEdit())) == lower
    made = edited(matrix, _ci(matrix), proposals, GroupEdit(issue=ISSUE))
    explained = lower | {"bringup_status": "INCORRECT_RESULT", "reason": f"PCC 0.9671, below 0.99 - {ISSUE}"}
    assert _fields(matrix, made) == explained == _fields(matrix, propose(matrix, tight, issue=ISSUE)[0])
    made = edited(matrix, _ci(matrix), proposals, GroupEdit(reason="bfloat16", issue=ISSUE))
    assert _fields(matrix, made) == explained | {"reason": f"bfloat16 - {ISSUE}"}


def test_an_issue_goes_behind_a_reason_that_stays_and_is_the_reason_where_there_is_none(matrix: Matrix) -> None:
    rows = [_row(TRAIN, arch, Ending.FAILED, "Bad StatusOr access") for arch in ("n150", "p150")]
    stage = [replace(row, stage=BringupStatus.FAILED_TTMLIR_COMPILATION) for row in rows]
    proposals, _ = propose(matrix, [judged(Verdict.DRIFTED, [row], grade=1) for row in stage])
    assert [op.path for one in proposals for op in one.ops] == [("bringup_status",)], "its reason is still true"
    made = _fields(matrix, edited(matrix, _ci(matrix), proposals, GroupEdit(issue=ISSUE)))
    assert isinstance(made, dict) and made["reason"] == f"Bad StatusOr access - {ISSUE}"
    rows = [_row(TINY, arch, Ending.FAILED, "INTERNAL: Error code: 13") for arch in ("n150", "p150")]
    proposals, _ = propose(matrix, [judged(Verdict.REGRESSED, [row], grade=1) for row in rows])
    made = _fields(matrix, edited(matrix, _ci(matrix), proposals, GroupEdit(issue=ISSUE)))
    assert isinstance(made, dict) and made["reason"] == ISSUE


def test_without_an_edit_a_proposal_stays_as_it_is(matrix: Matrix, tmp_path: Path) -> None:
    proposals = _regressed(matrix)
    assert [one.ops for one in edited(matrix, _ci(matrix), proposals, GroupEdit())] == [one.ops for one in proposals]
    # Also a new entry.
    rows = [
        _row("delta/pytorch-single_device-inference", arch, Ending.FAILED, "TT_FATAL: no") for arch in ("n150", "p150")
    ]
    new, _ = propose(matrix, [judged(Verdict.NEW, [row], grade=1) for row in rows])
    assert [one.ops for one in edited(matrix, _ci(matrix), new, GroupEdit())] == [one.ops for one in new]
    made = edited(matrix, _ci(matrix), new, GroupEdit(issue=ISSUE))
    assert isinstance(made[0].ops[0].value, dict) and made[0].ops[0].value["reason"] == f"TT_FATAL: no - {ISSUE}"
