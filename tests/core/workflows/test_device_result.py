# SPDX-License-Identifier: Apache-2.0
"""core.workflows.device: what a JUnit file says of each test, also where it says little."""

from pathlib import Path
from typing import Any

import pytest

from core.base.errors import UsageError
from core.domain.model import Function
from core.evidence import Ending
from core.runs import Outcome, ResultFormat, RunSpec
from core.runs.store import Finished, Queued
from core.runs.store.record import fold
from core.workflows import DeviceResult
from core.workflows.device import read_device_result, read_device_run
from core.workflows.outcomes import wanted

ID = "net/pytorch-Small-single_device-training"
OTHER = "net/pytorch-Large-single_device-training"
LIVE = "{'bringup_status': 'FAILED_TTMLIR_COMPILATION', 'model_test_status': 'ModelTestStatus.KNOWN_FAILURE_XFAIL'}"
STALE = "{'bringup_status': 'FAILED_FE_COMPILATION', 'model_test_status': 'ModelTestStatus.NOT_SUPPORTED_SKIP'}"
LOW = "{'bringup_status': 'INCORRECT_RESULT', 'pcc': 0.5, 'pcc_threshold': 0.99, 'comparison_passed': False}"


def read(tmp_path: Path, child: str = "", tags: str = "", error_message: str = "") -> DeviceResult:
    properties = f'<property name="tags" value="{tags}"/>' if tags else ""
    properties += f'<property name="error_message" value="{error_message}"/>' if error_message else ""
    case = f'<testcase classname="tests.runner.test_models" name="test_all_models_torch[{ID}]" time="1">'
    file = tmp_path / "junit.xml"
    file.write_text(
        f"<testsuites><testsuite>{case}<properties>{properties}</properties>{child}</testcase></testsuite></testsuites>"
    )
    return DeviceResult.of(read_device_result(file, [ID])[0])


def fields(observed: DeviceResult) -> dict[str, object]:
    return dict(wanted(observed).fields or {})


def test_nothing_said_is_a_pass(tmp_path: Path) -> None:
    assert fields(read(tmp_path))["status"] == "EXPECTED_PASSING"


def test_a_failure_without_properties_is_one_all_the_same(tmp_path: Path) -> None:
    failure = '<failure message="RuntimeError: TT_FATAL: no room">E   RuntimeError: TT_FATAL: no room</failure>'
    found = fields(read(tmp_path, failure))
    assert (found["bringup_status"], found["reason"]) == ("FAILED_RUNTIME", "RuntimeError: TT_FATAL: no room")


def test_the_stage_of_a_live_run_is_its_own(tmp_path: Path) -> None:
    found = fields(read(tmp_path, '<failure message="RuntimeError: x">E   RuntimeError: x</failure>', LIVE))
    assert found["bringup_status"] == "FAILED_TTMLIR_COMPILATION"


def test_properties_of_a_forced_skip_are_the_entrys_and_say_nothing(tmp_path: Path) -> None:
    failure = '<failure message="RuntimeError: new">E   RuntimeError: new</failure>'
    found = fields(read(tmp_path, failure, STALE, "RuntimeError: the old reason"))
    assert found["reason"] == "RuntimeError: new"


@pytest.mark.parametrize(
    ("child", "tags"),
    [
        ("", LOW),
        ('<failure message="AssertionError: PCC comparison failed. Calculated: pcc=0.5">E</failure>', ""),
        ('<failure message="AssertionError: Tensor mismatch: atol 0.7">E</failure>', ""),
    ],
)
def test_numbers_alone_turn_the_check_off(tmp_path: Path, child: str, tags: str) -> None:
    found = fields(read(tmp_path, child, tags))
    assert (found["status"], found["assert_pcc"]) == ("EXPECTED_PASSING", False)


def test_a_crash_is_skipped_with_its_signal(tmp_path: Path) -> None:
    error = '<error message="failed on teardown with &quot;x: running the test CRASHED with signal 6&quot;">x</error>'
    found = fields(read(tmp_path, error))
    assert (found["status"], found["reason"]) == ("NOT_SUPPORTED_SKIP", "running the test CRASHED with signal 6")


@pytest.mark.parametrize("kind", ["pytest.skip", "pytest.xfail"])
def test_what_was_skipped_all_the_same_is_for_a_person(tmp_path: Path, kind: str) -> None:
    assert wanted(read(tmp_path, f'<skipped type="{kind}" message="why"/>')).fields is None
    assert wanted(read(tmp_path, f'<skipped type="{kind}" message="why"/>', LIVE)).fields is None


