# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reports.reading: counts add up, damage stays local, and paths supply what reports lack."""

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.domain.model import Status
from core.evidence import FAILURES, RAN, Ending, Result, quotable, recommend, signature
from core.evidence.reports import OTHER, REPEATED, JUnitReport, ReadOptions, read_report, read_reports
from core.evidence.reports.documents import Document
from core.evidence.reports.reading import observations
from core.evidence.verdicts import Policy, Verdict
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.verdict import judge
from core.runs import UNHEARD, CutReport, Testcase, read_testcases, stream_testcases
from tests.support.corpus import make_report
from tests.support.evidence import TEST_ID, seen

NAME = f"test_all_models_torch[{TEST_ID}]"
_SUITE = '<testsuites><testsuite timestamp="2026-11-21T00:00:00+00:00" hostname="f10">{}</testsuite></testsuites>'


def suite(*cases: str) -> str:
    """A report of these testcases, each given by the text between its tags."""
    return _SUITE.format("".join(f'<testcase classname="t" name="{NAME}" time="1">{case}</testcase>' for case in cases))


@pytest.mark.slow("pytest runs on models of its own")
def test_counts_add_up_over_a_real_report(tmp_path: Path) -> None:
    report = make_report(tmp_path)
    reading = read_reports([report])
    cases = read_testcases(report)
    assert reading.problems == ()
    # A failing teardown after a failed call is a testcase of its own.
    assert sum(reading.counts.values()) == len(cases) == 28
    assert (reading.counts[OTHER], reading.counts[REPEATED]) == (1, 1)
    assert len(reading.observations) == 26


def test_one_damaged_report_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    whole = suite("")
    texts = {
        "cut": whole[:-30],
        "empty": "",
        "twice": whole.replace('time="1"', 'time="1" time="1"'),
        "other": "<html/>",
        "bomb": '<!DOCTYPE x [<!ENTITY a "aa">]><testsuites>&a;</testsuites>',
        "whole": whole,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.xml").write_text(text)
    reading = read_reports([tmp_path])
    assert {Path(problem.file).stem for problem in reading.problems} == texts.keys() - {"whole"}
    assert all(problem.message and problem.file not in problem.message for problem in reading.problems)
    assert reading.counts == {Ending.PASSED: 1}


def test_what_the_person_says_counts_before_what_the_place_says(tmp_path: Path) -> None:
    file = tmp_path / "n300" / "report.xml"
    file.parent.mkdir()
    file.write_text(suite(""))
    (one,) = read_reports([file.parent]).observations
    assert (one.arch, one.run, one.host, one.when) == ("n300", "n300", "f10", 1795219200.0)
    (one,) = read_reports([file], ReadOptions("p150", "nightly-7", "abc", "def")).observations
    assert (one.arch, one.run, one.commit, one.models_commit) == ("p150", "nightly-7", "abc", "def")


@pytest.mark.parametrize(("ahead", "known"), [(3_600, True), (2 * 86_400, False), (400 * 86_400, False)])
def test_a_start_far_ahead_of_the_clock_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: float, known: bool
) -> None:
    started = 1795219200.0
    monkeypatch.setattr("core.evidence.reports.reading.time.time", lambda: started - ahead)
    (tmp_path / "x.xml").write_text(suite(""))
    (one,) = read_reports([tmp_path]).observations
    assert one.when == (started if known else 0.0)


def test_tags_name_the_arch_before_anybody(tmp_path: Path) -> None:
    tags = "<properties><property name='tags' value=\"{'arch': 'n150', 'bringup_status': 'PASSED'}\"/></properties>"
    (tmp_path / "p150.xml").write_text(suite(tags))
    (one,) = read_reports([tmp_path / "p150.xml"], ReadOptions("galaxy-bh")).observations
    assert one.arch == "n150"


