# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.conclude: from what a process left behind to the reported end."""

import os
import time
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from core.runs import Outcome, ResultFormat, RunSpec
from core.runs.execution.conclude import Remains, conclude
from core.runs.execution.supervisor import Exit
from core.runs.store import Finished
from tests.core.runs.store.test_record import SPEC
from tests.core.runs.test_junit import NAME, junit

LINE = replace(SPEC, nonce="n")
JUNIT = replace(SPEC, report=ResultFormat.JUNIT)


def end(directory: Path, code: int | None, spec: object = JUNIT, stopped: Outcome | None = None) -> Finished:
    assert isinstance(spec, type(SPEC))
    return conclude(Remains(replace(spec, cwd=directory), directory, Exit(1.0, code), stopped, False, 3.0))


def test_a_line_in_the_log_tells(tmp_path: Path) -> None:
    assert end(tmp_path, 0, LINE).outcome is Outcome.ERROR
    (tmp_path / "output.log").write_text('TTMATRIX-RESULT {"version": 1, "nonce": "n", "phases": []}\n')
    assert [end(tmp_path, code, LINE).outcome for code in (0, 1, 2)] == [Outcome.PASS, Outcome.FAIL, Outcome.ERROR]
    assert (end(tmp_path, -9, LINE).outcome, end(tmp_path, -9, LINE).signal) == (Outcome.CRASH, 9)


@pytest.mark.parametrize(
    ("child", "outcome"),
    [
        ("", Outcome.PASS),
        ('<failure message="ValueError: x">E   ValueError: x</failure>', Outcome.FAIL),
        ('<skipped type="pytest.xfail" message="DRAM OOM"/>', Outcome.XFAIL),
        ('<skipped type="pytest.skip" message="why"/>', Outcome.SKIP),
        ('<error message="failed on setup">E   OSError: x</error>', Outcome.ERROR),
        ('<error message="t: running the test CRASHED with signal 11">x</error>', Outcome.CRASH),
    ],
)
def test_the_testcase_decides_and_not_the_exit_code(tmp_path: Path, child: str, outcome: Outcome) -> None:
    (tmp_path / "junit.xml").write_text(junit(child))
    for code in (0, 1):
        assert end(tmp_path, code).outcome is outcome
    assert end(tmp_path, 1).signal == (11 if outcome is Outcome.CRASH else None)


def test_a_process_that_dies_after_its_report_has_crashed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(junit(""))
    finished = end(tmp_path, -11)
    assert (finished.outcome, finished.signal) == (Outcome.CRASH, 11)
    assert finished.detail == "after pytest had reported: pass"


@pytest.mark.parametrize("text", [None, "", "<testsuites>", "<html/>", "\x00", junit("").replace(NAME, "another[x]")])
def test_without_a_usable_file_there_is_no_verdict(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "junit.xml").write_text(text)
    finished = end(tmp_path, 4)
    assert (finished.outcome, finished.exit_code) == (Outcome.ERROR, 4)
    assert finished.detail.startswith("pytest ended with exit code 4: ")
    assert "junit.xml" in finished.detail
    assert end(tmp_path, -6).outcome is Outcome.CRASH


