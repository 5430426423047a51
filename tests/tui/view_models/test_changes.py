# SPDX-License-Identifier: Apache-2.0
"""Pending changes in words."""

from core.domain.model import Status
from core.edits import CellChange, Operation, OpKind
from core.edits.impact import FieldChange
from core.sources.ci import Job
from tui.view_models import effect_words
from tui.view_models.changes import brief_operations, describe_operations

PASS, SKIP = Status.EXPECTED_PASSING, Status.NOT_SUPPORTED_SKIP
JOB = Job("p.json", 0, "nightly", "n150", "tests", "n150")


def test_effect_words() -> None:
    moved = CellChange("x", "n150", PASS, SKIP, (), (JOB,), (FieldChange("status", PASS, SKIP),), seconds=120.0)
    other = CellChange("x", "p150", PASS, PASS, (), (), (FieldChange("reason", None, "x"),))
    assert effect_words([]) == "no effect on any run"
    assert effect_words([other]) == "1 cell: reason"
    assert effect_words([moved, other]) == (
        "1 cell PASS→SKIP · 1 cell: reason · 1 test LEAVES 1 CI job · saves 2.0 device-minutes per CI run"
    )
    back = CellChange("x", "p150", SKIP, PASS, (), (), (FieldChange("status", SKIP, PASS),))
    assert effect_words([moved, moved, back]).startswith("3 cells: 2 PASS→SKIP, 1 SKIP→PASS · ")


def test_what_is_for_one_arch_names_it_once() -> None:
    def of(op: OpKind, *path: str, value: object = None) -> Operation:
        return Operation(op, "a test", None, path, value)

    n150 = ("arch_overrides", "n150")
    operations = [
        of(OpKind.SET, *n150, "status", value="KNOWN_FAILURE_XFAIL"),
        of(OpKind.UNSET, "reason"),
        of(OpKind.UNSET, "arch_overrides", "p150", "status"),
        of(OpKind.SET, *n150, "reason", value="a\nb"),
        of(OpKind.UNSET, "arch_overrides", "p150", "reason"),
        of(OpKind.ADD, *n150, "markers", value="push"),
        of(OpKind.REMOVE, "arch_overrides", "n300"),
        of(OpKind.UNSET, "reason"),
    ]
    assert describe_operations(operations) == (
        "no reason; no override for n300; "
        "n150: status = KNOWN_FAILURE_XFAIL, reason = a b, markers: add push; p150: no status, no reason"
    )


def test_a_row_begins_with_what_tells_changes_apart() -> None:
    def of(op: OpKind, *path: str, value: object = None) -> Operation:
        return Operation(op, "a test", None, path, value)

    n150 = ("arch_overrides", "n150")
    xfail, stage = "KNOWN_FAILURE_XFAIL", "FAILED_RUNTIME"
    operations = [
        of(OpKind.SET, *n150, "bringup_status", value=stage),
        of(OpKind.SET, *n150, "required_pcc", value=0.98),
        of(OpKind.SET, *n150, "reason", value="out of\nmemory"),
        of(OpKind.SET, *n150, "status", value=xfail),
        of(OpKind.UNSET, "reason"),
        of(OpKind.SET, "status", value="EXPECTED_PASSING"),
    ]
    assert brief_operations(operations) == (
        'PASS; no reason; n150: XFAIL, "out of memory", FAILED_RUNTIME, required_pcc = 0.98'
    )
    entry = {"status": xfail, "bringup_status": stage, "reason": "why", "assert_pcc": False}
    assert brief_operations([of(OpKind.ADD, value=entry)]) == (
        'new entry XFAIL, FAILED_RUNTIME, "why", assert_pcc = false'
    )
    odd = [of(OpKind.SET, "status", value=value) for value in ("SPAM", 7, ["EXPECTED_PASSING"], None)]
    assert brief_operations(odd) == "status = SPAM; status = 7; status = [EXPECTED_PASSING]; status = None"


def test_jobs_count_once_however_many_tests_leave_them() -> None:
    jobs = (JOB, Job("p.json", 1, "weekly", "n150", "tests", "n150"))
    changes = [CellChange(f"x{at}", "n150", PASS, SKIP, (), jobs) for at in range(16)]
    assert "16 tests LEAVE 2 CI jobs" in effect_words(changes)
    gained = [CellChange(f"x{at}", "n150", SKIP, PASS, jobs) for at in range(3)]
    assert "3 tests enter 2 CI jobs" in effect_words(gained)