WRAPPER = '<failure message="ValueError: the wrapper gave up">E   ValueError: the wrapper gave up</failure>'


def test_the_reports_own_message_counts_more_than_a_wrappers_traceback(tmp_path: Path) -> None:
    message = "error: failed to legalize operation 'ttir.gather'"
    found = fields(read(tmp_path, WRAPPER, LIVE, message))
    assert (found["bringup_status"], found["reason"]) == ("FAILED_TTMLIR_COMPILATION", message)
    # The text of the exception without its name is the same message, and entries name the exception.
    assert fields(read(tmp_path, WRAPPER, LIVE, "the wrapper gave up"))["reason"] == "ValueError: the wrapper gave up"
    # Of a forced run it is the entry's own reason, and so it is where upstream has found nothing to say.
    assert fields(read(tmp_path, WRAPPER, STALE, message))["reason"] == "ValueError: the wrapper gave up"
    assert fields(read(tmp_path, WRAPPER, LIVE, "Not specified"))["reason"] == "ValueError: the wrapper gave up"
    silent = '<failure message="AssertionError">E   AssertionError</failure>'
    assert fields(read(tmp_path, silent, LIVE, "an old reason of the entry"))["reason"] == "AssertionError"
    assert fields(read(tmp_path, silent, LIVE, message))["reason"] == message