def test_one_file(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(suite("<failure message='ValueError: x'/>"))
    (one,) = observations(file, ReadOptions("n150"))
    assert (one.ending, one.arch, one.source) == (Ending.BROKEN, "n150", str(file))
    with pytest.raises(TTMatrixError, match="Cannot read"):
        observations(tmp_path / "gone.xml")


def test_names_from_outside_can_be_shown(tmp_path: Path) -> None:
    directory = tmp_path / os.fsdecode(b"night\xff\x1b[31m")
    directory.mkdir()
    tags = "<properties><property name='tags' value=\"{'arch': '\\\\ud800', 'guidance': ['\\\\x1b']}\"/></properties>"
    (directory / "x.xml").write_text(suite(tags))
    (one,) = read_reports([directory]).observations
    for text in (one.run, one.source, one.arch, *one.guidance):
        assert text.isprintable()
        assert text.encode()


_WHOLE = suite(
    "",
    "<properties><property name='tags' value=\"{'pcc': nan, 'arch': 'n150', 'a': 'it\\'s'}\"/></properties>",
    "<failure message='ValueError: x'>E   ValueError: x</failure>",
    "<error message='running the test CRASHED with signal 6'/>",
).encode()


@given(st.integers(0, len(_WHOLE)), st.binary(max_size=8), st.integers(0, 40))
def test_whatever_is_done_to_a_report_it_is_read_or_refused(at: int, put: bytes, cut: int) -> None:
    data = _WHOLE[:at] + put + _WHOLE[at + cut :]
    try:
        found = read_report(Document("x.xml", ("x.xml",), lambda: io.BytesIO(data)))
    except TTMatrixError:
        return
    read = list[Testcase]()
    try:
        read += (case for _, case in stream_testcases([data], "x.xml"))
    except CutReport as error:
        assert found.cut == error.problem
    assert sum(found.counts.values()) == len(read)
    assert len(found.observations) == sum(found.counts.values()) - found.counts[OTHER] - found.counts[REPEATED]


def read(text: str) -> JUnitReport:
    return read_report(Document("x.xml", ("x.xml",), lambda: io.BytesIO(text.encode())))


_TAGS = "<properties><property name='tags' value=\"{'bringup_status': 'PASSED', 'pcc': 0.99}\"/></properties>"


@pytest.mark.parametrize("child", ["flakyFailure", "rerun"])
def test_what_fails_and_passes_when_repeated_is_neither(child: str) -> None:
    found = read(suite(f"{_TAGS}<{child} message='RuntimeError: TT_FATAL @ x.cpp:1: boom'>tb</{child}>"))
    (one,) = found.observations
    assert found.counts == {Ending.FLAKY: 1}
    assert (one.ending, one.reason, one.attempts) == (Ending.FLAKY, "RuntimeError: TT_FATAL @ x.cpp:1: boom", 2)
    assert one.ending in RAN - FAILURES
    # In a history of passes it makes the cell flaky.
    passes = [seen(when=float(at)) for at in range(4)]
    expected = {"n150": Expected(Status.EXPECTED_PASSING)}
    (judged,) = judge(one.test_id, expected, {"n150": [*passes, replace(one, arch="n150", when=9.0)]}, Policy())
    assert (judged.verdict, judged.why) == (Verdict.FLAKY, "of 5 results 4 passed, 1 failed first, then passed")
    assert recommend(Result.of(one)).fields is None


def test_a_failure_that_was_repeated_in_vain_is_a_failure() -> None:
    found = read(suite(f"{_TAGS}<failure message='ValueError: last'/><rerunFailure message='ValueError: first'/>"))
    (one,) = found.observations
    assert (one.ending, one.reason, one.attempts) == (Ending.FAILED, "ValueError: last", 2)


@pytest.mark.parametrize("tags", ["", _TAGS.replace("PASSED", "UNKNOWN").replace(", 'pcc': 0.99", "")])
def test_signal_0_says_nothing_of_the_model(tags: str) -> None:
    said = "x.py:1: running the test CRASHED with signal 0"
    found = read(suite(f"{tags}<error message='failed on setup with \"{said}\"'>{said}</error>"))
    (one,) = found.observations
    assert (one.ending, one.reason, one.signal) == (Ending.BROKEN, UNHEARD, None)
    assert recommend(Result.of(one)).fields is None


def test_a_worker_that_crashed_is_a_crash_whose_reason_names_no_test() -> None:
    said = f"worker 'gw3' crashed while running 'tests/runner/test_models.py::{NAME}'"
    (one,) = read(suite(f'<failure message="{said}">{said}</failure>')).observations
    assert (one.ending, one.reason) == (Ending.CRASHED, "the worker of pytest-xdist crashed while running the test")


def test_colours_do_not_split_a_cluster() -> None:
    said = "E   RuntimeError: {}TT_FATAL{}: out of {}L1{}"
    coloured = said.format("#x1B[31m", "#x1B[0m", "#x1B[1m", "#x1B[0m")
    texts = [suite(f'{_TAGS}<failure message="{one}">{one}</failure>') for one in (coloured, said.format(*[""] * 4))]
    reasons = [read(text).observations[0].reason for text in texts]
    assert reasons == ["RuntimeError: TT_FATAL: out of L1"] * 2
    # Also in results that were stored before.
    assert signature(coloured) == signature(reasons[0])
    assert quotable(coloured) == reasons[0]


def test_of_a_cut_report_the_complete_testcases_are_read(tmp_path: Path) -> None:
    whole = suite("", "<failure message='x'/>")
    (tmp_path / "cut.xml").write_text(whole[: whole.rindex("<failure")])
    reading = read_reports([tmp_path])
    assert reading.counts == {Ending.PASSED: 1}
    ((problem,), (report,)) = reading.problems, reading.reports
    assert problem.partly
    assert problem.message == report.cut
    assert "behind 1 testcase: no element found" in problem.message


def test_the_message_goes_before_a_text_that_pytest_has_not_marked() -> None:
    (one,) = read(suite(f"{_TAGS}<failure message='E  Fehler: über'>x</failure>")).observations
    assert one.reason == "Fehler: über"
    (one,) = read(suite(f"{_TAGS}<failure message='ValueError: short'>E   RuntimeError: marked</failure>")).observations
    assert one.reason == "RuntimeError: marked"
