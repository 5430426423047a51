# SPDX-License-Identifier: Apache-2.0
"""`ingest`: what is read, what is not, and that everything is reported."""

import re
import zipfile
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.corpus import make_report
from tests.support.evidence import TEST_ID
from tests.support.tree import sample


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def test_counts_add_up_and_nothing_counts_twice(checkout: Checkout, tmp_path: Path) -> None:
    report = make_report(tmp_path / "nightly")
    told = call("ingest", report, "--json", "--repo", checkout.root, "--run-name", "nightly-1")
    assert told.code == 0
    assert told.json["counts"] == {
        "broken": 2, "failed": 7, "inaccurate": 9, "not_run": 3, "other": 1, "passed": 5, "repeated": 1,
    }  # fmt: skip
    assert sum(told.json["counts"].values()) == told.json["testcases"] == 28
    assert (told.json["new"], told.json["known"], told.json["runs"]) == (1, 0, ["nightly-1"])
    # Tests that did not start have no tags to name an arch.
    assert told.json["without_arch"] == 4
    with zipfile.ZipFile(tmp_path / "again.zip", "w") as archive:
        archive.write(report, "x.xml")
    again = call("ingest", tmp_path / "again.zip", "--json", "--repo", checkout.root)
    assert (again.json["new"], again.json["known"]) == (0, 1)


def test_what_cannot_be_read_is_reported_and_the_rest_is_read(checkout: Checkout, tmp_path: Path) -> None:
    directory = tmp_path / "nightly"
    make_report(directory)
    (directory / "cut.xml").write_text("<testsuites")
    told = call("ingest", directory, "--repo", checkout.root)
    assert told.code == 1
    assert told.out.splitlines()[0] == "2 files: 1 new, 0 known, 1 unreadable"
    assert told.out.splitlines()[1].startswith("28 testcases: ")
    kinds = re.findall(r"([\d,]+) ([a-z][a-z ]+)", told.out.splitlines()[1].partition(": ")[2])
    assert sum(int(number) for number, _ in kinds) == 28
    assert f"cannot read {directory / 'cut.xml'}" in told.err
    assert "with --arch" in told.err


def test_results_of_a_wrong_clock_are_counted(checkout: Checkout, tmp_path: Path) -> None:
    report = make_report(tmp_path / "nightly")
    assert "without a time" not in call("ingest", report, "--repo", checkout.root).err
    report.write_text(re.sub(r'timestamp="\d+', 'timestamp="2999', report.read_text()))
    told = call("ingest", report, "--repo", checkout.root)
    assert "26 results without a time, which count as the oldest" in told.err


@pytest.mark.parametrize("option", ["--commit", "--models-commit"])
def test_a_commit_is_named_by_its_sha(checkout: Checkout, tmp_path: Path, option: str) -> None:
    report = make_report(tmp_path / "nightly")
    refused = call("ingest", report, option, "HEAD~1", "--repo", checkout.root)
    assert refused.code == 64
    assert "not a SHA (7 to 40 hexadecimal digits): 'HEAD~1'" in refused.err
    assert call("ingest", report, option, "0A1B2C3", "--repo", checkout.root).code == 0


def test_what_cannot_be_meant(checkout: Checkout, tmp_path: Path) -> None:
    assert call("ingest", tmp_path / "gone", "--repo", checkout.root).code == 64
    assert call("ingest", tmp_path, "--arch", "n15", "--repo", checkout.root).code == 64
    assert call("ingest", "--repo", checkout.root).code == 64
    (tmp_path / "empty").mkdir()
    empty = call("ingest", tmp_path / "empty", "--repo", checkout.root)
    assert (empty.code, empty.err) == (1, "No XML files found.\n")


def test_an_arch_that_nobody_said_can_be_said_later(checkout: Checkout, tmp_path: Path) -> None:
    case = '<testcase name="test_all_models_torch[alpha/pytorch-tiny-single_device-inference]"/>'
    (tmp_path / "report.xml").write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")

    def known(*arguments: str) -> list[str]:
        call("ingest", tmp_path / "report.xml", "--repo", checkout.root, *arguments)
        cells = call("verdicts", "tiny mode:inference", "--json", "--repo", checkout.root).json
        return [one["evidence"] for one in cells if one["evidence"]]

    assert known() == []
    assert known("--arch", "p150") == ["p150 P 1/1"]
    assert known() == ["p150 P 1/1"]