def test_without_a_testcase_the_words_of_pytest_tell(tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text(
        "ERROR: usage: x\npython -m pytest: error: unrecognized arguments: --dump-irs\n"
    )
    wrong = end(tmp_path, 4)
    assert wrong.detail == "pytest ended with exit code 4: unrecognized arguments: --dump-irs"
    (tmp_path / "junit.xml").write_text(junit("").replace(NAME, "another[x]"))
    directory = SPEC.test_id.partition("-")[0]
    (tmp_path / "output.log").write_text(
        f"ERROR: not found: x\nERROR: cannot import {directory}: OSError: no weights\n"
    )
    wrong = end(tmp_path, 4)
    assert wrong.detail == f"pytest ended with exit code 4: cannot import {directory}: OSError: no weights"


def test_a_pattern_that_was_not_checked_is_reported_where_the_test_passed(tmp_path: Path) -> None:
    said = "FileCheck a.ttnn: passed\nFileCheck b.ttnn: not checked, LLVM's FileCheck is not on PATH"
    mark = "</properties>"
    kept = junit("").replace(mark, f'<property name="filechecks" value={quoteattr(said)}/>{mark}')
    (tmp_path / "junit.xml").write_text(kept.replace("\n", "&#10;"))
    result = end(tmp_path, 0).result
    assert result is not None
    assert result["message"] == "FileCheck b.ttnn: not checked, LLVM's FileCheck is not on PATH"


def test_what_has_really_run_it_stays(tmp_path: Path) -> None:
    ran_by = '<property name="backend" value="xla"/><property name="device" value="CPU:0"/></properties>'
    (tmp_path / "junit.xml").write_text(junit("").replace("</properties>", ran_by))
    result = end(tmp_path, 0).result
    assert result is not None
    assert (result["backend"], result["device"]) == ("xla", "CPU:0")
    (tmp_path / "junit.xml").write_text(junit(""))
    assert not {"backend", "device"} & (end(tmp_path, 0).result or {}).keys()


@pytest.mark.parametrize(
    "line",
    [
        "Program received signal SIGSEGV, Segmentation fault.",
        'Thread 1 "python" received signal SIGSEGV, Segmentation fault.',
        "* thread #1, name = 'python', stop reason = signal SIGSEGV: address not mapped",
    ],
)
@pytest.mark.parametrize("spec", [JUNIT, LINE])
def test_a_crash_that_a_debugger_reports_is_one(tmp_path: Path, line: str, spec: RunSpec) -> None:
    (tmp_path / "output.log").write_text(f"x\n{line}\n#0  0x1 in f ()\n")
    debugged = replace(spec, prefix=("/usr/bin/gdb", "-batch", "--args"))
    finished = end(tmp_path, 0, debugged)
    assert (finished.outcome, finished.signal, finished.detail) == (Outcome.CRASH, 11, line)
    assert end(tmp_path, 0, spec).outcome is Outcome.ERROR, "anybody can print that"
    (tmp_path / "output.log").write_text("exited normally\n")
    assert end(tmp_path, 0, debugged).outcome is Outcome.ERROR


def test_why_it_was_ended_counts_more_than_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(junit(""))
    assert end(tmp_path, 2, stopped=Outcome.TIMEOUT).outcome is Outcome.TIMEOUT
    assert end(tmp_path, None).outcome is Outcome.ERROR
    lost = conclude(Remains(SPEC, tmp_path, None, None, False, 1.0))
    assert (lost.outcome, lost.exit_code, lost.signal) == (Outcome.LOST, None, None)
    stuck = conclude(Remains(SPEC, tmp_path, None, Outcome.CANCELLED, True, 1.0))
    assert (stuck.outcome, stuck.detail) == (Outcome.CANCELLED, "some of its processes cannot be stopped")


def test_the_stage_is_that_of_this_run(tmp_path: Path) -> None:
    stage = tmp_path / "._bringup_stage.txt"
    assert end(tmp_path, -6).stage == ""
    stage.write_text("RUNTIME_EXECUTION_START\n")
    assert end(tmp_path, -6).stage == "RUNTIME_EXECUTION_START"
    assert end(tmp_path, -6, LINE).stage == ""
    os.utime(stage, (time.time() - 60,) * 2)
    assert end(tmp_path, -6).stage == ""


def test_tags_become_plain_values(tmp_path: Path) -> None:
    tags = (
        "{'pcc': nan, 'atol': -inf, 'guidance': ['RM_XFAIL'], 'model_info': {'task': 'cv'}, 'arch': None, 'x': (1, 2)}"
    )
    (tmp_path / "junit.xml").write_text(junit("", tags))
    result = end(tmp_path, 0).result
    assert result is not None
    assert result["tags"] == {
        "pcc": "nan",
        "atol": "-inf",
        "guidance": ["RM_XFAIL"],
        "model_info": {"task": "cv"},
        "arch": None,
        "x": [1, 2],
    }


def test_of_a_failure_the_line_of_the_log_that_says_most_stays(tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text("x\nRuntimeError: TT_FATAL: no such core\nError code: 13\n")
    said = "RuntimeError: TT_FATAL: no such core"
    assert end(tmp_path, -6).result == {"cause": said, "error_message": said, "reason": said}
    (tmp_path / "junit.xml").write_text(junit('<failure message="Error code: 13">Error code: 13</failure>'))
    failed = end(tmp_path, 1).result
    assert failed is not None
    assert (failed["message"], failed["cause"], failed["error_message"]) == ("Error code: 13", said, "old")
    assert failed["reason"] == "old", "the report's own message comes first, unless it is only error code 13"
    (tmp_path / "junit.xml").write_text(junit(""))
    passed = end(tmp_path, 0).result
    assert passed is not None and "cause" not in passed
    assert end(tmp_path, -6, LINE).result is None
