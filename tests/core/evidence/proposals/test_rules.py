# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.rules: what the team's policy writes for each verdict."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.model import BringupStatus, Status
from core.evidence import Ending
from core.evidence.proposals.rules import wanted
from core.evidence.verdicts import Policy, Verdict
from core.matrix import with_fields
from tests.support.evidence import judged, observed

PASS, XFAIL, SKIP = (
    {"status": one.value} for one in (Status.EXPECTED_PASSING, Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)
)
CLEAN = {**PASS, "reason": None, "bringup_status": None}
LINK = "https://github.com/tenstorrent/tt-xla/issues/1"
POLICY = Policy()
FATAL = "TT_FATAL: Buffer must be allocated on device! (assert.hpp:104)"


def _failed(reason: str, ending: Ending = Ending.FAILED, **fields: Any) -> list[Any]:
    if ending is Ending.INACCURATE:
        fields["stage"] = BringupStatus.INCORRECT_RESULT
    elif ending is Ending.FAILED:
        fields["stage"] = BringupStatus.FAILED_RUNTIME
    return [observed(ending, reason, run=f"nightly-{number}", **fields) for number in (1, 2, 3)]


def _fields(verdict: Verdict, entry: Mapping[str, object], rows: list[Any] | None = None, **fields: Any) -> Any:
    found = wanted(judged(verdict, rows or (), **fields), with_fields(None, entry), POLICY)
    assert not found.refusal
    return found.fields