def test_then_the_log_counts_where_it_can_only_be_about_this_test(tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text(
        "fine\nTT_FATAL: no room in L1 (a.cpp:3)\nE   ValueError: the wrapper gave up\n"
    )
    assert fields(read(tmp_path, WRAPPER, LIVE))["reason"] == "TT_FATAL: no room in L1 (a.cpp:3)"
    code = "Bad StatusOr access: INTERNAL: Error code: 13"
    assert fields(read(tmp_path, WRAPPER, LIVE, code))["reason"] == "TT_FATAL: no room in L1 (a.cpp:3)"
    another = (
        f'</testcase><testcase classname="tests.runner.test_models" name="test_all_models_torch[{OTHER}]">{WRAPPER}'
    )
    assert fields(read(tmp_path, WRAPPER + another, LIVE))["reason"] == "ValueError: the wrapper gave up"


def test_a_report_that_is_stored_beside_its_log_is_read_with_it(tmp_path: Path) -> None:
    read(tmp_path, WRAPPER, LIVE)
    report = (tmp_path / "junit.xml").rename(tmp_path / "verify.xml")
    (tmp_path / "verify.log").write_text("TT_FATAL: no room in L1 (a.cpp:3)\n")
    assert fields(DeviceResult.of(read_device_result(report, [ID])[0]))["reason"] == "TT_FATAL: no room in L1 (a.cpp:3)"


def test_a_time_limit_decides_nothing(tmp_path: Path) -> None:
    late = '<failure message="Failed: Timeout (&gt;60.0s) from pytest-timeout.">E   Failed: Timeout</failure>'
    observed = read(tmp_path, late, LIVE)
    assert observed.ending is Ending.OUT_OF_TIME
    assert wanted(observed).fields is None
    assert "it is not known whether it was working or hung" in wanted(observed).why


def _ended(tmp_path: Path, outcome: Outcome, ids: list[str], **fields: Any) -> list[DeviceResult]:
    spec = RunSpec(
        "20261121-073215-ab12cd", ids[0], Function.TORCH, "device", "n150", (), {}, tmp_path, 90.0, "", "", "device", 1,
        report=ResultFormat.JUNIT, hang_timeout=60.0,
    )  # fmt: skip
    record = fold(spec, tmp_path, [Queued(1.0, "f10", "boot"), Finished(200.0, outcome, 100.0, **fields)])
    return [DeviceResult.of(one) for one in read_device_run(record, ids)]


def test_a_run_here_that_was_ended_is_described_by_what_ended_it(tmp_path: Path) -> None:
    (hung,) = _ended(tmp_path, Outcome.HANG, [ID])
    assert fields(hung) == {"status": "NOT_SUPPORTED_SKIP", "reason": "Test hangs: 60 s without output or work"}
    (slow,) = _ended(tmp_path, Outcome.TIMEOUT, [ID], idle=1.0)
    assert (slow.ending, fields(slow)) == (Ending.SLOW, {})
    assert "give it more" in wanted(slow).why
    (open_,) = _ended(tmp_path, Outcome.TIMEOUT, [ID])
    assert (open_.ending, fields(open_)) == (Ending.OUT_OF_TIME, {})
    (crashed,) = _ended(tmp_path, Outcome.CRASH, [ID], signal=6)
    assert (fields(crashed)["status"], fields(crashed)["bringup_status"]) == (
        "NOT_SUPPORTED_SKIP",
        "FAILED_TTMLIR_COMPILATION",
    )
    assert "cannot be expected to fail" in wanted(crashed).why


def test_of_several_tests_nobody_knows_which_one_stopped_the_run(tmp_path: Path) -> None:
    read(tmp_path)
    directory = tmp_path / "20261121-073215-ab12cd"
    directory.mkdir()
    (tmp_path / "junit.xml").rename(directory / "junit.xml")
    first, second = _ended(tmp_path, Outcome.HANG, [ID, OTHER])
    assert (first.ending, second.ending) == (Ending.PASSED, Ending.OUT_OF_TIME)
    assert [one.ending for one in _ended(tmp_path, Outcome.CRASH, [ID, OTHER])] == [Ending.PASSED, Ending.BROKEN]
    assert [one.ending for one in _ended(tmp_path, Outcome.FAIL, [ID, OTHER])] == [Ending.PASSED, Ending.NOT_RUN]


def test_error_code_13_is_looked_behind(tmp_path: Path) -> None:
    failure = '<failure message="ValueError: Error code: 13">E   ValueError: Error code: 13</failure>'
    found = fields(read(tmp_path, failure, LIVE, "error: 'ttir.conv2d' op is wrong"))
    assert found["reason"] == "error: 'ttir.conv2d' op is wrong"
    assert fields(read(tmp_path, failure, LIVE)) == {}


def test_a_test_that_is_not_mentioned_is_not_decided_and_a_file_about_others_is_refused(tmp_path: Path) -> None:
    read(tmp_path)
    first, second = read_device_result(tmp_path / "junit.xml", [ID, OTHER])
    assert (first["ending"], second["ending"]) == ("passed", "not_run")
    with pytest.raises(UsageError, match="other tests"):
        read_device_result(tmp_path / "junit.xml", [OTHER])


def several(tmp_path: Path, log: str) -> dict[str, DeviceResult]:
    """Two tests of one session that both fail with error code 13, and the log beside their report."""
    thirteen = "RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"
    cases = "".join(
        f'<testcase classname="t" name="test_all_models_torch[{id}]" time="1"><properties><property name="tags" '
        f'value="{LIVE}"/></properties><failure message="{thirteen}">E   {thirteen}</failure></testcase>'
        for id in (ID, OTHER)
    )
    file = tmp_path / "device.xml"
    file.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    file.with_suffix(".log").write_text(log)
    found = map(DeviceResult.of, read_device_result(file, [ID, OTHER]))
    return {one.id: one for one in found}


def test_each_test_of_one_session_has_its_own_part_of_the_log(tmp_path: Path) -> None:
    node = "tests/runner/test_models.py::test_all_models_torch"
    found = several(
        tmp_path,
        f"{node}[{ID}] x\nerror: failed to legalize operation 'ttir.small'\nFAILED [ 50%]\n"
        f"{node}[{OTHER}] x\nTT_FATAL: circular buffers of the large one\nFAILED [100%]\n",
    )
    assert fields(found[ID])["reason"] == "error: failed to legalize operation 'ttir.small'"
    assert fields(found[OTHER])["reason"] == "TT_FATAL: circular buffers of the large one"


def test_a_log_that_names_no_test_is_about_none_of_several(tmp_path: Path) -> None:
    found = several(tmp_path, "error: failed to legalize operation 'ttir.small'\n")
    assert not any("legalize" in one.reason for one in found.values())


def test_of_a_cut_report_what_is_there_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x.xml"
    file.write_text(f'<testsuite><testcase name="test_all_models_torch[{ID}]"/><testcase name="test_all_mo')
    first, second = map(DeviceResult.of, read_device_result(file, [ID, OTHER]))
    assert first.ending is Ending.PASSED
    assert second.ending is Ending.NOT_RUN
    assert "cut off" in second.reason
