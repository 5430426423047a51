# SPDX-License-Identifier: Apache-2.0
"""core.triage.device_result: what a JUnit file says of each test, also where little stands in it."""

from pathlib import Path

import pytest

from core.errors import UsageError
from core.triage.device_result import read_device_result
from core.triage.outcomes import Observed, wanted

ID = "net/pytorch-Small-single_device-training"
OTHER = "net/pytorch-Large-single_device-training"
LIVE = "{'bringup_status': 'FAILED_TTMLIR_COMPILATION', 'model_test_status': 'ModelTestStatus.KNOWN_FAILURE_XFAIL'}"
STALE = "{'bringup_status': 'FAILED_FE_COMPILATION', 'model_test_status': 'ModelTestStatus.NOT_SUPPORTED_SKIP'}"
LOW = "{'bringup_status': 'INCORRECT_RESULT', 'pcc': 0.5, 'pcc_threshold': 0.99, 'comparison_passed': False}"


def read(tmp_path: Path, child: str = "", tags: str = "", error_message: str = "") -> Observed:
    properties = f'<property name="tags" value="{tags}"/>' if tags else ""
    properties += f'<property name="error_message" value="{error_message}"/>' if error_message else ""
    case = f'<testcase classname="tests.runner.test_models" name="test_all_models_torch[{ID}]" time="1">'
    file = tmp_path / "junit.xml"
    file.write_text(
        f"<testsuites><testsuite>{case}<properties>{properties}</properties>{child}</testcase></testsuite></testsuites>"
    )
    return Observed.of(read_device_result(file, [ID])[0])


def fields(observed: Observed) -> dict[str, object]:
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
    [("", LOW), ('<failure message="AssertionError: PCC comparison failed. Calculated: pcc=0.5">E</failure>', "")],
)
def test_numbers_alone_turn_the_check_off(tmp_path: Path, child: str, tags: str) -> None:
    found = fields(read(tmp_path, child, tags))
    assert (found["status"], found["assert_pcc"]) == ("EXPECTED_PASSING", False)


def test_a_crash_is_skipped_with_its_signal(tmp_path: Path) -> None:
    error = '<error message="failed on teardown with &quot;x: running the test CRASHED with signal 6&quot;">x</error>'
    found = fields(read(tmp_path, error))
    assert (found["status"], found["reason"]) == ("NOT_SUPPORTED_SKIP", "crashed with SIGABRT")


@pytest.mark.parametrize("kind", ["pytest.skip", "pytest.xfail"])
def test_what_was_skipped_all_the_same_is_for_a_person(tmp_path: Path, kind: str) -> None:
    assert wanted(read(tmp_path, f'<skipped type="{kind}" message="why"/>')).fields is None
    assert wanted(read(tmp_path, f'<skipped type="{kind}" message="why"/>', LIVE)).fields is None


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
