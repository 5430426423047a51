# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reports.reading: counts add up, damage stays local, and paths supply what reports lack."""

import io
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.errors import TTMatrixError
from core.evidence.observation import Ending
from core.evidence.reports.documents import Document
from core.evidence.reports.reading import OTHER, REPEATED, ReadOptions, observations, read_report, read_reports
from core.runs.junit import read_testcases, stream_testcases
from tests.support.corpus import make_report
from tests.support.evidence import TEST_ID

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
        "control": whole.replace('time="1"', 'time="1" x="\x01"'),
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
    assert sum(found.counts.values()) == len(list(stream_testcases([data], "x.xml")))
    assert len(found.observations) == sum(found.counts.values()) - found.counts[OTHER] - found.counts[REPEATED]