@pytest.mark.parametrize(
    ("suite", "case", "tags"),
    [
        ('timestamp="0001-01-01T00:00:00+23:00"', "", ""),
        ('timestamp="9999-12-31T23:59:59-23:00"', "", ""),
        ("", 'time="1e400"', ""),
        ("", "", f"'pcc': {'9' * 400}, 'pcc_threshold': {'9' * 400}, "),
        ("", "", r"'guidance': ['\ud800'], 'pcc': -1e400, "),
    ],
)
def test_no_report_keeps_the_others_from_being_reported(
    checkout: Checkout, tmp_path: Path, suite: str, case: str, tags: str
) -> None:
    file = tmp_path / f"test-reports-m-{'9' * 30}.0-n150-push-1" / "a.xml"
    file.parent.mkdir()
    whole = f"{{{tags}'arch': 'n150', 'bringup_status': 'PASSED'}}"
    file.write_text(
        f'<testsuites><testsuite {suite}><testcase name="test_all_models_torch[{TEST_ID}]" {case}><properties>'
        f'<property name="tags" value="{whole}"/></properties></testcase></testsuite></testsuites>'
    )
    assert call("ingest", file.parent, "--repo", checkout.root).code == 0
    for command in ("verdicts", "show"):
        assert call(command, TEST_ID, "--json", "--repo", checkout.root).code in (0, 1)
        assert call(command, TEST_ID, "--repo", checkout.root).code in (0, 1)


SUITE = '<testsuites><testsuite timestamp="2026-11-21T00:00:00+00:00" hostname="f10">{}</testsuite></testsuites>'
CASE = f'<testcase classname="t" name="test_all_models_torch[{TEST_ID}]" time="1">{{}}</testcase>'


def test_a_cut_file_is_read_as_far_as_it_goes_and_said_each_time(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "cut.xml"
    file.write_text(SUITE.format(CASE.format("") + CASE.format("<failure/>")).partition("<failure")[0])
    for new in (1, 0):
        told = call("ingest", file, "--repo", checkout.root, "--arch", "n150")
        assert told.code == 1
        assert told.out.splitlines()[0] == f"1 file: {new} new, {1 - new} known (1 cut off), 0 unreadable"
        assert f"cannot read all of {file}: it is cut off or damaged behind 1 testcase" in told.err
    told = call("ingest", file, "--json", "--repo", checkout.root)
    assert (told.json["files"], told.json["cut"], len(told.json["problems"])) == (1, 1, 1)
    assert told.json["counts"] == {"passed": 1}


def test_the_pair_of_plugins_that_does_not_work_is_named(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "x.xml"
    file.write_text(SUITE.format(CASE.format('<error message="x: running the test CRASHED with signal 0"/>')))
    told = call("ingest", file, "--repo", checkout.root, "--arch", "n150")
    assert "1 result of nothing: pytest-forked has no result of it: CRASHED with signal 0." in told.err
    assert "pytest 9.2 or newer does not work with pytest-forked up to 1.7.5" in told.err
    assert call("ingest", file, "--json", "--repo", checkout.root).json["signal_0"] == 1


def test_expected_failures_are_counted_as_expected(checkout: Checkout, tmp_path: Path) -> None:
    tags = (
        "<properties><property name='tags' value=\"{'bringup_status': 'FAILED_RUNTIME', 'model_test_status': "
        "'ModelTestStatus.KNOWN_FAILURE_XFAIL'}\"/></properties>"
    )
    names = [f"m{at}/pytorch-single_device-inference" for at in range(10)]
    xfail = tags + '<skipped type="pytest.xfail" message="x"/>'
    cases = [CASE.format(xfail).replace(TEST_ID, one) for one in names[:7]]
    cases += [CASE.format("").replace(TEST_ID, names[7])]
    cases += [
        CASE.format(tags.replace("FAILED_RUNTIME", "PASSED") + "<skipped type='pytest.xfail'/>").replace(
            TEST_ID, names[8]
        )
    ]
    cases += [
        CASE.format(tags.replace("KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING") + "<failure/>").replace(TEST_ID, names[9])
    ]
    file = tmp_path / "x.xml"
    file.write_text(SUITE.format("".join(cases)))
    told = call("ingest", file, "--repo", checkout.root, "--arch", "n150")
    assert told.out.splitlines()[1:] == [
        "10 testcases: 7 failed as expected, 1 failed, 1 passed, 1 passed unexpectedly",
        "As expected: 8 of 10 (80.0%); passed: 20.0%",
    ]
    told = call("ingest", file, "--json", "--repo", checkout.root)
    assert (told.json["as_expected"], told.json["counts"]) == (8, {"failed": 8, "passed": 2})
    page = call("report", "--since", "9999", "--repo", checkout.root)
    assert "from 2026-11-21 to 2026-11-21" in page.out
    assert "in the last week of these 80.0% as expected, 20.0% passed" in page.out
    (total,) = (call("report", "--since", "9999", "--json", "--repo", checkout.root).json[name] for name in ("total",))
    assert (sum(total["as_expected"]), sum(total["passed"])) == (8, 2)
    assert (total["weeks_as_expected"], total["weeks"]) == ([0.8], [0.2])
