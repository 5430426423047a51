# SPDX-License-Identifier: Apache-2.0
"""core.workflows.steps: steps that workflows share."""

import pytest

from core.edits import OpKind
from core.evidence import Ending
from core.workflows import DeviceResult, WorkflowReport
from core.workflows.case import Case
from core.workflows.conclusion import Stage, conclude, finish, on_device
from core.workflows.repro import Repro
from core.workflows.requests import RunDevice, Steps
from core.workflows.steps import reproduce, set_back
from tests.support.triage import MISMATCH, SIBLING, TARGET, case, cpu, member, play, repro, shown


def test_nothing_to_run_asks_for_nothing() -> None:
    def workflow(_: Case, report: WorkflowReport) -> Steps[None]:
        assert (yield from reproduce(report, [], "before", "")) == {}
        assert (yield from on_device(report, [], [], ["extra"])) == {}

    assert play(workflow, case(), lambda *_: None)[2] == []


def test_what_was_run_before_an_edit_is_not_run_again_and_what_an_edit_changes_is() -> None:
    def workflow(_: Case, report: WorkflowReport) -> Steps[None]:
        for _round in range(2):
            assert set((yield from reproduce(report, [TARGET, SIBLING], "before", "b"))) == {TARGET, SIBLING}
            yield from reproduce(report, [TARGET], "after", "a")

    _, _, effects = play(workflow, case(), cpu({}, {}))
    assert [effect.title.partition(",")[2] for effect in effects] == [" b: 2 tests", f" a: {TARGET}", f" a: {TARGET}"]


def test_one_invocation_takes_all_once() -> None:
    def workflow(_: Case, report: WorkflowReport) -> Steps[None]:
        yield from on_device(report, [TARGET, TARGET], [SIBLING], [TARGET, "third"])

    _, _, effects = play(workflow, case(), lambda *_: [])
    assert effects == [RunDevice((TARGET, SIBLING, "third"), decisive=True)]


def test_what_the_cpu_decided_holds_without_a_device_and_is_said_to() -> None:
    def workflow(about: Case, report: WorkflowReport) -> Steps[None]:
        report.scope = list(about.scope)
        yield from finish(report, [Stage({TARGET: Repro.of(repro(TARGET, MISMATCH))})])

    _, report, effects = play(workflow, case(), lambda *_: None)
    assert effects == [RunDevice((TARGET,), decisive=False)]
    assert report.unverified
    assert [op.path for op in report.operations] == [("bringup_status",)]


def test_a_crash_is_skipped_and_the_report_says_why() -> None:
    report = WorkflowReport(scope=[member(bringup_status="FAILED_FE_COMPILATION")])
    conclude(report, {TARGET: DeviceResult(TARGET, Ending.CRASHED, "CRASHED with signal 11")}, [TARGET], {})
    # The entry's stage belongs to a failure that no longer occurs, not to the crash.
    assert [op.op for op in report.operations if op.path == ("bringup_status",)] == [OpKind.UNSET]
    assert "NOT_SUPPORTED_SKIP" in {op.value for op in report.operations}
    assert "a dead process cannot be expected to fail: skip it: CRASHED with signal 11" in report.states[TARGET]
    assert any("NOT_SUPPORTED_SKIP departs from the procedure" in line for line in report.review)


def test_a_time_limit_changes_nothing_and_the_report_says_so() -> None:
    report = WorkflowReport(scope=[member()])
    conclude(report, {TARGET: DeviceResult(TARGET, Ending.SLOW, "stopped after 9 s")}, [TARGET], {})
    assert report.operations == []
    assert report.states[TARGET].startswith("unchanged: was still working when its time was up")


def test_nothing_is_written_of_a_failure_that_says_nothing() -> None:
    report = WorkflowReport(scope=[member()])
    conclude(report, {}, (), {TARGET: "RuntimeError: Error code: 13"})
    assert (report.operations, len(report.review)) == ([], 1)


def test_a_failure_that_is_longer_than_a_reason_is_the_same_on_the_device() -> None:
    text = f"ValueError: {'word ' * 60}"
    report = WorkflowReport(scope=[member()])
    conclude(report, {TARGET: DeviceResult(TARGET, Ending.FAILED, text)}, (), {TARGET: text})
    assert report.review == []


def test_another_failure_on_the_device_counts_more_and_is_flagged() -> None:
    report = WorkflowReport(scope=[member()])
    conclude(report, {TARGET: DeviceResult(TARGET, Ending.FAILED, "error: 'ttir.x'")}, (), {TARGET: MISMATCH})
    assert {op.value for op in report.operations} == {"error: 'ttir.x'", "FAILED_TTMLIR_COMPILATION"}
    assert len(report.review) == 1


def test_a_test_that_the_device_did_not_run_stays_and_is_flagged() -> None:
    report = WorkflowReport(scope=[member()])
    conclude(report, {}, [TARGET], {})
    assert (report.operations, len(report.review)) == ([], 1)


@pytest.mark.parametrize(
    ("before", "after", "back"),
    [("forward", "load_inputs", True), ("forward", "backward", False), ("forward", "forward", False)],
)
def test_a_model_that_gets_less_far_fails_by_the_edit(before: str, after: str, back: bool) -> None:
    one, other = (Repro.of(repro(TARGET, "ValueError: x", "", step)) for step in (before, after))
    assert set_back(other, one) is back
    assert not set_back(Repro.of(repro(TARGET)), one)


def test_overrides_that_hide_the_write_are_flagged() -> None:
    report = WorkflowReport(scope=[member(arch_overrides={"n150": {"status": "X"}})])
    conclude(report, {TARGET: DeviceResult.of(shown(TARGET, "passed"))}, [TARGET], {})
    assert "n150" in report.review[0]