@pytest.mark.parametrize(
    ("verdict", "entry", "rows", "fields"),
    [
        (Verdict.STALE, {**XFAIL, "reason": "x"}, [], CLEAN),
        (Verdict.SEMI_STALE, {**SKIP, "reason": "x"}, [], CLEAN),
        # Wrong numbers: a lower threshold if they meet one, else no check.
        (Verdict.STALE, XFAIL, _failed("PCC", Ending.INACCURATE, pcc=0.9751), {**CLEAN, "assert_pcc": None, "required_pcc": 0.97}),
        (
            Verdict.DRIFTED,
            {**SKIP, "reason": "hangs"},
            _failed("PCC", Ending.INACCURATE, pcc=0.5),
            {**XFAIL, "bringup_status": "INCORRECT_RESULT", "reason": "PCC"},
        ),
        (
            Verdict.STALE,
            {**XFAIL, "assert_pcc": False},
            _failed("PCC", Ending.INACCURATE, pcc=math.nan),
            {**CLEAN, "assert_pcc": False, "required_pcc": None},
        ),
        (
            Verdict.STALE,
            XFAIL,
            _failed("PCC", Ending.INACCURATE, pcc=0.98, test_id="alpha/pytorch-tiny-single_device-training"),
            {**CLEAN, "assert_pcc": False, "required_pcc": None},
        ),
        # A passing test whose numbers are now far off is not hidden by disabling the check.
        (
            Verdict.REGRESSED,
            PASS,
            _failed("PCC comparison failed. Calculated: pcc=0.1. Required: pcc=0.99.", Ending.INACCURATE, pcc=0.1),
            {**XFAIL, "bringup_status": "INCORRECT_RESULT", "reason": "PCC comparison failed. Calculated: pcc=0.1. Required: pcc=0.99."},
        ),
        (Verdict.REGRESSED, PASS, _failed("PCC", Ending.INACCURATE, pcc=0.96), {"assert_pcc": None, "required_pcc": 0.95}),
        (
            Verdict.REGRESSED,
            PASS,
            _failed(FATAL),
            {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": FATAL},
        ),
        (Verdict.DRIFTED, {**XFAIL, "reason": "DRAM OOM"}, _failed(FATAL), {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": FATAL}),
        # The declared reason is as good, and links to an issue.
        (
            Verdict.DRIFTED,
            {**XFAIL, "reason": f"Buffer must be allocated on device - {LINK}"},
            _failed(FATAL),
            {**XFAIL, "bringup_status": "FAILED_RUNTIME"},
        ),
        # Forced to run, a skipped test fails without killing its process.
        (Verdict.DRIFTED, {**SKIP, "reason": "hang"}, _failed(FATAL, forced=True), {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": FATAL}),
        (
            Verdict.CRASH,
            {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": "x"},
            _failed("", Ending.CRASHED, signal=6),
            {**SKIP, "reason": "Running the test CRASHED with signal 6"},
        ),
        (Verdict.CRASH, {**PASS}, _failed("", Ending.CRASHED), {**SKIP, "bringup_status": None, "reason": "Running the test ended the process"}),
        (Verdict.HANG, {**XFAIL, "reason": "x"}, _failed("", Ending.HUNG), {**SKIP, "reason": "Test hangs"}),
        (Verdict.ACTIVE, XFAIL, [], {}),
        (Verdict.UNKNOWN, XFAIL, [], {}),
        (Verdict.UNUSED, XFAIL, [], {}),
    ],
)  # fmt: skip
def test_what_is_written(
    verdict: Verdict, entry: Mapping[str, object], rows: list[Any], fields: dict[str, object]
) -> None:
    assert _fields(verdict, entry, rows) == fields


def test_a_check_that_is_off_and_could_be_on_is_turned_on() -> None:
    off: dict[str, object] = {**PASS, "assert_pcc": False, "bringup_status": "INCORRECT_RESULT", "reason": "x"}
    # What explained why the check is off explains the low threshold.
    assert _fields(Verdict.PCC_LOOSE, off, required_pcc=0.97) == {**PASS, "assert_pcc": None, "required_pcc": 0.97}
    assert _fields(Verdict.PCC_LOOSE, off, required_pcc=0.99) == {**CLEAN, "assert_pcc": None, "required_pcc": None}
    assert _fields(Verdict.PCC_LOOSE, {**PASS, "required_pcc": 0.97}, required_pcc=0.99) == {
        "assert_pcc": None,
        "required_pcc": None,
    }


def test_a_threshold_too_high_comes_down_or_goes() -> None:
    assert _fields(Verdict.PCC_TIGHT, PASS, required_pcc=0.96) == {"assert_pcc": None, "required_pcc": 0.96}
    # An entry that expects a failure passes with it; what explained the failure explains the threshold.
    near: dict[str, object] = {**XFAIL, "bringup_status": "INCORRECT_RESULT", "reason": f"PCC 0.97 - {LINK}"}
    assert _fields(Verdict.PCC_TIGHT, near, required_pcc=0.96) == {**PASS, "assert_pcc": None, "required_pcc": 0.96}
    other: dict[str, object] = {**XFAIL, "reason": "DRAM OOM"}
    assert _fields(Verdict.PCC_TIGHT, other, required_pcc=0.96) == {**CLEAN, "assert_pcc": None, "required_pcc": 0.96}


def test_a_promotion_decides_status_check_and_threshold_together() -> None:
    rows = [observed(pcc=0.9961, pcc_required=0.99, run=f"nightly-{number}") for number in (1, 2, 3)]
    off: dict[str, object] = {**XFAIL, "assert_pcc": False, "reason": "x"}
    assert _fields(Verdict.STALE, off, rows) == {**CLEAN, "assert_pcc": None, "required_pcc": None}
    low: dict[str, object] = {**XFAIL, "required_pcc": 0.95, "reason": "x"}
    assert _fields(Verdict.STALE, low, rows)["required_pcc"] is None, "three results reach the default"
    assert _fields(Verdict.STALE, low, rows[:1])["required_pcc"] == 0.95, "one good night raises no bar"


def test_a_lower_threshold_says_why_where_an_issue_is_named() -> None:
    rows = _failed("PCC", Ending.INACCURATE, pcc=0.9671)
    found = wanted(judged(Verdict.PCC_TIGHT, rows, required_pcc=0.96), with_fields(None, PASS), POLICY, LINK)
    assert found.fields == {
        "assert_pcc": None,
        "required_pcc": 0.96,
        "bringup_status": "INCORRECT_RESULT",
        "reason": f"PCC 0.9671, below 0.99 - {LINK}",
    }


def test_what_is_gone_is_skipped_with_the_run_since_which_it_is() -> None:
    gone = judged(Verdict.MISSING, _failed(FATAL), since="nightly-7")
    fields = wanted(gone, with_fields(None, PASS), POLICY).fields
    assert fields == {
        **SKIP,
        "bringup_status": None,
        "reason": "No result since nightly-7: hangs or ends its process",
    }


def test_a_failure_that_says_nothing_is_expected_without_a_reason_and_a_person_writes_it() -> None:
    code = judged(Verdict.REGRESSED, _failed("Bad StatusOr access: INTERNAL: Error code: 13"))
    found = wanted(code, with_fields(None, PASS), POLICY)
    assert found.fields == {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": None}
    assert "write the reason" in found.caution
    # What explained the skip does not explain this.
    assert wanted(code, with_fields(None, {**SKIP, "reason": "hangs"}), POLICY).fields["reason"] is None
    assert wanted(code, with_fields(None, PASS), POLICY, LINK).fields["reason"] == LINK


def test_the_reason_is_what_most_say_and_the_newest_of_these() -> None:
    def reason(*texts: str) -> object:
        rows = [observed(Ending.FAILED, text) for text in texts]
        return _fields(Verdict.REGRESSED, PASS, rows)["reason"]

    assert reason("Buffer 1 is gone", "TypeError: no", "Buffer 2 is gone") == "Buffer 2 is gone"
    # With the reason of an earlier failure, the results of tonight would contradict the new entry.
    assert reason("Buffer 1 is gone", "Buffer 2 is gone", "TypeError: no") == "TypeError: no"


def test_the_stage_is_the_one_that_any_of_the_results_gives() -> None:
    rows = [observed(Ending.FAILED, FATAL), observed(Ending.FAILED, "", stage=BringupStatus.FAILED_RUNTIME)]
    entry: dict[str, object] = {**XFAIL, "bringup_status": "INCORRECT_RESULT"}
    assert _fields(Verdict.DRIFTED, entry, rows)["bringup_status"] == "FAILED_RUNTIME"


def test_an_issue_goes_behind_a_new_reason_only() -> None:
    one = judged(Verdict.REGRESSED, _failed(FATAL))
    found = wanted(one, with_fields(None, PASS), POLICY, LINK)
    assert found.fields["reason"] == f"{FATAL} - {LINK}"


def test_what_a_person_must_decide() -> None:
    must = Policy(must_pass=("alpha/*",))

    def held(verdict: Verdict, rows: list[Any] | None = None, policy: Policy = POLICY, **fields: Any) -> str:
        return wanted(judged(verdict, rows or (), **fields), with_fields(None, PASS), policy).refusal

    assert "flaky" not in held(Verdict.FLAKY) and held(Verdict.FLAKY)
    assert "more time" in held(Verdict.SLOW, _failed("", Ending.SLOW))
    assert held(Verdict.REGRESSED, _failed(FATAL)[:1]) == "", "one red night is proposed, with a low grade"
    assert held(Verdict.STALE, pinned="kept for the demo") == "pinned: kept for the demo"
    code = _failed("Bad StatusOr access: INTERNAL: Error code: 13")
    found = wanted(judged(Verdict.DRIFTED, code), with_fields(None, {**XFAIL, "reason": "x"}), POLICY)
    assert "error code 13" in found.refusal, "the entry expects a failure already, and says why"
    assert "must pass" in held(Verdict.REGRESSED, _failed(FATAL), must)
    assert "must pass" in held(Verdict.PCC_TIGHT, None, must, required_pcc=0.95)
    assert held(Verdict.PCC_LOOSE, None, must, required_pcc=0.99) == ""
    assert held(Verdict.ACTIVE, pinned="x") == ""
    linked = Policy(require_issue=True)
    assert "--issue" in held(Verdict.REGRESSED, _failed(FATAL), linked)
    assert held(Verdict.REGRESSED, _failed(f"{FATAL} - {LINK}"), linked) == ""
    assert held(Verdict.STALE, None, linked) == ""
